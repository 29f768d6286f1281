"""Where things are printed, in which colors, and how wide; what a command says that it is doing.

A terminal gets colors and lines of its width; a pipe or a file gets plain text in lines of any
length. NO_COLOR turns colors off, and FORCE_COLOR turns them on anywhere (no-color.org,
force-color.org). rich is imported when something is drawn, since `--help` and pipes never need it.
"""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from reducer.cli.display.layout import (
    NamedValue,
    NamedValues,
    Part,
    Style,
    Table,
    cells_below,
    columns_beside,
    fact_lines,
    plain,
    wrapped_line,
)
from reducer.escaping import lines

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_STYLES = {
    Style.GOOD: "green",
    Style.BAD: "bold red",
    Style.WARNING: "yellow",
    Style.COMMAND: "none",
    "name": "dim",
    "head": "dim",
}
_WIDEST = 140  # longer lines of text are hard to read
_UNLIMITED = 100_000  # characters: wider than any row


def is_terminal(*, err: bool = False) -> bool:
    """Whether a person reads this stream on a terminal that can be drawn on."""
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def has_colors(*, err: bool = False) -> bool:
    """Whether the stream gets colors."""
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    if forced:
        return forced not in ("0", "false")
    return is_terminal(err=err)


def make_console(*, err: bool = False) -> "Console":
    """A console for the stream as it is now."""
    from rich.console import Console
    from rich.theme import Theme

    colors = has_colors(err=err)
    return Console(
        file=sys.stderr if err else sys.stdout,
        force_terminal=is_terminal(err=err) or colors,
        no_color=not colors,
        theme=Theme(_STYLES),
        highlight=False,
        markup=False,
        emoji=False,
    )


def echo(text: str, *, err: bool = False) -> None:
    """Print text, of which a terminal obeys nothing."""
    click.echo(lines(text), err=err)


def write_out(text: str) -> None:
    """Write data to standard output: as it is for a program, as `echo` for a person."""
    sys.stdout.write(lines(text) if sys.stdout.isatty() else text)


def show(*parts: Part, err: bool = False) -> None:
    """Print lines, facts and tables to standard output, or to standard error with `err`."""
    parts = tuple(map(_visible, parts))
    if not is_terminal(err=err) and not has_colors(err=err):
        click.echo(plain(parts), err=err)
        return
    console = make_console(err=err)
    for line in drawn(parts, _width() if is_terminal(err=err) else _UNLIMITED):
        console.print(line, soft_wrap=True)


def print_colored(word: str, text: str) -> None:
    """Print a message whose first word stands out to standard error, without rich.

    It is used when the program ends, perhaps since no further file can be opened.
    """
    text = lines(text)
    if is_terminal(err=True):
        text = "\n".join(row for line in text.split("\n") for row in wrapped_line(line, _width()))
    colors = has_colors(err=True)
    first = click.style(word, fg="red", bold=True) if colors else word
    click.echo(f"{first} {text}", err=True, color=colors)


def _visible(part: Part) -> Part:
    match part:
        case NamedValues():
            return NamedValues(
                [NamedValue(name, lines(value), style) for name, value, style in part.rows]
            )
        case Table():
            return replace(part, rows=[[*map(lines, row)] for row in part.rows])
    return lines(part)


def drawn(parts: tuple[Part, ...], width: int) -> "list[Text]":
    """The lines for a terminal of this width."""
    from rich.text import Text

    out: list[Text] = []
    for part in parts:
        match part:
            case NamedValues():
                out += [line for fact in part.rows for line in _drawn_fact(fact, width)]
            case Table():
                out += _drawn_table(part, width)
            case _:
                out += [Text(line) for row in part.split("\n") for line in wrapped_line(row, width)]
    return out


def _width() -> int:
    return min(_WIDEST, shutil.get_terminal_size().columns)


def _drawn_fact(fact: NamedValue, width: int) -> "list[Text]":
    from rich.text import Text

    drawn_lines = [Text(line, fact.style) for line in fact_lines(fact, width)]
    drawn_lines[0] = Text.assemble(
        (fact.name, "name"), (drawn_lines[0].plain[len(fact.name) :], fact.style or "none")
    )
    return drawn_lines


def _drawn_table(table: Table, width: int) -> "list[Text]":
    """The rows of a table, or each row with its last cells below it where there is no room."""
    from rich.text import Text

    beside = columns_beside(table, width)
    if not table.rows or beside == len(table.rows[0]):
        return _grid(table, width)
    first = [row[:beside] for row in table.rows]
    short = Table(first, table.head[:beside], table.right, table.styles)
    drawn_lines = _grid(short, _UNLIMITED)
    heads, rows = (drawn_lines[:1], drawn_lines[1:]) if table.head else ([], drawn_lines)
    drawn = [*heads]
    for number, (line, row) in enumerate(zip(rows, table.rows, strict=True)):
        drawn.append(line)
        style = table.style(number, len(row) - 1)
        drawn += [Text(below, style) for below in cells_below(table, row, beside, width)]
    return drawn


def _grid(table: Table, width: int) -> "list[Text]":
    """A table without borders, drawn by rich; only its last column is wrapped."""
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text
    from rich.theme import Theme

    grid = Grid(
        box=None,
        show_header=bool(table.head),
        header_style="head",
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )
    columns = len(table.head or table.rows[0]) if table.head or table.rows else 0
    for column in range(columns):
        grid.add_column(
            Text(table.head[column]) if table.head else "",
            justify="right" if column in table.right else "left",
            no_wrap=column < columns - 1 or width == _UNLIMITED,
        )
    for number, row in enumerate(table.rows):
        grid.add_row(*(Text(cell, table.style(number, at)) for at, cell in enumerate(row)))
    console = Console(width=min(width, _UNLIMITED), theme=Theme(_STYLES))
    drawn_lines = []
    for pieces in console.render_lines(grid, console.options, pad=False):
        line = Text.assemble(*((piece.text, piece.style or "") for piece in pieces))
        line.rstrip()
        drawn_lines.append(line)
    return drawn_lines


def print_status(text: str) -> None:
    """Print what is being done, unless the command is to be --quiet."""
    status_printer()(text)


def status_printer() -> Callable[[str], None]:
    """`print_status` for another thread, which does not know what command runs."""
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("quiet"):
        return lambda text: None
    return lambda text: echo(text, err=True)


def print_phase(text: str) -> None:
    """Print what begins now."""
    print_status(f"{text} …")
