"""Simplify the values of attributes and properties: numbers, strings, lists."""

import re
from collections.abc import Callable, Sequence

from reducer.ir import Module, Rewrite
from reducer.ir.dialects import is_op_set_attribute
from reducer.ir.lexer import STRING
from reducer.transformations.attributes import ESSENTIAL, ops_with_attributes
from reducer.transformations.base import Site

_NUMBER = re.compile(
    r"(?P<dense>dense<)?(?:(?P<integer>-?\d+)|(?P<float>-?\d+\.\d+(?:[eE][+-]?\d+)?|0x[0-9A-Fa-f]+))"
    r"(?P<kind>(?(dense)> : .+|(?: : \w+)?))"
)
_OTHERS = (ESSENTIAL | {"arg_attrs", "res_attrs", "sym_visibility"}) - {"value"}
_STRING = re.compile(STRING)
_LETTER = '"x"'
_SIMPLE = re.compile(r"-?[01]\.0+(?:[eE]\+?0+)?")


class SimplifyAttributes:
    """Replaces numbers of several digits by 0 or 1, strings by one letter, and empties lists.

    Splats are simplified like numbers. The strings in a dialect attribute are replaced one at a
    time or all together. They are never emptied, since many readers reject an empty name, so that
    the result would show the bug in fewer places.

    A string that the message of the failure contains stays: it may be the name of what is wrong,
    such as a gate without a rule, and with a letter for it the message would be about nothing.

    Sizes that are tied to types are left to `ShrinkSizes` and `DropDims`.

    Attributes:
        message: the message with which a module fails; '' if that is unknown.
    """

    name = "simplify attributes"
    all_at_once = False

    def __init__(self, message: Callable[[Module], str] = lambda module: "") -> None:
        self._message = message

    def sites(self, module: Module) -> list[Site]:
        message = self._message(module)
        return [
            Site(op, number, entry.name)
            for op in ops_with_attributes(module)
            for entry in module.syntax(op).entries
            if entry.name not in _OTHERS and not is_op_set_attribute(entry.name)
            if not (message and _is_in(entry.value, message))
            for number in range(len(_simpler(entry.value)))
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for site in sites:
            if entry := module.syntax(site.op).entry(site.name):
                rewrite.set_entry(site.op, site.name, _simpler(entry.value)[site.number])
        return rewrite.render()


def _is_in(value: str, message: str) -> bool:
    """Whether a value is a string that a message contains as a whole word."""
    if _STRING.fullmatch(value) is None or len(value) <= len(_LETTER):
        return False
    return re.search(rf"(?<![\w.]){re.escape(value[1:-1])}(?!\w)", message) is not None


def _simpler(value: str) -> list[str]:
    """Simpler values of the same kind, the simplest last, because the search tries that first.

    That is 1 for an integer: a step or factor of 0 makes no sense (see `simpler_numbers`).
    """
    if match := _NUMBER.fullmatch(value):
        numbers = _simpler_numbers(match)
        return [f"{match['dense'] or ''}{number}{match['kind']}" for number in numbers]
    if len(value) > len(_LETTER) and value.startswith('"'):
        return [_LETTER] if value.endswith('"') else []
    if len(value) > len("[]") and value.startswith("[") and value.endswith("]"):
        return ["[]"]
    return _with_short_strings(value) if value.startswith("#") else []


def _with_short_strings(value: str) -> list[str]:
    """The value with a letter for each of its strings, and for all of them if there are several."""
    found = [match for match in _STRING.finditer(value) if len(match.group()) > len(_LETTER)]
    single = [f"{value[: match.start()]}{_LETTER}{value[match.end() :]}" for match in found]
    return single if len(found) < 2 else [*single, _STRING.sub(_shorter, value)]


def _shorter(string: re.Match[str]) -> str:
    return min(string.group(), _LETTER, key=len)


def _simpler_numbers(match: re.Match[str]) -> list[str]:
    """Simpler ones than a number or a splat, which no tuning shrinks, unlike a single digit."""
    if integer := match["integer"]:
        is_large = abs(int(integer)) > 1 if match["dense"] else len(integer.lstrip("-")) > 1
        return ["0", "1"] if is_large else []
    return [] if _SIMPLE.fullmatch(match["float"]) else ["1.0", "0.0"]
