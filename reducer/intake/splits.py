"""Split an input as `--split-input-file` does."""

import re
from collections.abc import Sequence

_SEPARATOR = re.compile(r"^// -----[^\n]*\n", re.M)
_FLAG = re.compile(r"--?split-input-file(?:=.*)?$")


def split_input(text: str, words: Sequence[str]) -> list[str]:
    """The programs in an input that a command compiles one by one; the input if it does not."""
    if not any(_FLAG.match(word) for word in words):
        return [text]
    return [part for part in _SEPARATOR.split(text) if part.strip()] or [text]


def without_splitting(words: Sequence[str]) -> tuple[str, ...]:
    """The command without the flag."""
    return tuple(word for word in words if not _FLAG.match(word))
