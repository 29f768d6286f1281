"""Compiler versions side by side, one cached folder per `iree-base-compiler` release.

Finds, installs and removes versions, and resolves the program of a command line.
"""

from reducer.toolchain.disk import DiskUse, disk_use
from reducer.toolchain.install import (
    install,
    installed_version,
    newest_release,
    published,
    resolve_executable,
    runtime_of,
)
from reducer.toolchain.model import (
    COMPILER_PACKAGE,
    NEWEST,
    RUNTIME_PACKAGE,
    Toolchain,
    ToolchainError,
    find,
    installed,
    remove,
    toolchains_folder,
)
from reducer.toolchain.source import INDEX_ONLY, PackageSource

__all__ = [
    "COMPILER_PACKAGE",
    "INDEX_ONLY",
    "NEWEST",
    "RUNTIME_PACKAGE",
    "DiskUse",
    "PackageSource",
    "Toolchain",
    "ToolchainError",
    "disk_use",
    "find",
    "install",
    "installed",
    "installed_version",
    "newest_release",
    "published",
    "remove",
    "resolve_executable",
    "runtime_of",
    "toolchains_folder",
]
