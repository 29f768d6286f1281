"""Syntax highlighting of MLIR, on the tokens of `reducer.ir.lexer`.

Pygments has no lexer for MLIR, and the grammar of an op is its own in any case. So only what all
ops share is told apart: the name of the op where one begins, values, types with their shapes,
symbols, attributes, numbers, strings and comments.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reducer.ir.lexer import Token, TokenKind, tokens

_CLASSES = {
    TokenKind.COMMENT: "comment",
    TokenKind.STRING: "string",
    TokenKind.VALUE: "value",
    TokenKind.SYMBOL: "symbol",
    TokenKind.TYPE: "type",
    TokenKind.ATTRIBUTE: "attribute",
    TokenKind.BLOCK: "block",
}
_OP = re.compile(r"[a-z_]\w*(?:\.[A-Za-z_][\w$]*)+")
_OP_IN_QUOTES = re.compile(r'"[a-z_]\w*(?:\.[\w$]+)+"')
_TYPE = re.compile(r"index|none|[su]?i\d+|b?f\d+\w*|tf32")
_TYPES_WITH_SHAPE = frozenset({"tensor", "memref", "vector"})
_TYPES_OF_OTHERS = _TYPES_WITH_SHAPE | {"complex", "tuple"}
_ATTRIBUTE = re.compile("true|false|unit")
_ATTRIBUTES_OF_OTHERS = frozenset(
    {"affine_map", "affine_set", "array", "dense", "dense_resource", "sparse", "strided"}
)
_NO_OP = frozenset({"attributes", "else", "ins", "outs"})
"""Words that may begin a line of an op that is printed on several."""
_SIZES = re.compile(r"(?:(?:\d+|\?|\*|\[\d+\])x)+(?=[A-Za-z!?])")
_IN_WORDS = re.compile(r"[\w.]")


def lines(text: str) -> Iterator[list[tuple[str, str]]]:
    """The pieces of each line."""
    return (list(pieces(line)) for line in text.rstrip("\n").split("\n"))


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Split a text into pieces with their classes, '' for unhighlighted text.

    >>> list(pieces('%0 = "a.b"() : tensor<?x4xf32>'))[4:]
    [('type', 'tensor'), ('', '<'), ('number', '?x4x'), ('type', 'f32'), ('', '>')]
    """
    plain = ""
    for name, piece in _classified(text):
        if not name:
            plain += piece
            continue
        if plain:
            yield "", plain
            plain = ""
        yield name, piece
    if plain:
        yield "", plain


def _classified(text: str) -> Iterator[tuple[str, str]]:
    """Every token with its class; the sizes of a shape are one piece."""
    start, place = 0, _Surroundings()
    while start < len(text):
        for token in tokens(text, start):
            sizes = _SIZES.match(text, token.start) if place.in_shape else None
            if sizes:
                yield "number", sizes[0]
                start = sizes.end()
                place.in_shape = False
                break  # `4xf32` would be a number and a word
            yield _class_of(token, text, place), token.text
            place.pass_over(token)
        else:
            return


@dataclass
class _Surroundings:
    """What is known from the tokens before: whether an op or the sizes of a shape may begin."""

    op_begins: bool = True
    in_results: bool = False  # in `%0, %1:2 = `
    in_shape: bool = False
    after_type: bool = False

    def pass_over(self, token: Token) -> None:
        if token.kind is TokenKind.BLANK:
            self.op_begins = self.op_begins or "\n" in token.text
            return
        self.in_shape = self.after_type and token.text == "<"
        self.after_type = token.kind is TokenKind.TYPE or token.text in _TYPES_WITH_SHAPE
        if token.kind is TokenKind.VALUE and (self.op_begins or self.in_results):
            self.in_results, self.op_begins = True, False
        elif self.in_results:
            self.op_begins = token.text == "="
            self.in_results = token.text in ",:" or token.kind is TokenKind.NUMBER
        else:
            self.op_begins = token.text in "{}" and self.op_begins


def _class_of(token: Token, text: str, place: _Surroundings) -> str:
    following = text[token.end : token.end + 2]
    if token.kind is TokenKind.WORD:
        return _class_of_word(token.text, following, place)
    if token.kind is TokenKind.NUMBER:  # not the 4 of `d4`
        before = text[max(token.start - 1, 0) : token.start]
        return "" if _IN_WORDS.match(before) or _IN_WORDS.match(following) else "number"
    if token.text == "?":
        return "number"
    if following[:1] == "(" and _OP_IN_QUOTES.fullmatch(token.text):
        return "op"
    return _CLASSES.get(token.kind, "")


def _class_of_word(word: str, following: str, place: _Surroundings) -> str:
    is_key = following.strip()[:1] == "="
    if _OP.fullmatch(word):
        return "" if is_key else "op"
    if _TYPE.fullmatch(word) or (following[:1] == "<" and word in _TYPES_OF_OTHERS):
        return "type"
    if _ATTRIBUTE.fullmatch(word) or (following[:1] == "<" and word in _ATTRIBUTES_OF_OTHERS):
        return "attribute"
    # In an op with a default dialect, such as a function, ops of that dialect have no prefix.
    begins = place.op_begins and word not in _NO_OP and word.isidentifier()
    return "op" if begins and not is_key and following[:1] not in ("(", "<", ":") else ""
