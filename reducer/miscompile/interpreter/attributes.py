"""Values of attributes, from their text."""

import json
import re

from reducer.ir.lexer import split_commas, unescaped
from reducer.miscompile.interpreter.errors import Unsupported

DYNAMIC = -(1 << 63)
"""What a list of static sizes has in place of a dynamic one (`ShapedType::kDynamic`)."""

_NUMBER = re.compile(r"-?\d+")
_DENSE = re.compile(r"dense<(.*)> : \w+<((?:\d+x)*)[a-z]\w*>$", re.S)


def integer(text: str) -> int:
    """`3 : i64`, `-1 : i32`, `3`, `true` as a number."""
    head = text.partition(" : ")[0].strip()
    if head in ("true", "false"):
        return int(head == "true")
    return int(head, 0)


def integers(text: str) -> list[int]:
    """`array<i64: 1, 2>`, `[1 : i64, 2 : i64]` or `dense<[1, 2]> : tensor<2xi64>` as numbers.

    Raises:
        Unsupported: the text is none of these.
    """
    text = text.strip()
    if text.startswith("array<"):
        return [int(one) for one in _NUMBER.findall(text.partition(":")[2])]
    if text.startswith("["):
        return [integer(part) for part in split_commas(text[1:-1])]
    if match := _DENSE.match(text):
        values = [int(one) for one in _NUMBER.findall(match[1])]
        count = 1
        for size in filter(None, match[2].split("x")):
            count *= int(size)
        return values * count if len(values) == 1 else values
    raise Unsupported([f"attribute {text[:60]}"])


def nested_integers(text: str) -> list[list[int]]:
    """`[[0 : i64, 1 : i64], [2]]` as lists of numbers."""
    found: list[list[int]] = json.loads(re.sub(r" : \w+", "", text))
    return found


def string(text: str) -> str:
    """The value of a string attribute."""
    return unescaped(text.strip().removeprefix('"').removesuffix('"'))


def words(text: str) -> frozenset[str]:
    """The words of a set of flags, such as `#arith.fastmath<nnan,ninf>`."""
    inner = text.partition("<")[2].rpartition(">")[0]
    return frozenset(word.strip() for word in re.split(r"[,|]", inner))
