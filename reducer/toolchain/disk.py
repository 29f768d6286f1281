"""What installed compilers take on disk: the package, its runtime, and the table of its symbols."""

import os
from dataclasses import dataclass
from pathlib import Path

from reducer.toolchain.model import RUNTIME_PACKAGE, Toolchain, package_folder, symbols_of


@dataclass(frozen=True)
class DiskUse:
    """The parts of an installed version in bytes; None for what is not there.

    `symbols` is the table that names the frames of its crashes. The first crash makes it.
    """

    compiler: int
    runtime: int | None
    symbols: int | None

    @property
    def total(self) -> int:
        return self.compiler + (self.runtime or 0) + (self.symbols or 0)


def disk_use(toolchain: Toolchain) -> DiskUse:
    """What a version takes on disk."""
    runtime = package_folder(RUNTIME_PACKAGE, toolchain.version)
    symbols = symbols_of(toolchain)
    return DiskUse(
        _size(toolchain.root),
        _size(runtime) if runtime.is_dir() else None,
        _size(symbols) if symbols is not None else None,
    )


def _size(path: Path) -> int:
    """The size of a file, or of all files in a folder; links are not followed."""
    if not path.is_dir():
        return path.lstat().st_size
    return sum(
        (Path(folder) / name).lstat().st_size
        for folder, _, names in os.walk(path)
        for name in names
    )
