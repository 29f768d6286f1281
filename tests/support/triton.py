"""A compiler with assertions: Triton's, from its wheel, which contains one large library."""

import sys
from pathlib import Path

from tests.support.wheels import extracted

PROGRAM = Path(__file__).with_name("triton_opt.py")


def install_triton(version: str) -> Path:
    """The library of that version, for the running interpreter.

    Raises:
        CalledProcessError: there is none.
    """
    return extracted("triton", version, "triton/_C/libtriton.so")


def triton_command(library: Path) -> list[str]:
    """A command that wants the passes, separated by commas, and the input."""
    return [sys.executable, str(PROGRAM), str(library)]
