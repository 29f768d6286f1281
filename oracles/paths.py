"""Where the words of a command may name files."""

import re
from collections.abc import Iterator
from pathlib import Path

_OPTION = re.compile(r"=([^\s=(){}]+)")
_ITEM = re.compile(r"[^,;\"']+")
_LONGEST = 4096


def path_spans(word: str, directory: Path) -> Iterator[slice]:
    """The parts of a word that are existing paths: all of it, what follows `=`, or parts of that.

    Options of passes name files inside a flag, several of them separated by commas, as in
    `--my-pass=library-paths=a.mlir,b.mlir` or `--pass-pipeline=any(my-pass{file=a.mlir})`. There, a
    folder counts only if it is spelled with a slash, because other values are short words as well.
    """
    whole = slice(word.index("=") + 1 if word.startswith("-") and "=" in word else 0, len(word))
    if word.startswith("-") and not whole.start:
        return
    if existing(word[whole], directory) is not None:
        yield whole
        return
    for option in _OPTION.finditer(word) if word.startswith("-") else ():
        for item in _ITEM.finditer(word, *option.span(1)):
            path = existing(item[0], directory)
            if path is not None and (path.is_file() or "/" in item[0]):
                yield slice(*item.span())


def existing(value: str, directory: Path) -> Path | None:
    """The path that a value names relative to a directory, if it exists."""
    if not value or "{}" in value or "\0" in value or len(value) > _LONGEST:
        return None
    path = directory / value
    try:
        return path if path.exists() else None
    except OSError:
        return None
