"""Recognize a program that failed because the disk is full: that is no failure of the program."""

import errno
import os
import re
import tempfile

from oracles.limits import End, ProcessResult

_ERRORS = (errno.ENOSPC, errno.EDQUOT)
_WORDS = [os.strerror(one) for one in _ERRORS]
_AT_END_OF_LINE = re.compile(r"^[^\"'\n]*: (?:" + "|".join(map(re.escape, _WORDS)) + r")\.?$", re.M)
"""What the system says, as LLVM and others end their messages; in a program it is in quotes."""


def is_full_disk(error: OSError) -> bool:
    """Whether an error of the system is that a file cannot be written for lack of space."""
    return error.errno in _ERRORS


def had_full_disk(result: ProcessResult) -> bool:
    """Whether a program failed and says that it could not write a file for lack of space."""
    if result.end is not End.EXITED or result.exit_code == 0:
        return False
    if not any(words in result.stderr for words in _WORDS):
        return False  # cheap: standard error can be megabytes of printed IR
    return _AT_END_OF_LINE.search(result.stderr) is not None


def refuse_full_disk(result: ProcessResult) -> ProcessResult:
    """The same result.

    Raises:
        OSError: the program had no space for its files.
    """
    if had_full_disk(result):
        raise OSError(
            errno.ENOSPC,
            "No space left on device for temporary files of the program that was run",
            tempfile.gettempdir(),
        )
    return result
