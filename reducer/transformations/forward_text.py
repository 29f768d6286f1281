"""Cut lines that define a value out of text that cannot be parsed, and use another value instead.

Deleting such a line alone leaves uses of a name that nothing defines, so a program of ops that all
depend on each other would stay as it is.
"""

import re
from collections.abc import Sequence
from functools import partial

from reducer.ir import PlainText
from reducer.ir.lexer import firm_brackets
from reducer.transformations.base import Site

VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?")
_DEFINITION = re.compile(r"\s*(?P<name>%[\w$.-]+)(?::\d+)? = (?P<made>.*)")
_FEW = 2
"""Of an op with many operands, the first and the last are tried."""


class ForwardLines:
    """Deletes a line `%r = op %a, %b` and uses `%a`, or else `%b`, in place of `%r` behind it."""

    name = "delete lines and forward values"
    all_at_once = False

    def sites(self, module: PlainText) -> list[Site]:
        return [
            Site(number, which)
            for number, line in enumerate(module.lines)
            for which in range(len(_operands(line)))
        ]

    def apply(self, module: PlainText, sites: Sequence[Site]) -> str | None:
        gone: dict[int, Site] = {}
        for site in sites:
            gone.setdefault(site.op, site)
        ends = _ends(module)
        instead: dict[str, tuple[str, int]] = {}  # a value, what takes its place, and up to where
        lines: list[str] = []

        def used(number: int, value: str) -> str:
            other, end = instead.get(value.partition("#")[0], (value, 0))
            return other if number < end else value

        def renamed(number: int, found: re.Match[str]) -> str:
            return used(number, found[0])

        for number, line in enumerate(module.lines):
            match = _DEFINITION.match(line)
            operands = _operands(line) if number in gone else []
            if match is not None and operands and gone[number].number < len(operands):
                other = used(number, operands[gone[number].number])
                instead[match["name"]] = other, ends[number]
                continue
            if match is not None:  # another value of that name, in another body
                instead.pop(match["name"], None)
            if instead:
                line = VALUE.sub(partial(renamed, number), line)
            lines.append(line)
        text = "".join(lines)
        return None if text == module.text else text


def _operands(line: str) -> list[str]:
    """The values that a line uses, if it defines one and is an op without a body."""
    match = _DEFINITION.match(line)
    if match is None or not _is_balanced(line):
        return []
    used = dict.fromkeys(VALUE.findall(match["made"]))
    found = [name for name in used if name.partition("#")[0] != match["name"]]
    return found if len(found) <= _FEW else [found[0], found[-1]]


def _is_balanced(line: str) -> bool:
    brackets = list(firm_brackets(line))
    return sum(one in "([{" for one in brackets) * 2 == len(brackets)


def _ends(module: PlainText) -> list[int]:
    """For each line the line behind the innermost group of lines around it."""
    total = len(module.lines)
    ends = [total] * total
    for first, end in module.groups:  # an inner group comes after those around it
        for number in range(first + 1, end):
            ends[number] = end
    return ends
