"""Reads the results that `iree-run-module` prints."""

import re
from dataclasses import dataclass

from oracles.values.abi import ValueType

MOST_ELEMENTS = 1 << 22
"""Elements of one result that are printed and compared."""

_HEAD = re.compile(r"result\[\d+\]: (?:(?P<scalar>\w+)=(?P<number>\S+)|.*)$")
_TENSOR = re.compile(r"(?P<type>(?:\d+x)*[a-z]+\d+\w*)=(?P<values>.*)$")


@dataclass(frozen=True)
class Value:
    """One result; `elements` is None for what cannot be compared."""

    type: ValueType | None
    elements: tuple[float, ...] | None = None

    def __str__(self) -> str:
        shown = " ".join(f"{element:g}" for element in (self.elements or ())[:12])
        more = " …" if len(self.elements or ()) > 12 else ""
        return f"{self.type}={shown}{more}"


UNKNOWN = Value(None)


def read_results(text: str) -> list[Value]:
    """The results in order, from standard output."""
    values: list[Value] = []
    for line in text.splitlines():
        head = _HEAD.match(line)
        if head is not None:
            values.append(_scalar(head["scalar"], head["number"]) if head["scalar"] else UNKNOWN)
        elif values and (tensor := _TENSOR.match(line)):
            values[-1] = _tensor(tensor["type"], tensor["values"])
    return values


def _scalar(element: str, number: str) -> Value:
    try:
        return Value(ValueType(element, None), (_number(number),))
    except ValueError:
        return UNKNOWN


def _tensor(type_: str, text: str) -> Value:
    words = text.replace("[", " ").replace("]", " ").replace("...", " ").split()
    try:
        elements = tuple(map(_number, words))
    except ValueError:
        return UNKNOWN
    return Value(ValueType.parse(f"tensor<{type_}>"), elements)


def _number(word: str) -> float:
    """Integers stay exact."""
    try:
        return int(word)
    except ValueError:
        return float(word)
