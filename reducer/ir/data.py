"""Constant data as nested lists: `dense<[[1, 2], [3, 4]]>`."""

from collections.abc import Sequence

from reducer.ir.lexer import split_commas

_OPENING = "dense<["


def resized(data: str, sizes: Sequence[int | None]) -> str:
    """The data of a constant cut down to smaller sizes; anything but a list is unchanged.

    Args:
        sizes: one for each dim of the data; 0 drops the dim, and keeps what comes first in it.

    >>> resized("dense<[[1, 2], [3, 4]]>", [2, 1]), resized("dense<[[1, 2], [3, 4]]>", [0, 2])
    ('dense<[[1], [3]]>', 'dense<[1, 2]>')
    """
    if not data.startswith(_OPENING):
        return data
    return f"dense<{_resized(data[len(_OPENING) - 1 : -1], sizes)}>"


def _resized(text: str, sizes: Sequence[int | None]) -> str:
    if not sizes or not text.startswith("["):
        return text
    items = split_commas(text[1:-1])
    if sizes[0] == 0:
        return _resized(items[0], sizes[1:]) if items else text
    return f"[{', '.join(_resized(item, sizes[1:]) for item in items[: sizes[0]])}]"
