"""What is tied in ops with indexing maps, such as `linalg.generic`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reducer.ir import NONE, Module
from reducer.ir.affine import resolve_alias
from reducer.ir.syntax import split_array
from reducer.transformations.base import Site
from reducer.transformations.ties import Position, Role, Tie, of_type

_DIM = re.compile(r"\bd\d+\b")
_MAPS = "indexing_maps"


def structured(module: Module) -> list[Tie]:
    """Operands with their indexing maps and block arguments, outputs also with their results.

    A used block argument is replaced by another one of its type. A used result is only dropped if
    the body yields the output's own argument: then the operand takes its place.
    """
    shapes = module.derived(_structured_ops).values()
    return [shape.tie(module, n) for shape in shapes for n in range(len(shape.maps))]


def can_go(module: Module, op: int, numbers: set[int]) -> bool:
    """Whether an output and all dimensions of the iteration space are left without operands."""
    shape = module.derived(_structured_ops)[op]
    dims = {number: _dims_of(module, text) for number, text in enumerate(shape.maps)}
    left = {number: used for number, used in dims.items() if number not in numbers}
    covered = set().union(*left.values()) == set().union(*dims.values())
    return covered and max(left, default=NONE) >= shape.inputs


@dataclass(frozen=True, slots=True)
class _StructuredOp:
    """A structured op: one indexing map per operand, outputs last, one output per result."""

    op: int
    maps: tuple[str, ...]
    block: int
    terminator: int
    inputs: int

    def tie(self, module: Module, number: int) -> Tie:
        t, output = module.t, number - self.inputs
        row = [Position(Role.OPERAND, self.op, number), Position(Role.ITEM, self.op, number, _MAPS)]
        stand_ins: dict[int, Sequence[int]] = {}
        values = module.block_args(self.block)
        if len(values) == len(self.maps):  # attention's body only gets the scores
            row.append(Position(Role.ARGUMENT, self.block, number))
            stand_ins[values[number]] = of_type(module, values[number], values)
        if output >= 0:
            row.append(Position(Role.OPERAND, self.terminator, output))
            if t.num_results[self.op]:
                row.append(Position(Role.RESULT, self.op, output))
                if t.operands[self.terminator][output] in stand_ins:
                    stand_ins[module.results(self.op)[output]] = [t.operands[self.op][number]]
        return Tie(Site(self.op, number), tuple(row), stand_ins, with_makers=True)


def _structured_ops(module: Module) -> dict[int, _StructuredOp]:
    return {shape.op: shape for op in module.t.regions for shape in _structured_op(module, op)}


def _structured_op(module: Module, op: int) -> Iterator[_StructuredOp]:
    if module.hidden[op] or f"{_MAPS} = " not in module.own_text(op):
        return
    entry = module.syntax(op).property(_MAPS)
    maps = split_array(entry.value) if entry else None
    blocks = list(module.blocks_of(op))
    if maps is None or len(maps) != len(module.t.operands[op]) or len(blocks) != 1:
        return
    ops = module.t.block_ops[blocks[0]]
    if not ops or module.hidden[ops[0]]:
        return
    outputs = len(module.t.operands[ops[-1]])
    if outputs and module.t.num_results[op] in (0, outputs):  # ops on memrefs have no results
        yield _StructuredOp(op, tuple(maps), blocks[0], ops[-1], len(maps) - outputs)


def _dims_of(module: Module, text: str) -> set[str]:
    """The dimensions that the results of an affine map (or an alias of one) use."""
    return set(_DIM.findall(resolve_alias(module, text.strip()).partition("->")[2]))
