"""Decides which compiler program a command line means."""

import shutil
from pathlib import Path

from oracles.command import resolve_binary

from .install import Progress, install
from .model import NEWEST, Toolchain, ToolchainError, find


def resolve_executable(
    name: str, iree: str | None = None, *, progress: Progress | None = None
) -> Path:
    """The program that `name`, the first word of a compiler command, stands for.

    With `iree` (a version), a compiler tool given by name or by path means that version's own,
    which is installed if it is missing. Without it, a path or a program on PATH is taken (behind
    an entry point script of IREE's Python package: the native program that it starts), and a tool
    found in neither place means that of the newest installed version.
    Raises ToolchainError when there is no such program.
    """
    tool = Path(name).name
    if iree is not None and Toolchain.provides(tool):
        return install(iree, progress=progress).tool(tool)
    found = shutil.which(name)
    if found is not None:
        return resolve_binary(Path(found).absolute())
    if "/" not in name and Toolchain.provides(tool) and (newest := find(NEWEST)):
        return newest.tool(tool)
    raise ToolchainError(_advice(name, Toolchain.provides(tool)))


def _advice(name: str, provided: bool) -> str:
    if "/" in name:
        return f"'{name}' is not a program that can be run"
    missing = f"'{name}' is not on PATH"
    if provided:
        return f"{missing} and no version of it is installed: mlir-reducer toolchain install newest"
    return missing
