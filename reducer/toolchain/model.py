"""Installed compiler versions: where they are stored, and what they take on disk."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version
from platformdirs import user_cache_path

from oracles.profiles import DEFAULT, RELEASES, RUNTIME
from oracles.stacks.symbols import cache_file

COMPILER_PACKAGE = RELEASES.compiler_package
RUNTIME_PACKAGE = RELEASES.runtime_package
NEWEST = "newest"


class ToolchainError(Exception):
    """A compiler version is not available; the message says what the user can do about it."""


@dataclass(frozen=True)
class Toolchain:
    """One installed compiler version.

    `root` is a plain folder of unpacked packages, not a Python environment. The native programs are
    called directly, because the Python entry points that wrap them cost 45 to 150 ms per call and
    turn a fatal signal into an ordinary exit code.
    """

    version: str
    root: Path

    @property
    def compile(self) -> Path:
        """The native compiler."""
        return self.tool(DEFAULT.compiler)

    @property
    def opt(self) -> Path:
        """The native `…-opt` tool."""
        return self.tool(DEFAULT.opt)

    @property
    def shared_library(self) -> Path:
        """The shared library that contains the whole compiler."""
        return self.root / RELEASES.libraries / RELEASES.shared_library

    @property
    def run_module(self) -> Path:
        """The native program that runs compiled modules; present if `runtime=True` installed it."""
        folder = package_folder(RUNTIME_PACKAGE, self.version)
        return folder / RELEASES.runtime_libraries / RUNTIME.program

    @staticmethod
    def provides(name: str) -> bool:
        """Whether `name` is a compiler tool that every version includes."""
        return name in RELEASES.tools

    def has(self, name: str) -> bool:
        """Whether `name` is a native program of this version, be it one that others lack."""
        if self.provides(name):
            return True
        path = self.tool(name)
        return Path(name).name == name and not path.suffix and is_program(path)

    @property
    def tools(self) -> list[str]:
        """The names of all native programs of this version, sorted."""
        found = (self.root / RELEASES.libraries).glob("*")
        return sorted(path.name for path in found if self.has(path.name))

    def tool(self, name: str) -> Path:
        """The native program `name`, if this version `has` it."""
        return self.root / RELEASES.libraries / name


def is_program(path: Path) -> bool:
    """Whether a path is that of a file that can be run."""
    return path.is_file() and os.access(path, os.X_OK)


def toolchains_folder() -> Path:
    """The folder of all versions: in `$MLIR_REDUCER_CACHE`, or else the user's cache folder."""
    override = os.environ.get("MLIR_REDUCER_CACHE")
    cache = Path(override).absolute() if override else user_cache_path("mlir-reducer")
    return cache / "toolchains"


def package_folder(package: str, version: str) -> Path:
    """The folder of a package at a version, whether or not it is installed."""
    return toolchains_folder() / f"{package}-{checked_version(version)}"


def checked_version(version: str) -> str:
    """`version` in normalized form with three numbers: 3.13 becomes 3.13.0.

    It becomes part of a path, so anything that is not a version is rejected.
    """
    try:
        parsed = Version(version)
    except InvalidVersion:
        raise ToolchainError(
            f"'{version}' is not a version; give one such as 3.13.0, or '{NEWEST}'"
        ) from None
    missing = ".0" * (3 - len(parsed.release))
    return str(parsed).replace(parsed.base_version, parsed.base_version + missing, 1)


def age_of(version: str) -> tuple[bool, Version, str]:
    """A sort key: releases by their number, before whatever has another name."""
    try:
        return False, Version(version), ""
    except InvalidVersion:
        return True, Version("0"), version


def installed() -> list[Toolchain]:
    """All installed versions, oldest first."""
    toolchains = []
    for folder in toolchains_folder().glob(f"{COMPILER_PACKAGE}-*"):
        try:
            version = Version(folder.name.removeprefix(f"{COMPILER_PACKAGE}-"))
        except InvalidVersion:
            continue
        toolchains.append((version, Toolchain(str(version), folder)))
    return [toolchain for _, toolchain in sorted(toolchains, key=lambda pair: pair[0])]


def find(version: str) -> Toolchain | None:
    """The installed toolchain of a version (or the newest installed one); None if missing."""
    if version == NEWEST:
        return next(reversed(installed()), None)
    folder = package_folder(COMPILER_PACKAGE, version)
    return Toolchain(checked_version(version), folder) if folder.is_dir() else None


def symbols_of(toolchain: Toolchain) -> Path | None:
    """The file with the symbols of a version, None if no crash has needed it yet."""
    try:
        path = cache_file(toolchain.shared_library)
    except OSError:  # there is no such library
        return None
    return path if path.is_file() else None


def remove(version: str) -> bool:
    """Delete an installed version, its runtime and its symbols; returns whether it was installed.

    The folder is renamed before deletion, so that no process finds a partial toolchain.
    """
    removed = False
    found = find(version)
    if found is not None and (symbols := symbols_of(found)) is not None:
        symbols.unlink(missing_ok=True)
    for package in (COMPILER_PACKAGE, RUNTIME_PACKAGE):
        folder = package_folder(package, version)
        if not folder.is_dir():
            continue
        doomed = folder.with_name(f".removed-{folder.name}-{os.getpid()}")
        folder.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)
        removed = True
    return removed


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
