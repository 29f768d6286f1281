"""Drop inputs and outputs of ops with indexing maps, such as `linalg.generic`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reducer.ir import NONE, Module, Rewrite
from reducer.ir.affine import resolve_alias
from reducer.ir.syntax import split_array
from reducer.transformations.base import Site, numbers_by_op
from reducer.transformations.dead import newly_dead_ops

_DIM = re.compile(r"\bd\d+\b")


class DropStructuredOperands:
    """Drops an operand with its indexing map, block argument and, for an output, its result.

    A used block argument is replaced by another one of its type. Outputs are only dropped if their
    result is unused, or if the body yields the output's own argument: then the operand takes the
    place of the result. Operands stay if they alone define some dimension of the iteration space.
    """

    name = "drop structured operands"
    all_at_once = True

    def sites(self, module: Module) -> list[Site]:
        return [
            Site(op, number)
            for op in module.t.regions
            if (shape := _structured_op(module, op)) is not None
            for number in shape.droppable(module)
        ]

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        rewrite = Rewrite(module)
        for op, numbers in numbers_by_op(sites).items():
            shape = _structured_op(module, op)
            if shape is not None:
                shape.drop(rewrite, sorted(numbers))
        return rewrite.render()


@dataclass(frozen=True, slots=True)
class _StructuredOp:
    """A structured op: one indexing map per operand, outputs last, one output per result."""

    op: int
    maps: tuple[str, ...]
    block: int
    terminator: int
    outputs: int

    def droppable(self, module: Module) -> Iterator[int]:
        """Numbers of the operands that can be dropped on their own."""
        return (n for n in range(len(self.maps)) if self._can_go(module, {n}))

    def drop(self, rewrite: Rewrite, numbers: Sequence[int]) -> None:
        """Drop as many of these operands as can be dropped together."""
        module, gone = rewrite.module, set[int]()
        for number in numbers:
            if self._can_go(module, gone | {number}):
                gone.add(number)
        outputs = {number - self._inputs for number in gone if number >= self._inputs}
        replacements = self._replacements(module, gone) or {}
        for number in gone:
            rewrite.drop_operand(self.op, number)
            if self._has_arguments(module):
                rewrite.drop_block_argument(self.block, number)
        for value, other in replacements.items():
            rewrite.substitute(value, module.tokens[other])
        kept = [text for number, text in enumerate(self.maps) if number not in gone]
        rewrite.set_entry(self.op, "indexing_maps", f"[{', '.join(kept)}]")
        for number in outputs:
            if module.t.num_results[self.op]:
                result = module.results(self.op)[number]
                if module.uses[result]:
                    unchanged = module.t.operands[self.op][self._inputs + number]
                    rewrite.substitute(result, module.tokens[unchanged])
                rewrite.drop_result(self.op, number)
            rewrite.drop_operand(self.terminator, number)
        lost = {(self.terminator, number) for number in outputs}
        for dead in newly_dead_ops(module, lost, self.op):
            rewrite.remove(dead)

    def _can_go(self, module: Module, gone: set[int]) -> bool:
        outputs = [number - self._inputs for number in gone if number >= self._inputs]
        results = module.results(self.op)
        if len(outputs) == self.outputs or any(
            results and module.uses[results[n]] and not self._passes_on(module, n) for n in outputs
        ):
            return False
        return self._covers(module, gone) and self._replacements(module, gone) is not None

    def _passes_on(self, module: Module, output: int) -> bool:
        """Whether the body yields an output's own argument, so that the output stays as it was.

        Not if the output comes from an op with several results, which this edit may rename.
        """
        maker = module.t.def_op[module.t.operands[self.op][self._inputs + output]]
        if not self._has_arguments(module) or (maker != NONE and module.t.num_results[maker] > 1):
            return False
        own = module.block_args(self.block)[self._inputs + output]
        return module.t.operands[self.terminator][output] == own

    @property
    def _inputs(self) -> int:
        return len(self.maps) - self.outputs

    def _has_arguments(self, module: Module) -> bool:
        """Whether each operand has a block argument (attention's body only gets the scores)."""
        return module.t.block_num_args[self.block] == len(self.maps)

    def _replacements(self, module: Module, gone: set[int]) -> dict[int, int] | None:
        """Maps each used argument to drop to a remaining one; None if one has no replacement."""
        out: dict[int, int] = {}
        if not self._has_arguments(module):
            return out
        values = module.block_args(self.block)
        yields = {(self.terminator, number - self._inputs) for number in gone}
        for number in gone:
            value = values[number]
            if yields.issuperset(module.uses[value]):
                continue
            kind = module.type_of(value)
            others = (
                v for n, v in enumerate(values) if n not in gone and module.type_of(v) == kind
            )
            other = next(others, None)
            if other is None:
                return None
            out[value] = other
        return out

    def _covers(self, module: Module, gone: set[int]) -> bool:
        """Whether the remaining maps use all dimensions that the maps used together before."""
        dims = [_dims_of(module, text) for text in self.maps]
        left = set().union(*(d for number, d in enumerate(dims) if number not in gone))
        return left == set().union(*dims)


def _structured_op(module: Module, op: int) -> _StructuredOp | None:
    if module.hidden[op] or "indexing_maps = " not in module.own_text(op):
        return None
    entry = module.syntax(op).property("indexing_maps")
    maps = split_array(entry.value) if entry else None
    blocks = list(module.blocks_of(op))
    if maps is None or len(maps) != len(module.t.operands[op]) or len(blocks) != 1:
        return None
    ops = module.t.block_ops[blocks[0]]
    if not ops or module.hidden[ops[0]]:
        return None
    outputs = len(module.t.operands[ops[-1]])
    if not outputs or module.t.num_results[op] not in (0, outputs):
        return None  # ops on memrefs have no results
    return _StructuredOp(op, tuple(maps), blocks[0], ops[-1], outputs)


def _dims_of(module: Module, text: str) -> set[str]:
    """The dimensions that the results of an affine map (or an alias of one) use."""
    return set(_DIM.findall(resolve_alias(module, text.strip()).partition("->")[2]))
