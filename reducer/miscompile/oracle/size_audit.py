"""Check that the sizes in a module agree when one of its functions is called with given inputs.

A guard of the oracle for wrong results, see `reducer.miscompile.oracle.guards`.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from reducer.ir import GenericSyntaxError, Module
from reducer.ir.functions import is_function
from reducer.ir.sizes.known import Argument, KnownSizes

_INPUT = re.compile(r"(?P<dims>(?:\d+x)*)[a-z]+\d*\w*(?:=.*)?$|(?P<number>-?\d+)$", re.S)


class SizeAudit:
    """The audit; `generic` converts a text to generic form, or returns None."""

    def __init__(self, generic: Callable[[str], str | None]) -> None:
        self._generic = generic
        self._module = lru_cache(maxsize=2)(self._parsed)

    def __call__(self, text: str, function: str, inputs: Sequence[str]) -> str:
        """What does not agree, in words; '' if no disagreement is known.

        `inputs` are in the syntax of `iree-run-module`: `2x3xf32=1 2 3 4 5 6`, or `7`.
        """
        module = self._module(text)
        if module is None:
            return ""
        for op in range(len(module)):
            if is_function(module, op) and module.symbol_name(op) == function:
                return KnownSizes(module, op, list(map(argument_of, inputs))).disagreement
        return ""

    def _parsed(self, text: str) -> Module | None:
        try:
            return Module.parse(text)
        except GenericSyntaxError:
            generic = self._generic(text)
        try:
            return None if generic is None else Module.parse(generic)
        except GenericSyntaxError:
            return None


def argument_of(value: str) -> Argument:
    """The number, or the sizes, of an input.

    >>> argument_of("2x3xf32=1 2 3 4 5 6"), argument_of("f32=1"), argument_of("7")
    ((2, 3), (), 7)
    """
    match = _INPUT.match(value)
    if match is None:
        return None
    if match["number"] is not None:
        return int(match["number"])
    return tuple(int(size) for size in match["dims"].split("x")[:-1])
