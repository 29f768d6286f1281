"""The one place that knows what MLIR text is made of: tokens, names, strings, brackets.

After MLIR's own lexer (`mlir/lib/AsmParser/Lexer.cpp`), in the parts that edits of text depend on:

- A string ends at the next quote that no backslash escapes, and never spans lines. A comment goes
  to the end of its line. What looks like a name or a bracket in either is none.
- `%`, `^`, `@`, `#` and `!` begin names; a symbol may be a string, as in `@"a b"`.
- `->`, `>=` and `<=` are tokens, and close or open nothing.

MLIR's lexer leaves it to the parser whether a `<` is a bracket. Here it is one if a `>` closes it
before the bracket around it closes, and a comparison otherwise.

Names may be a little longer here than MLIR would have it (`@a-b` is a symbol), since the printer
always puts a blank or a bracket behind a name. Everything is linear in the text.
"""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

# ---- patterns, to be put into larger ones ---------------------------------------------------

INSIDE_STRING = r'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+'
"""What is between the quotes of a string. Fast on megabytes: nothing in it is ever tried twice."""
STRING = f'"{INSIDE_STRING}"'
COMMENT = r"//[^\n]*+"
NAME = r"[\w$.-]+"
"""A name without the sign that says of what; longer than any bare word may be."""
VALUE = f"%{NAME}"
BLOCK = rf"\^{NAME}"
SYMBOL = f"@(?:{STRING}|{NAME})"
ALIAS = r"[#!][A-Za-z_][\w$.-]*+"
"""A name of an attribute or a type: an alias, or what a dialect calls one of its own."""

# ---- tokens -----------------------------------------------------------------------------------


class TokenKind(StrEnum):
    """What a token is. Keywords, op names and builtin types are words."""

    BLANK = "blank"
    COMMENT = "comment"
    STRING = "string"
    VALUE = "value"
    BLOCK = "block"
    SYMBOL = "symbol"
    ATTRIBUTE = "attribute"
    TYPE = "type"
    NUMBER = "number"
    WORD = "word"
    ARROW = "arrow"
    COMPARISON = "comparison"
    BRACKET = "bracket"
    OTHER = "other"


class Token(NamedTuple):
    """A piece of text, and where it begins."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


# A minus belongs to a number if nothing that could be an operand stands right before it: the
# printer puts blanks around the one of a difference.
_TOKEN = re.compile(
    rf"""(?P<blank>\s+)
    | (?P<comment>{COMMENT})
    | (?P<string>{STRING})
    | (?P<value>{VALUE}(?:\#\d+)?)
    | (?P<block>{BLOCK})
    | (?P<symbol>{SYMBOL})
    | (?P<attribute>\#[A-Za-z_][\w$.-]*)
    | (?P<type>![A-Za-z_][\w$.-]*)
    | (?P<number>(?:(?<![\w.)\]])-)?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*(?:[eE][-+]?\d+)?)?))
    | (?P<word>[A-Za-z_][\w$.]*)
    | (?P<arrow>->)
    | (?P<comparison>[<>=]=)
    | (?P<bracket>[()\[\]{{}}<>])
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


_KINDS = {str(kind): kind for kind in TokenKind}


def tokens(text: str) -> Iterator[Token]:
    """All of a text, piece by piece; what is no token of MLIR comes as other characters.

    >>> [token.text for token in tokens('%0#1 = "a.b"()') if token.kind is not TokenKind.BLANK]
    ['%0#1', '=', '"a.b"', '(', ')']
    """
    for match in _TOKEN.finditer(text):
        yield Token(_KINDS[match.lastgroup or "other"], match[0], match.start())


# ---- what stands outside of strings and comments -----------------------------------------------


class Outside:
    """Finds a pattern outside of strings and comments.

    Args:
        pattern: a regular expression; its groups have names.
    """

    def __init__(self, pattern: str) -> None:
        # Only what is looked for has a group, so that a match without any is a string or a comment.
        self._pattern = re.compile(f"{STRING}|{COMMENT}|({pattern})")

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return (match for match in self._pattern.finditer(text) if match.lastindex is not None)

    def sub(self, new: Callable[[re.Match[str]], str], text: str) -> str:
        """The text with `new(match)` in place of each match."""

        def replaced(match: re.Match[str]) -> str:
            return match[0] if match.lastindex is None else new(match)

        return self._pattern.sub(replaced, text)


_SYMBOL = re.compile(f'@(?:"({INSIDE_STRING})"|({NAME}))')


def symbols(text: str) -> list[str]:
    """The name of every `@symbol` in a text, in strings too: of those the compiler may be told.

    >>> symbols('callee = @f, other = @"a b"::@g')
    ['f', 'a b', 'g']
    """
    return [quoted or bare for quoted, bare in _SYMBOL.findall(text)] if "@" in text else []


def symbol(text: str) -> str | None:
    """The name in a text that is nothing but one `@symbol`."""
    match = _SYMBOL.fullmatch(text)
    return (match[1] or match[2]) if match else None


_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")


def unescaped(inside: str) -> str:
    r"""What the inside of a string stands for.

    >>> unescaped(r"a\22b\\c")
    'a"b\\c'
    """

    def plain(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code, 16)) if len(code) == 2 else code

    return _ESCAPE.sub(plain, inside)


# ---- brackets -----------------------------------------------------------------------------------

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_PLAIN = re.compile(r'[^()\[\]{}<>"/]*+')  # nothing in it can enclose a comma
_STRUCTURE = re.compile(rf"{STRING}|{COMMENT}|->|[<>]=|([()\[\]{{}}<>,])")


class Brackets(NamedTuple):
    """A pair of brackets that belong together, and the commas that nothing else in it encloses."""

    start: int
    end: int
    """Where the closing bracket is."""
    commas: list[int]
    outer: int
    """Where the bracket around this pair opens; -1 if none does in the part looked at."""


def brackets(text: str, start: int = 0, end: int | None = None) -> Iterator[Brackets]:
    """The pairs of brackets in a part of a text, those inside before those around them.

    >>> [(pair.start, pair.end, pair.commas) for pair in brackets("<[1, 2], 3>")]
    [(1, 6, [3]), (0, 10, [7])]
    """
    return (pair for pair in _walk(text, start, end) if pair.start >= 0)


def brackets_at(text: str, start: int, end: int | None = None) -> Brackets | None:
    """The pair that opens at `start`; None if nothing closes it before `end`."""
    return next((pair for pair in brackets(text, start, end) if pair.start == start), None)


def split_commas(text: str) -> list[str]:
    """The parts between the commas that no bracket encloses, stripped; nothing for blank text.

    >>> split_commas("affine_map<(d0, d1) -> (d0)>, #map")
    ['affine_map<(d0, d1) -> (d0)>', '#map']
    """
    if _PLAIN.fullmatch(text):
        parts = text.split(",")
    else:
        *_, whole = _walk(text, 0, None)
        starts, ends = (0, *(comma + 1 for comma in whole.commas)), (*whole.commas, len(text))
        parts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    return [part.strip() for part in parts] if len(parts) > 1 or parts[0].strip() else []


def _walk(text: str, start: int, end: int | None) -> Iterator[Brackets]:
    """All pairs and, last, the whole part as one. A bracket that closes none of them ends it."""
    stop = len(text) if end is None else end
    opened: list[tuple[str, int, list[int]]] = [("", -1, [])]  # closed by, place, commas
    for match in _STRUCTURE.finditer(text, start, stop):
        char, at = match[1], match.start()
        if char is None:  # a string, a comment, an arrow, a comparison
            continue
        if char == ",":
            opened[-1][2].append(at)
        elif char in _CLOSING:
            opened.append((_CLOSING[char], at, []))
        elif char == opened[-1][0] or (char != ">" and _drop_unclosed(opened, char)):
            _, place, commas = opened.pop()
            yield Brackets(place, at, commas, opened[-1][1])
        elif char != ">":
            break
    _drop_unclosed(opened, "")
    yield Brackets(-1, stop, opened[0][2], -1)


def _drop_unclosed(opened: list[tuple[str, int, list[int]]], closing: str) -> bool:
    """Takes what opened since the last bracket closed by this for no bracket, if there is one."""
    number = len(opened) - 1
    while number >= 0 and opened[number][0] != closing:
        number -= 1
    if number >= 0:
        for _, _, commas in opened[number + 1 :]:
            opened[number][2].extend(commas)
        del opened[number + 1 :]
    return number >= 0


_FIRM = re.compile(rf"{STRING}|{COMMENT}|([()\[\]{{}}])")


def firm_brackets(text: str) -> Iterator[str]:
    """The brackets that are never anything else, in order: all but `<` and `>`."""
    return filter(None, _FIRM.findall(text))
