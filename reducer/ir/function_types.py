"""The types of functions, in the three forms in which dialects write them.

Most functions have a builtin type, `(A, B) -> C`. A dialect may have its own with the same parts:
one in which the result comes first, `!x.func<C (A, B)>`, as in C, and one with a list of named
ports, `!x.type<input a : A, output c : C>`, as in hardware. The forms are recognized, not the
dialects.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Protocol

from reducer.ir.lexer import split_commas
from reducer.ir.syntax import split_function_type

_RESULT_FIRST = re.compile(
    r"(?P<head>!(?P<dialect>[\w$]+)\.[\w$.]+<)(?P<result>\S.*?) \((?P<inputs>.*)\)>$", re.S
)
_PORTS = re.compile(r"(?P<head>!(?P<dialect>[\w$]+)\.[\w$.]+<)(?P<ports>(?:in|out)put .*)>$", re.S)
_PORT = re.compile(r'(?P<direction>input|output) (?P<name>[\w$.]+|"[^"]*") : (?P<type>.+)$', re.S)
_BUILTIN = re.compile(
    r"[!(]|(?:[su]?i\d+|f\d+\w*|bf16|tf32|index|none|vector|tensor|memref|tuple|complex)(?![\w.])"
)
_NOTHING = "void"


def function_type(inputs: Iterable[str], results: Iterable[str]) -> str:
    """A builtin function type as the printer writes it."""
    outs = tuple(results)
    right = outs[0] if len(outs) == 1 and "->" not in outs[0] else f"({', '.join(outs)})"
    return f"({', '.join(inputs)}) -> {right}"


class FunctionType(Protocol):
    """The types of a function's arguments and results, and how to write others in their place."""

    @property
    def inputs(self) -> tuple[str, ...]: ...

    @property
    def results(self) -> tuple[str, ...]: ...

    @property
    def most_results(self) -> int | None:
        """The largest number of results that such a type can have; None if there is no limit."""
        ...

    def write(self, inputs: Sequence[str], results: Sequence[str]) -> str:
        """A type of the same form with other arguments and results."""
        ...


@lru_cache(maxsize=1 << 10)
def read_function_type(text: str) -> FunctionType | None:
    """The function type that a text is; None if it is none of a known form.

    >>> read_function_type("!llvm.func<void (ptr, i32)>").inputs
    ('!llvm.ptr', 'i32')
    >>> read_function_type("!hw.modty<input a : i4, output b : i1>").write(["i4"], ["i2", "i3"])
    '!hw.modty<input a : i4, output b : i2, output out0 : i3>'
    """
    if match := _PORTS.match(text):
        ports = [_PORT.match(port.strip()) for port in split_commas(match["ports"])]
        known = [(port["direction"], port["name"], port["type"]) for port in ports if port]
        return _Ports(match["head"], tuple(known)) if len(known) == len(ports) else None
    if match := _RESULT_FIRST.match(text):
        dialect, inputs = match["dialect"], split_commas(match["inputs"])
        if "..." in inputs:
            return None
        results = () if match["result"] == _NOTHING else (_full(match["result"], dialect),)
        return _ResultFirst(match["head"], tuple(_full(one, dialect) for one in inputs), results)
    types = split_function_type(text)
    return _Builtin(*types) if types is not None else None


def _full(kind: str, dialect: str) -> str:
    """A type with the prefix that may be left out inside a type of the same dialect."""
    kind = kind.strip()
    return kind if _BUILTIN.match(kind) else f"!{dialect}.{kind}"


@dataclass(frozen=True)
class _Builtin:
    inputs: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def most_results(self) -> int | None:
        return None

    def write(self, inputs: Sequence[str], results: Sequence[str]) -> str:
        return function_type(inputs, results)


@dataclass(frozen=True)
class _ResultFirst:
    head: str
    inputs: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def most_results(self) -> int | None:
        return 1

    def write(self, inputs: Sequence[str], results: Sequence[str]) -> str:
        return f"{self.head}{', '.join(results) or _NOTHING} ({', '.join(inputs)})>"


@dataclass(frozen=True)
class _Ports:
    head: str
    ports: tuple[tuple[str, str, str], ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        return self._types("input")

    @property
    def results(self) -> tuple[str, ...]:
        return self._types("output")

    @property
    def most_results(self) -> int | None:
        return None

    def _types(self, direction: str) -> tuple[str, ...]:
        return tuple(kind for way, _, kind in self.ports if way == direction)

    def write(self, inputs: Sequence[str], results: Sequence[str]) -> str:
        """Ports keep their names by position; further ones get new names."""
        taken = {name for _, name, _ in self.ports}
        shown = []
        for direction, short, kinds in (("input", "in", inputs), ("output", "out", results)):
            names = [name for way, name, _ in self.ports if way == direction]
            fresh = (name for n in count() if (name := f"{short}{n}") not in taken)
            names += [next(fresh) for _ in range(len(kinds) - len(names))]
            shown += [f"{direction} {n} : {k}" for n, k in zip(names, kinds, strict=False)]
        return f"{self.head}{', '.join(shown)}>"
