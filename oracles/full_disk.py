"""Recognize a program that failed because the disk is full: that is no failure of the program."""

import errno
import os
import re
import tempfile

from oracles.limits import End, ProcessResult

_ERRORS = (errno.ENOSPC, errno.EDQUOT)
_AT_END_OF_LINE = re.compile(
    r"^[^\"'\n]*: (?:" + "|".join(re.escape(os.strerror(one)) for one in _ERRORS) + r")\.?$", re.M
)
"""What the system says, as LLVM and others end their messages; in a program it is in quotes."""


def is_full_disk(error: OSError) -> bool:
    """Whether an error of the system is that a file cannot be written for lack of space."""
    return error.errno in _ERRORS


def had_full_disk(result: ProcessResult) -> bool:
    """Whether a program failed and says that it could not write a file for lack of space."""
    failed = result.end is End.EXITED and result.exit_code != 0
    return failed and _AT_END_OF_LINE.search(result.stderr) is not None


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
