"""Lists in attributes: `array<i64: …>`, `[…]`, and vectors of integers (`dense<…>`)."""

import re
from collections.abc import Container

from reducer.ir.lexer import split_commas

_ARRAY = re.compile(r"(array<\w+)(: )(.*)(>)", re.S)
_LIST = re.compile(r"(\[)()(.*)(\])", re.S)
_VECTOR = re.compile(
    r"dense<(?:\[(?P<items>[^][]*)\]|(?P<splat>[^][\"<>]+))> : "
    r"(?P<kind>\w+)<(?P<count>\d+)x(?P<of>\w+)>"
)


def items_of(value: str) -> list[str] | None:
    """The items of a list; None if the value is none.

    >>> items_of("array<i32: 0, 1>"), items_of("[@a]"), items_of("dense<1> : vector<2xi32>")
    (['0', '1'], ['@a'], ['1', '1'])
    """
    if match := _ARRAY.fullmatch(value) or _LIST.fullmatch(value):
        return split_commas(match[3])
    if match := _VECTOR.fullmatch(value):
        return (
            split_commas(match["items"])
            if match["items"]
            else [match["splat"]] * int(match["count"])
        )
    return None


def without_items(value: str, places: Container[int]) -> str:
    """A list without the items at some places.

    >>> without_items("array<i32: 5>", {0}), without_items("dense<[4, 5]> : vector<2xi32>", {0})
    ('array<i32>', 'dense<[5]> : vector<1xi32>')
    """
    items = [item for n, item in enumerate(items_of(value) or ()) if n not in places]
    text = ", ".join(items)
    if match := _VECTOR.fullmatch(value):
        return f"dense<[{text}]> : {match['kind']}<{len(items)}x{match['of']}>"
    match = _ARRAY.fullmatch(value) or _LIST.fullmatch(value)
    if match is None:
        raise ValueError(f"not a list: {value}")
    return match[1] + (match[2] if items else "") + text + match[4]
