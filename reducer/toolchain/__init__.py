"""Compiler versions side by side: each `iree-base-compiler` release in a cached folder.

Finds, installs and removes versions, and says which program a command line means.
"""

from reducer.toolchain.install import (
    install,
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

__all__ = [
    "COMPILER_PACKAGE",
    "NEWEST",
    "RUNTIME_PACKAGE",
    "Toolchain",
    "ToolchainError",
    "find",
    "install",
    "installed",
    "newest_release",
    "published",
    "remove",
    "resolve_executable",
    "runtime_of",
    "toolchains_folder",
]
