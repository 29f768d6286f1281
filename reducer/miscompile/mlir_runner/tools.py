"""Find MLIR's own tools on this machine, as distributions and builds of LLVM install them."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_RUNNER = re.compile(r"mlir-runner(-\d+)?$")
_VERSION = re.compile(r"LLVM version (\S+)")
_LIBRARIES = (
    "libmlir_apfloat_wrappers.so*",
    "libmlir_c_runner_utils.so*",
    "libmlir_float16_utils.so*",
    "libmlir_runner_utils.so*",
)
"""What compiled programs may call: arithmetic of small floats, copies of strided memory, and what
prints."""

_SECONDS = 10


@dataclass(frozen=True)
class MlirTools:
    """An `mlir-opt` and an `mlir-runner` of one LLVM release, and the libraries next to them."""

    version: str
    opt: Path
    runner: Path
    libraries: tuple[Path, ...] = ()


def find_tools(beside: Path | None = None) -> MlirTools | None:
    """Those with the tool `beside`, or else the newest on PATH; None if there are none.

    They may have the release in their names (`mlir-runner-22`), as Debian's have.
    """
    found = _find(os.environ.get("PATH", ""))
    if beside is None:
        return max(found, key=lambda tools: _numbers(tools.version), default=None)
    folder = os.pathsep.join(dict.fromkeys((str(beside.parent), str(beside.resolve().parent))))
    near = [one for one in (*_find(folder), *found) if one.opt.resolve() == beside.resolve()]
    return near[0] if near else find_tools()


@cache
def _find(path: str) -> tuple[MlirTools, ...]:
    return tuple(_on_path(path))


def _on_path(path: str) -> Iterator[MlirTools]:
    for folder in map(Path, filter(None, path.split(os.pathsep))):
        try:
            names = sorted(entry.name for entry in folder.iterdir() if _RUNNER.match(entry.name))
        except OSError:
            continue
        for name in names:
            opt = folder / name.replace("runner", "opt")
            version = _version(opt) if os.access(opt, os.X_OK) else ""
            if version:
                yield MlirTools(version, opt, folder / name, _libraries(folder / name))


def _version(opt: Path) -> str:
    words = [str(opt), "--version"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = _VERSION.search(done.stdout)
    return match[1] if match else ""


def _libraries(runner: Path) -> tuple[Path, ...]:
    folder = runner.resolve().parent.parent / "lib"
    found = (sorted(folder.glob(pattern)) for pattern in _LIBRARIES)
    return tuple(paths[0] for paths in found if paths)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]
