"""Elements of GitHub's Markdown that are safe for arbitrary text, within the limit of an issue.

What is too long for an issue moves to a file beside it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reducer import escaping
from reducer.escaping import one_line


def fenced(text: str, language: str = "") -> str:
    """A code block, fenced with more backticks than the text has in a row."""
    fence = "`" * max(3, _longest_run(text) + 1)
    body = escaping.lines(text)
    if body and not body.endswith("\n"):
        body += "\n"
    return f"{fence}{language}\n{body}{fence}"


def code(text: str) -> str:
    """A code span on one line.

    >>> code("a`b"), code("`x`"), code("")
    ('``a`b``', '`` `x` ``', '(empty)')
    """
    text = one_line(text)
    if not text.strip():
        return "(empty)"
    fence = "`" * (_longest_run(text) + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def plain(text: str) -> str:
    """Text escaped so that nothing in it is markup, a link or a mention.

    >>> plain("a *b* <i> @main #1")
    'a \\\\*b\\\\* &lt;i&gt; &#64;main &#35;1'
    """
    text = one_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*_{}\[\]()|~!])", r"\\\1", text)
    return text.replace("#", "&#35;").replace("@", "&#64;").replace("://", "&#58;//")


def cell(markup: str) -> str:
    """Markup escaped for a table cell, where a bar ends the cell even inside a code span."""
    return markup.replace("\\|", "|").replace("|", "\\|").replace("\n", " ")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with cells of markup."""
    lines = [_row(head), "|" + "---|" * len(head), *map(_row, rows)]
    return "\n".join(lines)


def folded(summary: str, body: str) -> str:
    """A collapsed section; `summary` is markup without code spans."""
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(cell, cells)) + " |"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


MAX_CHARACTERS = 65_536
"""GitHub's limit for the body of an issue."""


@dataclass(frozen=True)
class Passage:
    """A passage of the text, in Markdown.

    Attributes:
        instead: what takes its place where the text gets too long, and says where to find it; ''
            for a part that stays as it is.
        files: what to write beside the text then, by name.
    """

    text: str
    instead: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def gain(self) -> int:
        """How much shorter the text gets without the part."""
        return length(self.text) - length(self.instead) if self.instead else 0


def length(text: str) -> int:
    """An upper bound of the length of a text as GitHub counts it.

    Browsers send a line break as two characters, and JavaScript counts those outside the Basic
    Multilingual Plane twice.
    """
    return len(text) + text.count("\n") + sum(character > "\uffff" for character in text)


def fit(parts: Sequence[Passage], most: int = MAX_CHARACTERS) -> tuple[str, dict[str, str]]:
    """The text of all parts, and the files with those that were too long: the longest first."""
    kept = [part for part in parts if part.text]
    files: dict[str, str] = {}
    while length(_joined(kept)) > most:
        longest = max(range(len(kept)), key=lambda number: kept[number].gain)
        part = kept[longest]
        if part.gain <= 0:
            break
        kept[longest] = Passage(part.instead)
        files |= part.files
    return _joined(kept), files


def _joined(parts: Sequence[Passage]) -> str:
    return "\n\n".join(part.text for part in parts) + "\n"
