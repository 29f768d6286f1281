"""The syntax of a single op: types, properties and attributes with spans, parsed by tree-sitter.

The op table holds what graph algorithms need. This module parses the text of one op (header and
tail, without regions) when a transformation needs its types or attributes: 14 µs per op.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import tree_sitter_mlir
from tree_sitter import Language, Node, Parser

from reducer.ir.lexer import split_commas

if TYPE_CHECKING:
    from reducer.ir.module import Module

Span = tuple[int, int]
Edit = tuple[int, int, str]
"""The start and end of a span, and the text that takes its place."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A `name = value` entry of a dictionary; spans are offsets into the module's text."""

    name: str
    value: str
    span: Span
    value_span: Span


@dataclass(frozen=True, slots=True)
class OpSyntax:
    """The parts of an op that are not in the op table; empty or None if missing."""

    operand_types: tuple[str, ...]
    result_types: tuple[str, ...]
    properties: tuple[Entry, ...]
    attributes: tuple[Entry, ...]
    properties_span: Span | None  # including <{ }>
    attributes_span: Span | None  # including { }
    types_span: Span | None  # (A, B) -> C

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Properties, then attributes: in older releases, some properties were attributes."""
        return (*self.properties, *self.attributes)

    def entry(self, *names: str) -> Entry | None:
        """The property or attribute with one of these names."""
        return next((e for e in self.entries if e.name in names), None)

    def property(self, name: str) -> Entry | None:
        return next((e for e in self.properties if e.name == name), None)


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_mlir.language()))


def parse_op_syntax(module: "Module", op: int) -> OpSyntax:
    """Parse an op's header and tail."""
    return _moved(*_parts(module, op))


def parse_result_types(module: "Module", op: int) -> tuple[str, ...]:
    """The types of an op's results, which is all that most questions are about."""
    t = module.t
    if op in t.regions:
        return _parts(module, op)[0].result_types
    # Behind the operands, ops look alike that differ in the names of values.
    rest = module.text[t.operands_end[op] : t.header_end[op]].rstrip("\n")
    parse = _types_again if len(rest) <= _MAX_REMEMBERED else _result_types
    return parse(rest)


def _result_types(rest: str) -> tuple[str, ...]:
    """The types of an op's results, given its text from the end of the operands on."""
    source = f'"x"({rest}'
    return _parse(source, len(source)).result_types


def _parts(module: "Module", op: int) -> tuple[OpSyntax, int, int, int]:
    """An op's syntax with spans in its own text, and the arguments of `_moved` for it."""
    header = module.header(op)
    tail = module.tail(op)
    lead = len(header) - len(header.lstrip())
    # Regions become one empty region: `… ({` + `}) …`.
    cut = header.rstrip("\n") if tail else header
    source = cut[lead:] + tail.lstrip()
    seam = len(cut) - lead
    tail_at = module.t.tail_start[op] + len(tail) - len(tail.lstrip())
    parse = _parse_again if len(source) <= _MAX_REMEMBERED else _parse
    return parse(source, seam), module.t.start[op] + lead, seam, tail_at


def _parse(source: str, seam: int) -> OpSyntax:
    """The syntax of an op's text without regions; spans are offsets in `source`."""
    offsets = _Offsets(source, 0, seam, seam)
    root = _parser().parse(offsets.data).root_node
    operation = _find(root, "generic_operation")
    if operation is None:
        return OpSyntax((), (), (), (), None, None, None)
    properties = _child(operation, "properties")
    attributes = _child(operation, "attribute")
    dictionary = _child(attributes, "dictionary_attribute") if attributes else None
    types = _last_child(operation, "function_type")
    operand_types, result_types = _function_types(types, offsets) if types else ((), ())
    return OpSyntax(
        operand_types,
        result_types,
        _entries(properties, offsets),
        _entries(dictionary, offsets),
        offsets.span(properties) if properties else None,
        offsets.span(dictionary) if dictionary else None,
        offsets.span(types) if types else None,
    )


_MAX_REMEMBERED = 2_000
"""The longest text, in characters, whose syntax is kept: constants are long and not repeated."""

_parse_again = lru_cache(maxsize=1 << 14)(_parse)
_types_again = lru_cache(maxsize=1 << 14)(_result_types)
"""Most ops of a candidate are those of the program that it was made from."""


def _moved(syntax: OpSyntax, start: int, seam: int, tail_at: int) -> OpSyntax:
    """The same syntax for an op whose text starts there, and goes on at `tail_at` after `seam`."""

    def place(at: int) -> int:
        return at + start if at <= seam else at - seam + tail_at

    def span(found: Span | None) -> Span | None:
        return None if found is None else (place(found[0]), place(found[1]))

    def entries(held: tuple[Entry, ...]) -> tuple[Entry, ...]:
        return tuple(
            Entry(
                entry.name,
                entry.value,
                (place(entry.span[0]), place(entry.span[1])),
                (place(entry.value_span[0]), place(entry.value_span[1])),
            )
            for entry in held
        )

    return OpSyntax(
        syntax.operand_types,
        syntax.result_types,
        entries(syntax.properties),
        entries(syntax.attributes),
        span(syntax.properties_span),
        span(syntax.attributes_span),
        span(syntax.types_span),
    )


_PLAIN_FUNCTION_TYPE = re.compile(r"\(([^()]*)\) -> (?:\(([^()]*)\)|([^()\s,]+))")
"""A function type in which no other parentheses are: most are, and this is much faster."""


@lru_cache(maxsize=1 << 10)
def split_function_type(text: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The types in `(A, B) -> (C, D)`; None if the text is not a function type."""
    if plain := _PLAIN_FUNCTION_TYPE.fullmatch(text):
        inputs, results, result = plain.groups()
        return tuple(split_commas(inputs)), (result,) if result else tuple(split_commas(results))
    source = f'"x"() : {text}'
    offsets = _Offsets(source, 0, len(source), 0)
    root = _parser().parse(offsets.data).root_node
    types = None if root.has_error else _find(root, "function_type")
    return _function_types(types, offsets) if types else None


def split_array(text: str) -> list[str] | None:
    """The elements of `[a, b]`; None if the text is not an array attribute."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    return split_commas(text[1:-1])


_FUNCTION_TYPE = re.compile(r'[=:] \(([^()"]*+)\) -> (?:\(([^()"]*+)\))?')
_FEW = 100  # characters that are parsed as fast as they are masked


def _masked(source: str) -> str:
    """The source of an op in which one type stands for many of function types, as long as they.

    The types of hundreds of arguments take the parser milliseconds, and are easily split.
    """
    if len(source) < _FEW:
        return source
    return _FUNCTION_TYPE.sub(_mask, source)


def _mask(match: re.Match[str]) -> str:
    out, start = match[0], match.start()
    for number in (1, 2):
        first, last = match.start(number) - start, match.end(number) - start
        if last - first >= _FEW:
            out = f"{out[:first]}!{'x' * (last - first - 1)}{out[last:]}"
    return out


_ANY_BYTES = "surrogateescape"


class _Offsets:
    """Maps tree-sitter's byte offsets in an op's text to character offsets in the module's text."""

    def __init__(self, source: str, start: int, seam: int, tail_at: int) -> None:
        self._source = source
        self._ascii = source.isascii()
        self.data = (_masked(source) if self._ascii else source).encode(errors=_ANY_BYTES)
        self._start, self._seam, self._tail_at = start, seam, tail_at

    def _chars(self, byte: int) -> int:
        return byte if self._ascii else len(self.data[:byte].decode(errors=_ANY_BYTES))

    def text(self, node: Node) -> str:
        return self._source[self._chars(node.start_byte) : self._chars(node.end_byte)].strip()

    def span(self, node: Node) -> Span:
        return self._place(self._chars(node.start_byte)), self._place(self._chars(node.end_byte))

    def _place(self, at: int) -> int:
        return at + self._start if at <= self._seam else at - self._seam + self._tail_at


def _find(node: Node, kind: str) -> Node | None:
    stack = [node]
    while stack:
        node = stack.pop()
        if node.type == kind:
            return node
        stack.extend(reversed(node.children))
    return None


def _child(node: Node, kind: str) -> Node | None:
    return next((c for c in node.children if c.type == kind), None)


def _last_child(node: Node, kind: str) -> Node | None:
    return next((c for c in reversed(node.children) if c.type == kind), None)


def _entries(dictionary: Node | None, offsets: _Offsets) -> tuple[Entry, ...]:
    if dictionary is None:
        return ()
    out: list[Entry] = []
    for node in dictionary.children:
        if node.type != "attribute_entry":
            continue
        name = offsets.text(node.children[0]).strip('"')
        value = _child(node, "attribute_value")
        start, end = offsets.span(value) if value else (offsets.span(node)[1],) * 2
        out.append(
            Entry(name, offsets.text(value) if value else "", offsets.span(node), (start, end))
        )
    return tuple(out)


def _function_types(node: Node, offsets: _Offsets) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The types on either side of the arrow of a `function_type` node."""
    sides: list[list[str]] = [[], []]
    side = 0
    for child in node.children:
        if child.type == "->":
            side = 1
        elif child.type not in "(),":
            text = offsets.text(child)
            sides[side].extend(split_commas(text) if "," in text else (text,))  # see `_masked`
    return tuple(sides[0]), tuple(sides[1])
