"""Cut items of lists that introduce a name nothing else uses, out of text that cannot be parsed.

Mostly these are arguments: `(%a: i8, %b: i8)`, or `(in %a : i8, out o : i8)`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from reducer.ir import PlainText
from reducer.ir.lexer import split_commas
from reducer.transformations.base import Site, numbers_by_op
from reducer.transformations.forward_text import VALUE


class DropUnusedItems:
    """Deletes an item `in %a : i8` between round brackets, if `%a` occurs nowhere else."""

    name = "drop unused items"
    all_at_once = True

    def sites(self, module: PlainText) -> list[Site]:
        used = Counter(VALUE.findall(module.text))
        return [
            Site(number, which)
            for number, line in enumerate(module.lines)
            for which, item in enumerate(_items(line))
            if (names := VALUE.findall(item)) and all(used[name] == 1 for name in names)
        ]

    def apply(self, module: PlainText, sites: Sequence[Site]) -> str | None:
        lines = list(module.lines)
        for number, gone in numbers_by_op(sites).items():
            items = _items(lines[number])
            kept = [item for which, item in enumerate(items) if which not in gone]
            start, end = _brackets(lines[number])
            inside = ", ".join(item.strip() for item in kept)
            lines[number] = f"{lines[number][: start + 1]}{inside}{lines[number][end:]}"
        text = "".join(lines)
        return None if text == module.text else text


def _items(line: str) -> list[str]:
    """What the first round brackets of a line enclose, between commas."""
    start, end = _brackets(line)
    return split_commas(line[start + 1 : end]) if end > start + 1 else []


def _brackets(line: str) -> tuple[int, int]:
    """Where the first round brackets of a line are; both zero if they are not closed in it."""
    start = line.find("(")
    depth = 0
    for at, char in _from(line, start):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return start, at
    return 0, 0


def _from(line: str, start: int) -> Iterator[tuple[int, str]]:
    return ((at, line[at]) for at in range(start, len(line))) if start >= 0 else iter(())
