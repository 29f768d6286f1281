"""What `--version` prints: this program and the compilers it would find."""

import shutil
import subprocess
from pathlib import Path

from reducer import __version__
from reducer.toolchain import installed

_PATIENCE = 10.0  # seconds


def versions() -> str:
    """One line for this program, one for the compiler on PATH, one for those installed by it."""
    lines = [f"mlir-reducer {__version__}"]
    if found := shutil.which("iree-compile"):
        lines.append(f"iree-compile on PATH: {compiler_version(Path(found))}")
    known = " ".join(toolchain.version for toolchain in installed())
    lines.append(f"installed IREE compilers: {known or 'none'}")
    return "\n".join(lines)


def compiler_version(executable: Path) -> str:
    """What a compiler says of its version, on one line."""
    try:
        answer = subprocess.run(
            [executable, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"{executable} does not tell ({error})"
    lines = [line.strip() for line in answer.stdout.splitlines()]
    return next((line for line in lines if "version" in line), " ".join(lines) or "unknown")
