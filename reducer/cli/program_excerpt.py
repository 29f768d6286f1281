"""The first lines of a program, so that they fit a window and can be taken in at a glance."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reducer import escaping

if TYPE_CHECKING:
    from rich.text import Text

_QUOTED_OP = re.compile(r'"([a-zA-Z_][\w$]*(?:\.[\w$]+)+)"(?=\()')
_MODULE = re.compile(r'"?builtin\.module"?\(\) \(\{$')
_SHORTER = (  # what says least first
    (re.compile(r"(dense(?:_resource)?)<[^<>]{12,}>"), r"\1<…>"),
    (re.compile(r" ?<\{.+?\}>(?=\)? :| \(\{|$)"), ""),
    (re.compile(r" \{[^{}]+\}(?= :)"), ""),
    (re.compile(r" : \(.*\) -> "), " -> "),
    (re.compile(r" -> [^{]*$"), ""),
)
_END = re.compile(r"^(\s*\}\)) : \(\) -> \(\)$")
_SYMBOL = re.compile(r'\(\) <\{.*?\bsym_name = "([^"]+)".*?\}>(?= \(\{$)')
_PARTS = re.compile(
    r"(?P<comment>//.*)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<op>(?<![\w.%@!#])[a-z_]\w*(?:\.[a-z_]\w*)+)"
    r"|(?P<value>%[\w$#.:-]+|@[\w$.-]+)"
)
_STYLES = {"comment": "dim", "string": "dim", "op": "cyan", "value": "none"}


def excerpt(text: str, width: int, height: int) -> list[str]:
    """At most `height` lines of at most `width` characters.

    What is too long loses constants, properties, attributes and the types of operands before it is
    cut. The rest of the text is not looked at, since a model may have gigabytes.
    """
    lines: list[str] = []
    indent, inside = 0, False
    for line in _lines(text):
        if not line.strip() or (not lines and _MODULE.search(line)):
            inside = inside or bool(line.strip())
            continue
        if inside and line.startswith("})"):  # the end of the module
            break
        if not lines:
            indent = len(line) - len(line.lstrip())
        if len(lines) == height:
            break
        start = min(indent, len(line) - len(line.lstrip()))
        lines.append(fitted(line[start:], width))
    return lines


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield escaping.lines(text[start : min(end, start + 10_000)])
        start = end + 1


def fitted(line: str, width: int) -> str:
    """The line without what says least, until it fits; else cut between words."""
    line = _END.sub(r"\1", _SYMBOL.sub(r" @\1", _QUOTED_OP.sub(r"\1", line)))
    for pattern, instead in _SHORTER:
        if len(line) <= width:
            return line
        line = pattern.sub(instead, line)
    if len(line) <= width:
        return line
    cut = line.rfind(" ", 0, width - 1)
    indent = len(line) - len(line.lstrip())
    return f"{line[: cut if cut > indent else width - 1].rstrip()}…"


def highlighted(line: str) -> "Text":
    """The line with quiet colors: ops stand out, strings and comments step back."""
    from rich.text import Text

    text = Text(line, no_wrap=True)
    for match in _PARTS.finditer(line):
        assert match.lastgroup is not None
        text.stylize(_STYLES[match.lastgroup], *match.span())
    return text
