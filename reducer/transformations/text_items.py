"""Cut single items out of lists, in text that cannot be parsed and is small already."""

import re
from collections.abc import Iterator, Sequence

from reducer.ir import PlainText
from reducer.transformations.base import Site, numbers_by_op

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


def _without(line: str, spans: Sequence[tuple[int, int]]) -> str:
    """The line without these parts, which are sorted and may overlap."""
    kept, at = [], 0
    for start, end in spans:
        kept.append(line[at:start])
        at = max(at, end)
    return "".join([*kept, line[at:]])


def _spans(line: str) -> list[tuple[int, int]]:
    """Each item of each list of a line, with the comma that goes with it."""
    found: list[tuple[int, int]] = []
    stack: list[tuple[str, list[int]]] = []  # open brackets: where each list and its items begin
    for match in _MARK.finditer(line):
        if match[0] in _CLOSING:
            stack.append((_CLOSING[match[0]], [match.end()]))
        elif stack and match[0] == ",":
            stack[-1][1].append(match.end())
        elif stack and match[0] == stack[-1][0]:
            _, starts = stack.pop()
            found += _items(starts, match.start()) if len(starts) > 1 else ()
    return sorted(found)


def _items(starts: Sequence[int], end: int) -> Iterator[tuple[int, int]]:
    """The first item with the comma behind it, the others with the one before."""
    yield starts[0], starts[1]
    for number, start in enumerate(starts[1:], start=1):
        yield start - 1, starts[number + 1] - 1 if number + 1 < len(starts) else end
