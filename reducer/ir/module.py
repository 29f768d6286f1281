"""The op table: one MLIR module in generic form as flat arrays with spans into immutable text.

Ops, values, blocks and regions are plain integers (indices into the arrays below), in text
order. Tables are immutable after parsing: an edit renders new text (see `rewrite`), which is
parsed into a new table. A `span` is a pair of character offsets into `Module.text`.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from reducer.ir.dialects import MODULE_OPS, has_hidden_body
from reducer.ir.lexer import INSIDE_STRING, scoped_symbols, symbols
from reducer.ir.lines import op_count_of
from reducer.ir.shapes import type_cost
from reducer.ir.syntax import OpSyntax, parse_op_syntax, parse_result_types
from reducer.ir.values import Tokens, Uses, label_arguments

NONE = -1

T = TypeVar("T")

_SYM_NAME = re.compile(rf'\bsym_name = "({INSIDE_STRING})"')


@dataclass(frozen=True, slots=True)
class Alias:
    """A `#name = …` or `!name = …` definition line, before or behind the ops."""

    name: str
    start: int
    end: int


Numbers = MutableSequence[int]
"""A column of a table."""


def _numbers() -> Numbers:
    """An empty column. A list would take nine times as much memory for each number."""
    return array("i")


@dataclass(slots=True)
class Tables:
    """The arrays that the parser fills, indexed by op, value, block or region number.

    `characters` is the length of the text, since offsets in a short one need less space.
    """

    characters: InitVar[int]
    # Ops
    name: list[str] = field(default_factory=list)
    start: Numbers = field(init=False)  # start of the op's first line
    end: Numbers = field(init=False)  # just past its last newline
    header_end: Numbers = field(init=False)  # just past the first line('s newline)
    tail_start: Numbers = field(init=False)  # start of the `}) …` line, or NONE
    operands_start: Numbers = field(init=False)  # inside the parentheses
    operands_end: Numbers = field(init=False)
    parent: Numbers = field(default_factory=_numbers)  # enclosing op, or NONE
    block: Numbers = field(default_factory=_numbers)  # enclosing block, or NONE
    first_result: Numbers = field(default_factory=_numbers)
    num_results: Numbers = field(default_factory=_numbers)
    operands: list[tuple[int, ...]] = field(default_factory=list)  # values; NONE = undeclared
    successors: dict[int, tuple[str, ...]] = field(default_factory=dict)
    regions: dict[int, list[int]] = field(default_factory=dict)  # op -> regions
    # Values
    def_op: Numbers = field(default_factory=_numbers)  # NONE for block arguments
    def_block: Numbers = field(default_factory=_numbers)  # NONE for op results
    # Regions and blocks
    region_op: Numbers = field(default_factory=_numbers)
    region_blocks: list[list[int]] = field(default_factory=list)
    block_region: Numbers = field(default_factory=_numbers)
    block_ops: list[list[int]] = field(default_factory=list)
    block_start: Numbers = field(init=False)  # label line, or where ops begin
    block_label_end: Numbers = field(init=False)  # past the label line, or NONE
    block_first_arg: Numbers = field(default_factory=_numbers)
    block_num_args: Numbers = field(default_factory=_numbers)
    # Outside the ops
    aliases: list[Alias] = field(default_factory=list)
    resources: tuple[int, int] | None = None  # the {-# … #-} section

    def __post_init__(self, characters: int) -> None:
        code = "i" if characters < 1 << 31 else "q"
        self.start, self.end = array(code), array(code)
        self.header_end, self.tail_start = array(code), array(code)
        self.operands_start, self.operands_end = array(code), array(code)
        self.block_start, self.block_label_end = array(code), array(code)


class Module:
    """A module; its text is in `text`, its tables are in `t`. Create it with `Module.parse`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._syntax: dict[int, OpSyntax] = {}
        self._result_types: dict[int, tuple[str, ...]] = {}
        self._block_arguments: dict[int, list[tuple[str, str]]] = {}
        self._symbol_names: dict[int, str | None] = {}
        self._derived: dict[Callable[[Module], Any], Any] = {}

    @staticmethod
    def parse(text: str) -> "Module":
        """Parse generic-form text as printed by MLIR (one op per line).

        Raises:
            GenericSyntaxError: the text is not in this form.
        """
        module = Module(text)
        module.read()
        return module

    def edited(self, text: str) -> "Module":
        """The module that an edit of this one's text makes.

        Most are only run, for which the number of ops is enough. If that is known without parsing,
        the text is parsed when the module is first looked into, or by `read`.

        Raises:
            GenericSyntaxError: the text is not in this form, as far as that is known by now.
        """
        after = Module(text)
        ops = op_count_of(text) if self.is_counted_rightly else None
        if ops is None:
            after.read()
        else:
            after.op_count = ops
        return after

    def read(self) -> None:
        """Parse the text, unless that has been done.

        Raises:
            GenericSyntaxError: the text is not in this form.
        """
        len(self.t.name)

    @cached_property
    def t(self) -> Tables:
        """The tables of ops, values, blocks and regions."""
        from reducer.ir.parser import parse_generic  # avoids an import cycle

        return parse_generic(self.text)

    @cached_property
    def tokens(self) -> Tokens:
        """How a use of each value is written."""
        return Tokens(self.text, self.t)

    # ---- sizes -----------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.t.name)

    @cached_property
    def op_count(self) -> int:
        """The number of ops visible in the pretty form.

        Excludes the outermost module and the implicit bodies of named structured ops.
        """
        hidden = self.hidden
        return sum(
            1
            for op, name in enumerate(self.t.name)
            if not hidden[op] and not (name in MODULE_OPS and self.t.parent[op] == NONE)
        )

    @cached_property
    def is_counted_rightly(self) -> bool:
        """Whether `op_count_of` counts this module's ops, and so those of edited ones."""
        return op_count_of(self.text) == self.op_count

    @cached_property
    def type_cost(self) -> tuple[int, int]:
        """The complexity of the types; see `shapes.type_cost`."""
        return type_cost(self.text)

    @cached_property
    def hidden(self) -> Sequence[int]:
        """For each op, whether it is in a body that the pretty form omits."""
        out = bytearray(len(self))
        names, parents = self.t.name, self.t.parent
        for op in range(len(self)):
            parent = parents[op]
            if parent != NONE and (out[parent] or has_hidden_body(names[parent])):
                out[op] = True
        return out

    # ---- structure -------------------------------------------------------------------------

    def results(self, op: int) -> range:
        first = self.t.first_result[op]
        return range(first, first + self.t.num_results[op])

    def block_args(self, block: int) -> range:
        first = self.t.block_first_arg[block]
        return range(first, first + self.t.block_num_args[block])

    def blocks_of(self, op: int) -> Iterator[int]:
        for region in self.t.regions.get(op, ()):
            yield from self.t.region_blocks[region]

    def children(self, op: int) -> Iterator[int]:
        """The ops directly inside an op's regions, in text order."""
        for block in self.blocks_of(op):
            yield from self.t.block_ops[block]

    def subtree(self, op: int) -> range:
        """The op and all ops nested in it: a range, since ops are numbered in text order."""
        last = op + 1
        end = self.t.end[op]
        starts, total = self.t.start, len(self)
        if op not in self.t.regions:
            return range(op, last)
        while last < total and starts[last] < end:
            last += 1
        return range(op, last)

    def is_inside(self, op: int, ancestor: int) -> bool:
        """Whether an op is in a region of another one, or is that op."""
        return self.t.start[ancestor] <= self.t.start[op] < self.t.end[ancestor]

    def outermost(self, ops: Iterable[int]) -> list[int]:
        """The ops in text order, each once, without those inside another one of them."""
        out: list[int] = []
        for op in sorted(ops):
            if not (out and self.is_inside(op, out[-1])):
                out.append(op)
        return out

    @property
    def roots(self) -> list[int]:
        return [op for op in range(len(self)) if self.t.parent[op] == NONE]

    @cached_property
    def uses(self) -> Uses:
        """For each value, its uses as (op, operand number), in text order."""
        return Uses(self.t)

    def def_parent(self, value: int) -> int:
        """The op whose region defines a value: the parent of its producer or of its block."""
        op = self.t.def_op[value]
        if op != NONE:
            return self.t.parent[op]
        return self.t.region_op[self.t.block_region[self.t.def_block[value]]]

    def captured(self, op: int) -> list[int]:
        """Distinct values defined outside an op and used by it or in its regions, in order."""
        operands = self.t.operands
        if op not in self.t.regions:
            return [v for v in dict.fromkeys(operands[op]) if v != NONE]
        seen: dict[int, None] = {}
        for inner in self.subtree(op):
            for value in operands[inner]:
                if value != NONE and value not in seen and not self._made_inside(value, op):
                    seen[value] = None
        return list(seen)

    def _made_inside(self, value: int, op: int) -> bool:
        maker = self.t.def_op[value]
        if maker == NONE:
            maker = self.def_parent(value)
            return self.is_inside(maker, op)
        return maker != op and self.is_inside(maker, op)

    # ---- text of one op --------------------------------------------------------------------

    def header(self, op: int) -> str:
        return self.text[self.t.start[op] : self.t.header_end[op]]

    def tail(self, op: int) -> str:
        start = self.t.tail_start[op]
        return "" if start == NONE else self.text[start : self.t.end[op]]

    def own_text(self, op: int) -> str:
        """Header and tail: the text of the op without its regions."""
        return self.header(op) + self.tail(op)

    def syntax(self, op: int) -> OpSyntax:
        """Types, properties and attributes of an op, parsed by tree-sitter on first use."""
        found = self._syntax.get(op)
        if found is None:
            found = parse_op_syntax(self, op)
            self._syntax[op] = found
        return found

    def type_of(self, value: int) -> str:
        op = self.t.def_op[value]
        if op == NONE:
            block = self.t.def_block[value]
            return self.block_arguments(block)[value - self.t.block_first_arg[block]][1]
        types = self.result_types(op)
        index = value - self.t.first_result[op]
        return types[index] if index < len(types) else ""

    def result_types(self, op: int) -> tuple[str, ...]:
        """The types of an op's results; fewer if they cannot be read."""
        types = self._result_types.get(op)
        if types is None:
            types = self._result_types[op] = parse_result_types(self, op)
        return types

    def block_arguments(self, block: int) -> list[tuple[str, str]]:
        """The tokens and types of a block's arguments."""
        found = self._block_arguments.get(block)
        if found is None:
            start, end = self.t.block_start[block], self.t.block_label_end[block]
            found = [] if end == NONE else label_arguments(self.text[start:end])
            self._block_arguments[block] = found
        return found

    def block_arg_types(self, block: int) -> tuple[str, ...]:
        return tuple(kind for _, kind in self.block_arguments(block))

    # ---- symbols ---------------------------------------------------------------------------

    def symbol_name(self, op: int) -> str | None:
        """The symbol an op defines (its `sym_name`), or None."""
        if op not in self._symbol_names:
            match = _SYM_NAME.search(self.own_text(op))
            self._symbol_names[op] = match.group(1) if match else None
        return self._symbol_names[op]

    def symbol_refs(self, op: int) -> set[str]:
        """All `@symbol` names in an op and its regions, with all parts of nested references."""
        return set(symbols(self.text[self.t.start[op] : self.t.end[op]]))

    def scoped_symbol_refs(self, op: int) -> set[tuple[str, str]]:
        """The same, each with the symbol in which it is looked up, or ''."""
        return set(scoped_symbols(self.text[self.t.start[op] : self.t.end[op]]))

    def own_symbol_refs(self, op: int) -> set[str]:
        """All `@symbol` names in an op, without its regions."""
        return set(symbols(self.own_text(op)))

    # ---- derived data ---------------------------------------------------------------------

    def derived(self, make: Callable[["Module"], T]) -> T:
        """`make(self)`, computed once and cached.

        The cache is in the module rather than in a global table: derived data usually refers back
        to its module, so even a table with weak keys would keep both alive forever.
        """
        if make not in self._derived:
            self._derived[make] = make(self)
        found: T = self._derived[make]
        return found
