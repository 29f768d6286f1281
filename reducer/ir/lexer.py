"""The lexical structure of MLIR text: tokens, names, strings, brackets.

Follows MLIR's own lexer (`mlir/lib/AsmParser/Lexer.cpp`) in the parts that text edits depend on:

- A string ends at the next unescaped quote and never spans lines. A comment extends to the end of
  its line. Names and brackets inside either are plain text.
- `%`, `^`, `@`, `#` and `!` begin names; a symbol may be a string, as in `@"a b"`.
- `->`, `>=` and `<=` are tokens, not brackets.

MLIR's lexer leaves it to the parser whether a `<` is a bracket. Here it is one if a matching `>`
occurs before the enclosing bracket closes, and a comparison otherwise.

Names may be slightly longer than MLIR allows (`@a-b` is one symbol), since the printer always puts
a space or a bracket after a name. All functions take time linear in the text.
"""

import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

# ---- building blocks of patterns -------------------------------------------------------------

INSIDE_STRING = r'[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+'
"""The text between the quotes of a string. Possessive, so it never backtracks on large strings."""
STRING = f'"{INSIDE_STRING}"'
COMMENT = r"//[^\n]*+"
NAME = r"[\w$.-]+"
"""A name without its sigil. Also matches every bare word."""
VALUE = f"%{NAME}"
BLOCK = rf"\^{NAME}"
SYMBOL = f"@(?:{STRING}|{NAME})"
ALIAS = r"[#!][A-Za-z_][\w$.-]*+"
"""The name of an attribute or type: an alias, or the prefix of a dialect attribute or type."""

# ---- tokens -----------------------------------------------------------------------------------


class TokenKind(StrEnum):
    """The kind of a token. Keywords, op names and builtin types are words."""

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
    """A token: its kind, its text, and its start offset."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


# A minus sign is part of a number unless an operand comes directly before it: the printer puts
# spaces around a binary minus.
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


def tokens(text: str, start: int = 0) -> Iterator[Token]:
    """The tokens of a text from an offset on, which together cover all of it.

    Unknown characters have kind `OTHER`.

    >>> [token.text for token in tokens('%0#1 = "a.b"()') if token.kind is not TokenKind.BLANK]
    ['%0#1', '=', '"a.b"', '(', ')']
    """
    for match in _TOKEN.finditer(text, start):
        yield Token(_KINDS[match.lastgroup or "other"], match[0], match.start())


# ---- outside strings and comments --------------------------------------------------------------


class Outside:
    """Matches a pattern outside strings and comments only.

    Args:
        pattern: a regular expression; groups in it must be named.
    """

    def __init__(self, pattern: str) -> None:
        # Only the pattern has a group, so a match without any group is a string or a comment.
        self._pattern = re.compile(f"{STRING}|{COMMENT}|({pattern})")

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return (match for match in self._pattern.finditer(text) if match.lastindex is not None)

    def sub(self, new: Callable[[re.Match[str]], str], text: str) -> str:
        """The text with each match replaced by `new(match)`."""

        def replaced(match: re.Match[str]) -> str:
            return match[0] if match.lastindex is None else new(match)

        return self._pattern.sub(replaced, text)

    def with_brackets(self, text: str) -> Iterator[tuple[re.Match[str], "Brackets"]]:
        """The matches, which end in an opening bracket, with those that are closed on the line."""
        for head in self.finditer(text):
            line_end = text.find("\n", head.end())
            found = brackets_at(text, head.end() - 1, line_end if line_end >= 0 else None)
            if found is not None:
                yield head, found


_SYMBOL = re.compile(f'@(?:"({INSIDE_STRING})"|({NAME}))')


def symbols(text: str) -> list[str]:
    """The name of every `@symbol` in a text, including strings, which may hold symbol references.

    >>> symbols('callee = @f, other = @"a b"::@g')
    ['f', 'a b', 'g']
    """
    return [quoted or bare for quoted, bare in _SYMBOL.findall(text)] if "@" in text else []


def scoped_symbols(text: str) -> list[tuple[str, str]]:
    """The same, each with the symbol in which it is looked up: '' for the first of a reference.

    >>> scoped_symbols('callee = @f, other = @"a b"::@g')
    [('', 'f'), ('', 'a b'), ('a b', 'g')]
    """
    out: list[tuple[str, str]] = []
    last = -1
    for match in _SYMBOL.finditer(text):
        is_nested = out and text[last : match.start()] == "::"
        out.append((out[-1][1] if is_nested else "", match[1] or match[2]))
        last = match.end()
    return out


def symbol(text: str) -> str | None:
    """The name of the `@symbol` that is the entire text; None for any other text."""
    match = _SYMBOL.fullmatch(text)
    return (match[1] or match[2]) if match else None


_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")


def unescaped(inside: str) -> str:
    r"""The value of a string literal, given the text between its quotes.

    >>> unescaped(r"a\22b\\c")
    'a"b\\c'
    """

    def plain(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code, 16)) if len(code) == 2 else code

    return _ESCAPE.sub(plain, inside)


# ---- brackets -----------------------------------------------------------------------------------

_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
# Text in which nothing encloses a comma, such as a list of builtin types.
_PLAIN = re.compile(r'(?:[^()\[\]{}<>"/]++|<[^()\[\]{}<>"/,]*+>)*+')
_STRUCTURE = re.compile(rf"{STRING}|{COMMENT}|->|[<>]=|([()\[\]{{}}<>,])")


class Brackets(NamedTuple):
    """A matching pair of brackets, and the commas directly inside it."""

    start: int
    end: int
    """The offset of the closing bracket."""
    commas: list[int]
    outer: int
    """The offset of the enclosing opening bracket; -1 if there is none in the searched range."""

    @property
    def items(self) -> list[tuple[int, int]]:
        """The spans between the commas, of which there is one even in empty brackets."""
        starts = (self.start + 1, *(comma + 1 for comma in self.commas))
        return list(zip(starts, (*self.commas, self.end), strict=True))


def brackets(text: str, start: int = 0, end: int | None = None) -> Iterator[Brackets]:
    """The pairs of brackets in a range of a text, inner pairs before the enclosing ones.

    >>> [(pair.start, pair.end, pair.commas) for pair in brackets("<[1, 2], 3>")]
    [(1, 6, [3]), (0, 10, [7])]
    """
    return (pair for pair in _walk(text, start, end) if pair.start >= 0)


def brackets_at(text: str, start: int, end: int | None = None) -> Brackets | None:
    """The pair that opens at `start`; None if it is not closed before `end`."""
    return next((pair for pair in brackets(text, start, end) if pair.start == start), None)


def split_commas(text: str) -> list[str]:
    """The stripped parts between top-level commas; an empty list for blank text.

    >>> split_commas("affine_map<(d0, d1) -> (d0)>, #map")
    ['affine_map<(d0, d1) -> (d0)>', '#map']
    """
    if _PLAIN.fullmatch(text):
        parts = text.split(",")
    else:
        *_, whole = _walk(text, 0, None)
        parts = [text[start:end] for start, end in whole.items]
    return [part.strip() for part in parts] if len(parts) > 1 or parts[0].strip() else []


def _walk(text: str, start: int, end: int | None) -> Iterator[Brackets]:
    """All pairs, then the entire range as one. Stops at a closing bracket without a counterpart."""
    stop = len(text) if end is None else end
    opened: list[tuple[str, int, list[int]]] = [("", -1, [])]  # closed by, place, commas
    for match in _STRUCTURE.finditer(text, start, stop):
        char, at = match[1], match.start()
        if char is None:  # a string, comment, arrow or comparison
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
    """Treat unclosed `<`s as comparisons, back to the bracket that `closing` matches.

    Returns False, with nothing changed, if there is no such bracket.
    """
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
    """The unambiguous brackets of a text in order: all but `<` and `>`."""
    return filter(None, _FIRM.findall(text))
