"""Which program stopped, where a shell or a script runs several."""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

_ARGUMENTS = re.compile(r"^\d+\.\s+Program arguments: (\S+)", re.M)


def program_that_stopped(stderr: str, executable: Path, words: Iterable[str]) -> Path:
    """The program that a stack dump of LLVM names; `executable`, which ran it, if it names none.

    In `mlir-opt … | mlir-translate … | llc …`, it is not the shell that stops, and the version of
    the shell does not help anybody. It is asked for its version, so it must be in the words of the
    command: a compiler may print anything that is in its input.
    """
    named = _ARGUMENTS.search(stderr)
    if named is None or Path(named[1]).name == executable.name:
        return executable
    as_word = re.compile(rf"(?<![\w./-]){re.escape(named[1])}(?![\w./-])")
    found = shutil.which(named[1]) if any(map(as_word.search, words)) else None
    return Path(found) if found else executable
