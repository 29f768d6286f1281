"""Element types as variables: which values must share one, and the module with other choices."""

import re
import struct
from collections.abc import Mapping
from functools import cached_property

from reducer.ir.flow import passed_by_calls, shared_by_regions
from reducer.ir.functions import is_function
from reducer.ir.module import NONE, Module
from reducer.ir.retype import ops_mentioning
from reducer.ir.rewrite import Rewrite
from reducer.ir.shapes import parse_shaped
from reducer.ir.sizes.declared import Declaration, declarations, set_declared_type
from reducer.ir.union_find import UnionFind

_NUMBER = re.compile(r"complex<.*>|bf16|tf32|f\d+\w*|[su]?i\d+")
_HEX = re.compile(r"\b0x([0-9A-F]+)\b")


class ElementTypes:
    """Equivalence classes of values that can only change their element type together.

    Two values with the same element type are in one class if they are operands or results of the
    same op. Casts therefore separate classes; all other ops merge them.
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self._elements = [element_of(module.type_of(v)) for v in range(len(module.tokens))]
        self._declarations = declarations(module)
        self._equal: UnionFind[int] = UnionFind()
        self._collect()

    def _collect(self) -> None:
        module = self.module
        for op in range(len(module)):
            if is_function(module, op):
                if len(list(module.blocks_of(op))) > 1:
                    self._tie(shared_by_regions(module, op))
            elif op in module.t.regions:
                self._tie(shared_by_regions(module, op))
            else:
                operands = (v for v in module.t.operands[op] if v != NONE)
                self._tie([*operands, *module.results(op)])
        for pair in passed_by_calls(module):
            self._tie(list(pair))
        for declaration in self._declarations:
            self._tie(list(declaration.values))

    def _tie(self, values: list[int]) -> None:
        first: dict[str, int] = {}
        for value in values:
            element = self._elements[value]
            if element is not None:
                self._equal.union(first.setdefault(element, value), value)

    @cached_property
    def classes(self) -> list[tuple[str, tuple[int, ...]]]:
        """The element type and the values of each class, in text order."""
        out: dict[int, list[int]] = {}
        for value, element in enumerate(self._elements):
            if element is not None:
                out.setdefault(self._equal[value], []).append(value)
        return [(self._elements[values[0]] or "", tuple(values)) for values in out.values()]

    def text(self, elements: Mapping[int, str]) -> str:
        """The module with new element types for some classes, given by class number.

        Casts whose operand and result types become equal are removed.
        """
        rewrite = Rewrite(self.module)
        types: dict[int, str] = {}
        for number, element in elements.items():
            was, values = self.classes[number]
            if element != was:
                types.update((value, self._with_element(value, element)) for value in values)
        for value, kind in types.items():
            rewrite.set_type(value, kind)
        for op in sorted(ops_mentioning(self.module, types)):
            if self._is_no_cast_any_more(op, types):
                (operand,), (result,) = self.module.t.operands[op], self.module.results(op)
                rewrite.substitute(result, rewrite.token(operand))
                rewrite.remove(op)
            else:
                self._constants(op, types, rewrite)
        for declaration in self._declarations:
            self._declaration(declaration, types, rewrite)
        return rewrite.render()

    def _with_element(self, value: int, element: str) -> str:
        kind = self.module.type_of(value)
        shape = parse_shaped(kind)
        return shape.with_element(element).text if shape else element

    def _is_no_cast_any_more(self, op: int, types: Mapping[int, str]) -> bool:
        operands, results = self.module.t.operands[op], self.module.results(op)
        if len(operands) != 1 or len(results) != 1 or operands[0] == NONE:
            return False
        before = self.module.type_of(operands[0]), self.module.type_of(results[0])
        after = types.get(operands[0], before[0]), types.get(results[0], before[1])
        return before[0] != before[1] and after[0] == after[1]

    def _constants(self, op: int, types: Mapping[int, str], rewrite: Rewrite) -> None:
        """Update attributes that repeat a type, such as those of constants: `0.0 : f16`."""
        syntax = self.module.syntax(op)
        kinds = {self.module.type_of(v): types[v] for v in self.module.results(op) if v in types}
        for entry in syntax.entries:
            head, colon, kind = entry.value.rpartition(" : ")
            if colon and kind in kinds:
                after = convert_hex(head, element_of(kind) or "", element_of(kinds[kind]) or "")
                rewrite.set_entry(op, entry.name, f"{after} : {kinds[kind]}")

    def _declaration(
        self, declaration: Declaration, types: Mapping[int, str], rewrite: Rewrite
    ) -> None:
        """Update the type of a global and of its initial value."""
        before, after = declaration.kind, types.get(declaration.values[0])
        if after is not None:
            elements = element_of(before) or "", element_of(after) or ""
            set_declared_type(rewrite, declaration, after, lambda t: convert_hex(t, *elements))


def element_of(kind: str) -> str | None:
    """The element type of a shaped type, or the type itself if it is numeric; None otherwise."""
    shape = parse_shaped(kind)
    element = shape.element if shape else kind
    return element if _NUMBER.fullmatch(element) else None


def convert_hex(text: str, before: str, after: str) -> str:
    """The text with float bit patterns (infinities, NaN) converted to another format, if known."""
    decode, encode = _DECODERS.get(before), _ENCODERS.get(after)
    if decode is None or encode is None:
        return text
    return _HEX.sub(lambda match: f"0x{encode(decode(int(match.group(1), 16)))}", text)


_DECODERS = {
    "f16": lambda bits: struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0],
    "bf16": lambda bits: struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF) << 16))[0],
    "f32": lambda bits: struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0],
    "f64": lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0],
}
_ENCODERS = {
    "f32": lambda number: f"{struct.unpack('<I', struct.pack('<f', number))[0]:08X}",
    "f64": lambda number: f"{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}",
}
