"""Finds the runtime that runs what a compiler has made."""

import os
import shutil
from pathlib import Path

from .install import Progress, install
from .model import COMPILER_PACKAGE, ToolchainError, toolchains_folder

_NAME = "iree-run-module"


def runtime_of(executable: Path, *, progress: Progress | None = None) -> Path:
    """The `iree-run-module` that belongs to an `iree-compile`.

    That of an installed version is installed too if it is missing. Elsewhere it is looked for in
    the same Python installation or build folder, then on PATH.
    Raises ToolchainError where there is none.
    """
    version = _installed_version(executable)
    if version is not None:
        return install(version, progress=progress, runtime=True).run_module
    real = executable.resolve()
    beside = [real.with_name(_NAME)]
    if len(real.parents) > 2:  # iree/compiler/_mlir_libs/ and iree/_runtime_libs/ of one wheel set
        beside.append(real.parents[2] / "_runtime_libs" / _NAME)
    for path in beside:
        if path.is_file() and os.access(path, os.X_OK):
            return path
    if found := shutil.which(_NAME):
        return Path(found)
    raise ToolchainError(
        f"no {_NAME} beside {executable} nor on PATH, so what it compiles cannot run; "
        "install iree-base-runtime of the same version, or use --iree VERSION"
    )


def _installed_version(executable: Path) -> str | None:
    try:
        relative = executable.resolve().relative_to(toolchains_folder().resolve())
    except ValueError:
        return None
    folder = relative.parts[0]
    prefix = f"{COMPILER_PACKAGE}-"
    return folder.removeprefix(prefix) if folder.startswith(prefix) else None
