"""Which program stopped, where a shell or a script runs several."""

import re
import shutil
from pathlib import Path

_ARGUMENTS = re.compile(r"^\d+\.\s+Program arguments: (\S+)", re.M)


def program_that_stopped(stderr: str, executable: Path) -> Path:
    """The program that a stack dump of LLVM names; `executable`, which ran it, if it names none.

    In `mlir-opt … | mlir-translate … | llc …`, it is not the shell that stops, and the version of
    the shell does not help anybody.
    """
    named = _ARGUMENTS.search(stderr)
    if named is None or Path(named[1]).name == executable.name:
        return executable
    found = shutil.which(named[1])
    return Path(found) if found else executable
