"""Prepare a module for the interpreter: a handler for each op, attributes, lives of values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from reducer.ir import Module
from reducer.ir.affine import AffineMap
from reducer.ir.functions import label_of
from reducer.ir.lexer import split_commas, symbol, symbols
from reducer.miscompile.interpreter import attributes
from reducer.miscompile.interpreter.affine import parse_affine_map
from reducer.miscompile.interpreter.attributes import MlirType, parse_type
from reducer.miscompile.interpreter.constants import ParameterArchives
from reducer.miscompile.interpreter.dialects.names import INITIALIZER
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.registry import Handler, handler_of
from reducer.miscompile.values.elements import Element


@dataclass(eq=False, slots=False)
class Op:
    """One op. Attributes are read from the text when they are first asked for."""

    program: "EvaluatedProgram" = field(repr=False)
    number: int
    name: str
    handler: Handler | None
    operands: tuple[int, ...]
    results: range

    @cached_property
    def regions(self) -> list["Region"]:
        numbers = self.program.module.t.regions.get(self.number, [])
        return [self.program.region(number) for number in numbers]

    @cached_property
    def _entries(self) -> dict[str, str]:
        syntax = self.program.module.syntax(self.number)
        return {entry.name: entry.value for entry in reversed(syntax.entries)}

    @cached_property
    def operand_types(self) -> list[MlirType]:
        types = self.program.module.syntax(self.number).operand_types
        return [parse_type(self.program.resolved(text)) for text in types]

    @cached_property
    def result_types(self) -> list[MlirType]:
        types = self.program.module.syntax(self.number).result_types
        return [parse_type(self.program.resolved(text)) for text in types]

    @cached_property
    def result(self) -> Element:
        """The element type of the first result."""
        return self.result_types[0].number

    @cached_property
    def operand(self) -> Element:
        """The element type of the first operand."""
        return self.operand_types[0].number

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of the first result.

        Raises:
            Unsupported: it is dynamic.
        """
        dims = self.result_types[0].dims
        if dims is None or None in dims:
            raise Unsupported([f"{self.name} of {self.result_types[0].text}"])
        return tuple(size or 0 for size in dims)

    @cached_property
    def line(self) -> int:
        """The line of the module's text, from 1."""
        module = self.program.module
        return module.text.count("\n", 0, module.t.start[self.number]) + 1

    @property
    def place(self) -> str:
        """Which op this is, for people."""
        return f"{self.name}, line {self.line} of the generic form"

    # ---- attributes ------------------------------------------------------------------------

    @property
    def attribute_names(self) -> list[str]:
        return list(self._entries)

    def has(self, name: str) -> bool:
        return name in self._entries

    def text(self, name: str, default: str = "") -> str:
        value = self._entries.get(name)
        return default if value is None else self.program.resolved(value)

    def integer(self, name: str, default: int | None = None) -> int:
        text = self.text(name)
        if not text and default is not None:
            return default
        return attributes.integer(text)

    def integers(self, name: str) -> list[int]:
        text = self.text(name)
        return attributes.integers(text) if text else []

    def flags(self, name: str) -> frozenset[str]:
        return self.program.flags(self, name)

    def maps(self, name: str) -> list[AffineMap]:
        texts = split_commas(self.text(name).strip()[1:-1])
        return [parse_affine_map(self.program.resolved(text)) for text in texts]

    def symbol(self, name: str) -> str:
        text = self.text(name)
        return symbol(text) or (symbols(text) or [""])[-1]

    def symbol_path(self, name: str) -> list[str]:
        """The names in a nested reference, such as `[@executable::@function]`."""
        return symbols(self.text(name))

    @cached_property
    def segments(self) -> list[slice]:
        """The groups of operands of an op with several variadic ones."""
        out, start = [], 0
        for size in self.integers("operandSegmentSizes") or self.integers("operand_segment_sizes"):
            out.append(slice(start, start + size))
            start += size
        return out

    @cached_property
    def successors(self) -> tuple["Block", ...]:
        module = self.program.module
        region = self.program.region(module.t.block_region[module.t.block[self.number]])
        labels = {block.label: block for block in region.blocks}
        return tuple(labels[label] for label in module.t.successors.get(self.number, ()))


@dataclass(eq=False)
class Block:
    """A block; `ended` are the values that no later op of it uses, by position."""

    number: int
    label: str
    arguments: range
    ops: list[Op]
    ended: list[tuple[int, ...]]


@dataclass(eq=False)
class Region:
    """The body of an op."""

    op: int
    blocks: list[Block]

    @property
    def block(self) -> Block:
        """The first block."""
        return self.blocks[0]


_RESOURCE = r'\b{name}\b"?: "0x([0-9A-Fa-f]*)"'


class EvaluatedProgram:
    """A module in generic form, with its functions and globals by name."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.parameters = ParameterArchives()
        self._regions: dict[int, Region] = {}
        self._flags: dict[tuple[int, str], frozenset[str]] = {}
        self._aliases = {
            alias.name: module.text[alias.start : alias.end].partition(" = ")[2].strip()
            for alias in module.t.aliases
        }

    @staticmethod
    def load(text: str) -> "EvaluatedProgram":
        """Read a module in generic form.

        Raises:
            GenericSyntaxError: the text is not in this form.
        """
        return EvaluatedProgram(Module.parse(text))

    @cached_property
    def symbols(self) -> dict[str, Op]:
        """The functions, globals and so on of the outermost modules, by name."""
        symbols: dict[str, Op] = {}
        waiting = list(self.module.roots)
        while waiting:
            number = waiting.pop(0)
            name = self.module.symbol_name(number)
            if self.module.t.name[number] == "builtin.module":
                waiting.extend(self.module.children(number))
            elif name is not None:
                symbols[name] = self.op(number)
        return symbols

    def nested(self, op: Op, name: str, kind: str) -> Op:
        """The op of a kind with a symbol name inside another op.

        Raises:
            KeyError: there is none.
        """
        for number in self.module.subtree(op.number):
            if self.module.t.name[number] == kind and self.module.symbol_name(number) == name:
                return self.op(number)
        raise KeyError(name)

    @cached_property
    def initializers(self) -> list[Op]:
        """The ops that run when the module is loaded."""
        names = self.module.t.name
        return [self.op(op) for op in range(len(self.module)) if names[op] == INITIALIZER]

    def op(self, number: int) -> Op:
        t = self.module.t
        name = t.name[number]
        handler = handler_of(name)
        return Op(self, number, name, handler, t.operands[number], self.module.results(number))

    def region(self, number: int) -> Region:
        found = self._regions.get(number)
        if found is None:
            t = self.module.t
            blocks = [self._block(block) for block in t.region_blocks[number]]
            found = self._regions[number] = Region(t.region_op[number], blocks)
        return found

    def _block(self, number: int) -> Block:
        ops = [self.op(op) for op in self.module.t.block_ops[number]]
        return Block(
            number,
            label_of(self.module, number),
            self.module.block_args(number),
            ops,
            self._ends(ops),
        )

    def _ends(self, ops: list[Op]) -> list[tuple[int, ...]]:
        """For each op, the values made in this block that are used there for the last time."""
        made = {value for op in ops for value in op.results}
        last: dict[int, int] = {}
        for position, op in enumerate(ops):
            for value in self.module.captured(op.number):
                if value in made:
                    last[value] = position
        out: list[list[int]] = [[] for _ in ops]
        for value, position in last.items():
            out[position].append(value)
        return [tuple(values) for values in out]

    def resolved(self, text: str) -> str:
        """The text with an alias in place of it written out."""
        if text.startswith(("#", "!")) and text in self._aliases:
            return self._aliases[text]
        return text

    def flags(self, op: Op, name: str) -> frozenset[str]:
        key = (op.number, name)
        if key not in self._flags:
            self._flags[key] = attributes.words(op.text(name))
        return self._flags[key]

    def resource(self, name: str) -> bytes | None:
        """The bytes of a `dialect_resources` entry, without the leading alignment."""
        if self.module.t.resources is None:
            return None
        start, end = self.module.t.resources
        match = re.search(_RESOURCE.format(name=re.escape(name)), self.module.text[start:end])
        return bytes.fromhex(match[1])[4:] if match else None

    def parameter(self, scope: str, name: str) -> bytes:
        """The bytes of a parameter from an archive."""
        return self.parameters.get(scope, name)

    def reachable(self, function: str) -> Iterator[Op]:
        """The ops of a function, of those that it refers to, and of the initializers."""
        seen: set[int] = set()
        waiting = [self.symbols[function], *self.initializers]
        while waiting:
            root = waiting.pop()
            if root.number in seen:
                continue
            seen.add(root.number)
            for number in self.module.subtree(root.number):
                yield self.op(number)
            for name in self.module.symbol_refs(root.number):
                if name in self.symbols:
                    waiting.append(self.symbols[name])
