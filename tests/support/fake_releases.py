"""Published releases that are shell scripts, in a package index that is a folder.

Each release has `iree-compile` and `iree-opt`. They accept configured flags, list them with
`--help-hidden`, and log each run to a file.
"""

import subprocess
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

_PREFACE = """#!/bin/sh
if [ "$1" = --help-hidden ]; then
cat <<'END'
{help}
END
exit 0
fi
for word; do
  case "$word" in
    *.mlir) input=$word ;;
    {known}) ;;
    --iree-*) echo "$0: Unknown command line argument '$word'.  Try: '$0 --help'" >&2; exit 1 ;;
  esac
done
echo {version} {tool} $(cksum < "$input") "$@" >> '{log}'
has() {{ grep -q "$1" "$input"; }}
"""
BAD = """if has x.bad; then
  echo "$input:1:1: error: failed to legalize operation 'x.bad'" >&2
  exit 1
fi
"""
OTHER = """if has x.bad; then
  echo "$input:1:1: error: 'x.bad' op has another fault" >&2
  exit 1
fi
"""
CRASH = "kill -SEGV $$\n"
UNREADABLE = """if has 'x.pretty'; then
  echo "$input:1:1: error: custom op 'x.pretty' is unknown" >&2
  exit 1
fi
"""


@dataclass(frozen=True)
class Release:
    """What the scripts of one release do. `flags` are names and descriptions."""

    compile: str = ""
    opt: str = ""
    flags: Sequence[tuple[str, str]] = (("--iree-target", "The target."),)


class Releases:
    """An index with some releases, a cache, and the log of runs.

    The releases are installed in advance, because pip takes a second, unless a test needs them to
    be downloaded.
    """

    def __init__(
        self, folder: Path, releases: dict[str, Release], *, installed: bool = True
    ) -> None:
        self.index = folder / "index"
        self.index.mkdir()
        self.cache = folder / "cache"
        self._log = folder / "runs"
        self._log.touch()
        self._versions = list(releases)
        for version, release in releases.items():
            self._make_wheel(version, release)
            if installed:
                self._install(version)

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables that make these the only releases available."""
        return {
            "PIP_CONFIG_FILE": "/dev/null",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.index),
            "MLIR_REDUCER_CACHE": str(self.cache),
        }

    def list_without_pip(self, patch: pytest.MonkeyPatch) -> None:
        """Answer the question which releases there are like pip, which takes a second for it."""
        module = import_module("reducer.toolchain.install")
        pip = module._pip
        answer = f"(from versions: {', '.join(self._versions) or 'none'})"

        def asked(*words: str, merge_errors: bool = False) -> "subprocess.Popen[str]":
            if "--dry-run" not in words:
                return pip(*words, merge_errors=merge_errors)  # type: ignore[no-any-return]
            return subprocess.Popen(["echo", answer], stdout=subprocess.PIPE, text=True)

        patch.setattr(module, "_pip", asked)

    @property
    def runs(self) -> list[str]:
        """One line per run: version, tool, checksum and size of the input, arguments."""
        return self._log.read_text().splitlines()

    def _make_wheel(self, version: str, release: Release) -> None:
        name = f"iree_base_compiler-{version}"
        info = f"{name}.dist-info"
        libraries = "iree/compiler/_mlir_libs"
        files = {
            f"{libraries}/iree-compile": self._script(version, release, "compile", release.compile),
            f"{libraries}/iree-opt": self._script(version, release, "opt", release.opt),
            f"{info}/METADATA": (
                f"Metadata-Version: 2.1\nName: iree-base-compiler\nVersion: {version}\n"
            ),
            f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n",
        }
        with zipfile.ZipFile(self.index / f"{name}-py3-none-any.whl", "w") as wheel:
            for path, text in files.items():
                entry = zipfile.ZipInfo(path)
                entry.external_attr = 0o100755 << 16
                wheel.writestr(entry, text)
            wheel.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in files))

    def _install(self, version: str) -> None:
        root = self.cache / "toolchains" / f"iree-base-compiler-{version}"
        with zipfile.ZipFile(self.index / f"iree_base_compiler-{version}-py3-none-any.whl") as file:
            file.extractall(root)
        for tool in (root / "iree" / "compiler" / "_mlir_libs").iterdir():
            tool.chmod(0o755)

    def _script(self, version: str, release: Release, tool: str, body: str) -> str:
        preface = _PREFACE.format(
            help="\n".join(f"  {name}=<string>   - {told}" for name, told in release.flags),
            known="|".join(f"{name}=*|{name}" for name, _ in release.flags),
            version=version,
            tool=tool,
            log=self._log,
        )
        return preface + body
