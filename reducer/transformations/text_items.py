"""Cut single items out of lists, in text that cannot be parsed and is small already."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from reducer.ir import PlainText
from reducer.ir.lexer import brackets_at
from reducer.ir.syntax import Span
from reducer.transformations.base import Site, numbers_by_op
from reducer.transformations.forward_text import VALUE

_MOST_LINES = 60
"""In a longer text, most lists belong to lines that will go."""

_MARK = re.compile(r"->|[()\[\]<>{},]")
_CLOSING = {"(": ")", "[": "]", "<": ">", "{": "}"}


class DropItems:
    """Deletes one item of a list between brackets: an operand, an argument, a parameter.

    It cannot know what else refers to the item, so most attempts are rejected.
    """

    name = "drop items of lists"
    all_at_once = False

    def sites(self, module: PlainText) -> list[Site]:
        if len(module.lines) > _MOST_LINES:
            return []
        return [
            Site(number, which)
            for number, line in enumerate(module.lines)
            for which in range(len(_spans(line)))
        ]

    def apply(self, module: PlainText, sites: Sequence[Site]) -> str | None:
        lines = list(module.lines)
        for number, items in numbers_by_op(sites).items():
            spans = _spans(lines[number])
            lines[number] = _without(lines[number], [spans[which] for which in sorted(items)])
        text = "".join(lines)
        return None if text == module.text else text


def _without(line: str, spans: Sequence[Span]) -> str:
    """The line without these parts, which are sorted and may overlap."""
    kept, at = [], 0
    for start, end in spans:
        kept.append(line[at:start])
        at = max(at, end)
    return "".join([*kept, line[at:]])


def _spans(line: str) -> list[Span]:
    """Each item of each list of a line, with the comma that goes with it."""
    spans: list[Span] = []
    stack: list[tuple[str, list[int]]] = []  # open brackets: where each list and its items begin
    for match in _MARK.finditer(line):
        if match[0] in _CLOSING:
            stack.append((_CLOSING[match[0]], [match.end()]))
        elif stack and match[0] == ",":
            stack[-1][1].append(match.end())
        elif stack and match[0] == stack[-1][0]:
            _, starts = stack.pop()
            spans += _items(starts, match.start()) if len(starts) > 1 else ()
    return sorted(spans)


def _items(starts: Sequence[int], end: int) -> Iterator[Span]:
    """The first item with the comma behind it, the others with the one before."""
    yield starts[0], starts[1]
    for number, start in enumerate(starts[1:], start=1):
        yield start - 1, starts[number + 1] - 1 if number + 1 < len(starts) else end


class DropUnusedItems:
    """Deletes an item `in %a : i8` between round brackets, if `%a` occurs nowhere else."""

    name = "drop unused items"
    all_at_once = True

    def sites(self, module: PlainText) -> list[Site]:
        used = Counter(VALUE.findall(module.text))
        return [
            Site(number, which)
            for number, line in enumerate(module.lines)
            for which, item in enumerate(_first_list(line))
            if (names := VALUE.findall(line[slice(*item)]))
            and all(used[name] == 1 for name in names)
        ]

    def apply(self, module: PlainText, sites: Sequence[Site]) -> str | None:
        lines = list(module.lines)
        for number, gone in numbers_by_op(sites).items():
            line, items = lines[number], _first_list(lines[number])
            kept = [line[slice(*item)].strip() for n, item in enumerate(items) if n not in gone]
            lines[number] = f"{line[: items[0][0]]}{', '.join(kept)}{line[items[-1][1] :]}"
        text = "".join(lines)
        return None if text == module.text else text


def _first_list(line: str) -> list[Span]:
    """The items of what the first round brackets of a line enclose."""
    found = brackets_at(line, line.find("("))
    return found.items if found else []
