"""MLIR text in pieces with classes, for a little colour. It colours; it does not parse."""

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<value>%[\w$.-]+(?:\#\d+)?)
  | (?P<symbol>@(?:[\w$.-]+|"(?:[^"\\\n]|\\.)*"))
  | (?P<type>![A-Za-z_][\w$.]*
      |\b(?:tensor|memref|vector|complex|tuple)(?=<)|\b(?:index|none|[su]?i\d+|b?f\d+\w*|tf32)\b)
  | (?P<attribute>\#[A-Za-z_][\w$.]*|\b(?:dense|affine_map|affine_set|array|strided)(?=<)
      |\b(?:true|false|unit)\b)
  | (?P<block>\^[\w$.-]+)
  | (?P<op>\b[a-z_]\w*(?:\.[a-z_]\w*)+)
  | (?P<number>(?<![\w.])-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?![\w.]))
    """,
    re.VERBOSE,
)
_OP_IN_QUOTES = re.compile(r'"[a-z_]\w*(?:\.[\w$]+)+"(?=\()')


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text in order, each piece with its class, which is '' where there is nothing to say.

    >>> list(pieces('%0 = "a.b"()'))
    [('value', '%0'), ('', ' = '), ('op', '"a.b"'), ('', '()')]
    """
    position = 0
    for match in _TOKEN.finditer(text):
        if match.start() > position:
            yield "", text[position : match.start()]
        kind = match.lastgroup or ""
        if kind == "string" and _OP_IN_QUOTES.match(text, match.start()):
            kind = "op"
        yield kind, match.group()
        position = match.end()
    if position < len(text):
        yield "", text[position:]


def lines(text: str) -> Iterator[list[tuple[str, str]]]:
    """The same, line by line."""
    return (list(pieces(line)) for line in text.rstrip("\n").split("\n"))
