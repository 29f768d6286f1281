"""What commands print: lines, facts with their names, and tables, laid out for the width at hand.

In a pipe, a row is one line of any length, so that other programs can rely on it. On a terminal,
rows are wrapped between words, and a command is continued with backslashes, so that it can still be
pasted.
"""

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_NAME_WIDTH = 10  # characters of a fact's name before its value
_GAP = "  "
_LEAST = 24  # characters of room for a value next to its name
_INDENT = 4  # of a last column that has no room next to the others


class Style:
    """What a value means; `console.py` knows the colors."""

    PLAIN = ""
    GOOD = "good"
    BAD = "bad"
    WARNING = "warning"
    COMMAND = "command"
    """A shell command, which must survive being wrapped and pasted."""


class NamedValue(NamedTuple):
    """A named value."""

    name: str
    value: str
    style: str = Style.PLAIN


@dataclass(frozen=True)
class NamedValues:
    """Named values below each other."""

    rows: Sequence[NamedValue]

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str] | NamedValue]) -> "NamedValues":
        """The facts in this order; pairs have no style."""
        return cls([NamedValue(*row) for row in rows])


@dataclass(frozen=True)
class Table:
    """Rows of cells. The last column holds text of any length; all others are short.

    Attributes:
        rows: the cells of each row, as many as in every other row.
        head: the names of the columns, if they need any.
        right: the columns that are aligned to the right, counted from 0.
        styles: of the cell of a row and a column, both counted from 0.
    """

    rows: Sequence[Sequence[str]]
    head: Sequence[str] = ()
    right: frozenset[int] = frozenset()
    styles: dict[tuple[int, int], str] | None = None

    def style(self, row: int, column: int) -> str:
        """The style of one cell."""
        return (self.styles or {}).get((row, column), Style.PLAIN)


Part = str | NamedValues | Table


def plain(parts: Iterable[Part]) -> str:
    """The text for a pipe, without a newline at the end."""
    lines: list[str] = []
    for part in parts:
        match part:
            case NamedValues():
                lines += [f"{name:<{_NAME_WIDTH}}{_GAP}{value}" for name, value, _ in part.rows]
            case Table():
                lines += _plain_table(part)
            case _:
                lines.append(part)
    return "\n".join(lines)


def _plain_table(table: Table) -> list[str]:
    rows = [table.head, *table.rows] if table.head else list(table.rows)
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    if len(widths) - 1 not in table.right:
        widths[-1] = 0
    return [
        _GAP.join(
            cell.rjust(width) if column in table.right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def fact_lines(fact: NamedValue, width: int) -> list[str]:
    """The lines of one fact; those after the first are indented like the value."""
    indent = _NAME_WIDTH + len(_GAP)
    first = f"{fact.name:<{_NAME_WIDTH}}{_GAP}"
    wrapped = wrapped_command if fact.style == Style.COMMAND else wrapped_words
    if width - indent < _LEAST:
        return [fact.name, *(f"{_GAP}{line}" for line in wrapped(fact.value, width - len(_GAP)))]
    lines = wrapped(fact.value, width - indent)
    return [first + lines[0], *(" " * indent + line for line in lines[1:])]


_UNIT = re.compile(r"(?<=\d) (?=(?:s|B|KB|MB|GB)\b)")
_JOIN = "\N{NO-BREAK SPACE}"


def wrapped_words(text: str, width: int) -> list[str]:
    """The text in lines of at most this width. A longer word has a line of its own.

    A number stays with its unit.
    """
    joined = _UNIT.sub(_JOIN, text)
    lines = textwrap.wrap(joined, width, break_long_words=False, break_on_hyphens=False) or [""]
    return [line.replace(_JOIN, " ") for line in lines]


_SHELL_WORD = re.compile(r"""(?:[^\s'"\\]|'[^']*'|"(?:\\.|[^"\\])*"|\\.)+""", re.DOTALL)
"""A word of a shell command as it is written, quotes included."""


def wrapped_command(text: str, width: int) -> list[str]:
    """A shell command in lines that end in backslashes, except the last one."""
    if len(text) <= width:
        return [text]
    words = _SHELL_WORD.findall(text) or [text]
    lines, line = [], words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) + len(" \\") > width:
            lines.append(f"{line} \\")
            line = f"{_GAP}{word}"
        else:
            line = f"{line} {word}"
    return [*lines, line]


def wrapped_line(line: str, width: int) -> list[str]:
    """A line that others have laid out: what is too long continues below its own indentation."""
    if len(line) <= width:
        return [line]
    indent = len(line) - len(line.lstrip())
    lines = wrapped_words(line.strip(), max(_LEAST, width - indent - len(_GAP)))
    rest = " " * indent + (_GAP if indent else "")
    return [" " * indent + lines[0], *(rest + line for line in lines[1:])]


def columns_beside(table: Table, width: int) -> int:
    """How many columns have room next to each other for their words; the others go below."""
    rows = [table.head, *table.rows] if table.head else list(table.rows)
    columns = len(rows[0]) if rows else 0
    if columns < 2:
        return columns
    widths = [max(len(row[column]) + len(_GAP) for row in rows) for column in range(columns)]
    longest = max((len(word) for row in rows for word in row[-1].split()), default=0)
    if width - sum(widths[:-1]) >= min(widths[-1] - len(_GAP), max(longest, _LEAST)):
        return columns
    fitting = (n for n in range(columns - 1, 1, -1) if sum(widths[:n]) - len(_GAP) <= width)
    return next(fitting, 1)


def cells_below(table: Table, row: Sequence[str], beside: int, width: int) -> list[str]:
    """The lines for the cells of a row that have no room beside the first ones."""
    heads = table.head or [""] * len(row)
    named = zip(heads[beside:-1], row[beside:-1], strict=True)
    cells = [*(f"{name} {cell}".strip() for name, cell in named), row[-1]]
    return [
        " " * _INDENT + line
        for cell in cells
        if cell
        for line in wrapped_words(cell, width - _INDENT)
    ]
