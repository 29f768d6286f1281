"""Every command on every page runs, in the order of the page, and prints what the page shows."""

import json
import lzma
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oracles.plugin import GROUP
from reducer.toolchain import Toolchain
from tests.conftest import WHEELS
from tests.support.corpus import load_case
from tests.support.opt_tools import CONTRACT
from tests.support.pages import PAGES, ROOT, blocks, cache_of, missing, programs, run
from tests.support.plugins import install

TOPK, OLD_TOPK = "seed-21014-topk-bufferize-40", "seed-20699-topk-bufferize-small"

SCRIPTS = {
    "make": f'exec {shutil.which("make")} --directory="{ROOT}" --dry-run "$@" >/dev/null\n',
    "pip": "exit 0\n",
    "pipx": "exit 0\n",
    "gh": 'cat "$HOME/issues.json"\n',
    # the last words are the command in the container
    "docker": 'while [ "$1" != IMAGE ]; do shift; done\nshift\nexec "$@"\n',
    "catalyst": 'shift\nexec mlir-opt-22 "${@#--catalyst-pipeline=*}"\n',
    "gdb": """while [ "$1" != --args ]; do shift; done
shift
"$@"
signal=$?
[ $signal -le 128 ] || echo "Program received signal SIG$(kill -l $signal), ended."
""",
    "xz": 'shift\nexec xzcat "$@"\n',
    "xzcat": """exec python3 -c "import lzma, shutil, sys
shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer)" "$@"
""",
    "unzip": """python3 -c "import sys, zipfile
zipfile.ZipFile(sys.argv[-1]).extractall(sys.argv[-2])" "$@"
chmod -R u+x "$3"
""",
    # the compiler of a commit is that of the release that a file in it names
    "cmake": """mkdir -p build/tools
ln -sf "$(mlir-reducer toolchain path "$(cat release)")" build/tools/iree-compile
ln -sf "$(mlir-reducer toolchain path "$(cat release)" --tool iree-opt)" build/tools/iree-opt
""",
}
"""What takes the place of programs that install or build something, ask others, or are absent."""

ISSUE = """\
`iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942 topk.mlir` of IREE 3.13.0 says
"failed to bufferize op":

```mlir
{}
```
"""
REPRODUCER = """\
{}
{{-#
  external_resources: {{
    mlir_reproducer: {{
      pipeline: "builtin.module(linalg-fold-unit-extent-dims)",
      disable_threading: true,
      verify_each: true
    }}
  }}
#-}}
"""
LOOPS = """\
func.func @f(%m: memref<64xf32>, %n: memref<64xf32>) {
  %c = arith.constant 1.0 : f32
  affine.for %i = 0 to 2 {
    memref.store %c, %n[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    memref.store %c, %m[%i] : memref<64xf32>
  }
  return
}
"""
EVALUATED = """\
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = arith.addf %a, %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""


def _case(name: str) -> str:
    """What a person wrote for a bug of the corpus."""
    return load_case(name).input_text()


def _opt(name: str) -> str:
    return (ROOT / "corpus" / "opt" / f"{name}.mlir").read_text(encoding="utf-8")


def _options(home: Path) -> dict[str, str]:
    text = _case(TOPK)
    tool = home / ".." / "bin" / "iree-opt"
    words = [tool, "-", "--emit-bytecode", "-o", home / "model.mlirbc"]
    subprocess.run(words, input=text, text=True, check=True)
    (home / "model.mlir.xz").write_bytes(lzma.compress(text.encode()))
    return {"model.mlir": text}


def _bisect(home: Path) -> dict[str, str]:
    """A project with some commits between two releases."""
    clone = home / "iree"
    clone.mkdir()
    git = "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", clone
    subprocess.run([*git, "init", "-q"], check=True)
    for number, release in enumerate(("3.3.0", "3.3.0", "3.4.0", "3.4.0")):
        (clone / "release").write_text(release)
        (clone / "number").write_text(str(number))
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", str(number)], check=True)
        if number in (0, 3):
            subprocess.run([*git, "tag", f"iree-{release}"], check=True)
    tool = home / "build" / "tools" / "iree-compile"
    tool.parent.mkdir(parents=True)
    tool.symlink_to((home / ".." / "bin" / "iree-compile").resolve())
    return {"topk.mlir": _case(OLD_TOPK)}


def _report(home: Path) -> dict[str, str]:
    known = {
        "number": 20699,
        "title": "topk: Failed to bufferize op",
        "body": "iree-compile says: error: failed to bufferize op, for a torch.aten.topk",
        "url": "https://github.com/iree-org/iree/issues/20699",
        "state": "CLOSED",
    }
    (home / ".." / "home" / "issues.json").write_text(json.dumps([known]))
    return {"topk.mlir": _case(TOPK)}


def _triage(home: Path) -> dict[str, str]:
    (home / "models").mkdir()
    return {
        "model.mlir": _case("batch-matmul-20548"),
        "models/a.mlir": _case("cat-zero-width"),
        "flags.txt": "--iree-hal-target-device=hip --iree-rocm-target=gfx942\n",
    }


def _oracle(home: Path) -> dict[str, str]:
    """The package of the page, as if it were installed."""
    page = (ROOT / "docs" / "custom-oracle.md").read_text(encoding="utf-8")
    module, project = (
        re.findall(rf"```{language}\n(.*?)```", page, re.S)[0] for language in ("python", "toml")
    )
    entries = tomllib.loads(project)["project"]["entry-points"][GROUP]
    install(home / "site", "settles", module, entries)
    return {"loops.mlir": LOOPS}


FILES: dict[str, Callable[[Path], dict[str, str]]] = {
    "README.md": lambda _: {"model.mlir": _case(TOPK)},
    "bisect.md": _bisect,
    "crash-logs.md": lambda _: {
        "issue.md": ISSUE.format(_case(TOPK)),
        "reproducer.mlir": REPRODUCER.format(_opt("iree-203813")),
    },
    "custom-oracle.md": _oracle,
    "interpreter.md": lambda _: {"program.mlir": EVALUATED},
    "metrics.md": lambda _: {"contract.mlir": CONTRACT},
    "options.md": _options,
    "other-compilers.md": lambda _: {
        "bug.mlir": _opt("mlir-216213"),
        "compile.sh": '#!/bin/sh\nexec mlir-opt-22 "$1" --convert-async-to-llvm\n',
    },
    "report.md": _report,
    "signatures.md": lambda _: {"model.mlir": _case(TOPK)},
    "triage.md": _triage,
    "wrong-results.md": lambda _: {
        "model.mlir": _case("mis-ctlz-i8-vmvx"),
        "passes.mlir": _opt("mlir-128273"),
    },
}
"""What lies in the folder before the first command of a page."""


QUICK = (
    "metrics.md",
    "options.md",
    "other-compilers.md",
    "custom-oracle.md",
    "wrong-results.md",
    "crash-logs.md",
)
"""Pages about what a reduction begins with; what it does in the end is shown by others."""
LESS = {f"MLIR_REDUCER_{name}": "0" for name in ("ELSEWHERE", "PASS_LEVEL", "REPORT")}


@pytest.fixture(scope="module")
def cache(iree_toolchain: Callable[..., Toolchain]) -> Iterator[Path]:
    for version in WHEELS:
        iree_toolchain(version)
    with cache_of(*WHEELS) as folder:
        yield folder


@pytest.fixture
def environment(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(cache))
    newest = cache / "toolchains" / f"iree-base-compiler-{WHEELS[-1]}"
    found = programs(tmp_path / "bin", Toolchain(WHEELS[-1], newest), SCRIPTS)
    path = os.pathsep.join([str(found), str(Path(sys.executable).parent), os.environ["PATH"]])
    home = tmp_path / "home"
    home.mkdir()
    return {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(tmp_path / "work" / "site")]),
        "HOME": str(home),
        "GITHUB_STEP_SUMMARY": str(home / "summary.md"),
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": "/dev/null",
    }


@pytest.mark.iree
@pytest.mark.parametrize(
    "page", [one for one in PAGES if blocks(one.read_text())], ids=lambda one: one.name
)
def test_the_commands_of_a_page(page: Path, environment: dict[str, str], tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "corpus").symlink_to(ROOT / "corpus")
    files = FILES.get(page.name)
    for name, content in (files(folder) if files else {}).items():
        (folder / name).write_text(content, encoding="utf-8")
        (folder / name).chmod(0o755)
    environment |= LESS if page.name in QUICK else {}
    (tmp_path / "tmp").mkdir()
    elsewhere = {"/tmp/": f"{tmp_path}/tmp/", "8786": str(_free_port())}
    printed = run(text, folder, environment, elsewhere)
    for block, lines in zip(blocks(text), printed, strict=True):
        assert missing(block, lines) == [], lines


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
