"""Compiler versions side by side, one cached folder per `iree-base-compiler` release.

Finds, installs and removes versions, and resolves the program of a command line.
"""

from reducer.toolchain.install import (
    INDEX_ONLY,
    PackageSource,
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
    DiskUse,
    Toolchain,
    ToolchainError,
    disk_use,
    find,
    installed,
    remove,
    toolchains_folder,
)

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
