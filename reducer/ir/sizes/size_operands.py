"""Operands that hold sizes and indices: one for each dynamic size, or one for each dim."""

from collections.abc import Iterable, Mapping
from itertools import accumulate, groupby

from reducer.ir.functions import container_of, may_end_block
from reducer.ir.module import NONE
from reducer.ir.retype import segment_sizes
from reducer.ir.rewrite import Rewrite
from reducer.ir.shapes import parse_shaped
from reducer.ir.sizes.repeats import DYNAMIC, integer_array
from reducer.ir.sizes.slots import ArrayItem, NewSizes, Size

_Before = tuple[int | None, Size]  # the size before and after the change


class SizeOperands:
    """Drops the operands of ops that a change of sizes leaves without a meaning."""

    def __init__(self, new: NewSizes, rewrite: Rewrite) -> None:
        self.new = new
        self.module = new.ties.module
        self.rewrite = rewrite

    def drop(self, op: int, places: Mapping[int, Iterable[int]]) -> None:
        """Drop the operands for sizes that are no longer dynamic, and indices into dims that go.

        Args:
            places: what goes from lists with an item for each dim, by their length.
        """
        sizes = list(self._size_operands(op))
        for first, dims in sizes:
            held = first
            for before, after in dims:
                if before is None:
                    if after is not None:
                        self.rewrite.drop_operand(op, held)
                    held += 1
        taken = {first for first, _ in sizes}
        for first, count in self._indices(op) if places else ():
            for number in places.get(count, ()) if first not in taken else ():
                self.rewrite.drop_operand(op, first + number)

    def _indices(self, op: int) -> list[tuple[int, int]]:
        """Runs of operands that may be indices, one for each dim."""
        if self._passes_on(op):
            return []
        if op not in self.module.t.regions:
            return self._runs(op)
        return [] if segment_sizes(self.module, op) else self._last(op)  # else bounds of a loop

    def _passes_on(self, op: int) -> bool:
        """Whether an op passes its operands on, as a return or a call does, and indexes nothing."""
        ends = self.module.t.block_ops[self.module.t.block[op]][-1] == op
        in_function = container_of(self.module, op) != NONE  # elsewhere nothing need end a block
        return (ends and in_function and may_end_block(self.module, op)) or (
            self.module.syntax(op).property("callee") is not None
        )

    def _size_operands(self, op: int) -> Iterable[tuple[int, list[_Before]]]:
        """Groups of size operands: the number of the first, and the sizes before and after."""
        arrays = self._array_sizes(op)
        waiting = [*arrays, *self._shape_sizes(op)]
        for first, count in self._index_groups(op):
            match = next((p for p in waiting if sum(b is None for b, _ in p) == count), None)
            if match is not None:
                waiting.remove(match)
                yield first, match

    def _array_sizes(self, op: int) -> list[list[_Before]]:
        """Integer arrays with dynamic entries: offsets, sizes and strides of slices."""
        syntax = self.module.syntax(op)
        out: list[list[_Before]] = []
        for entry in syntax.entries:
            numbers = integer_array(entry) or []
            if DYNAMIC in numbers:
                sizes = [None if number == DYNAMIC else number for number in numbers]
                slots = (ArrayItem(op, entry.name, place) for place in range(len(sizes)))
                after = (self.new.of.get(slot, s) for slot, s in zip(slots, sizes, strict=True))
                out.append(list(zip(sizes, after, strict=True)))
        return out

    def _shape_sizes(self, op: int) -> list[list[_Before]]:
        """Shapes with dynamic dims, operands first."""
        values = (*self.module.t.operands[op], *self.module.results(op))
        shapes = self.new.ties.shaped(v for v in values if v != NONE)
        pairs = (list(zip(s.dims, self.new.dims(value), strict=True)) for value, s in shapes)
        return [sizes for sizes in pairs if any(before is None for before, _ in sizes)]

    def _index_groups(self, op: int) -> list[tuple[int, int]]:
        """Runs of operands that may be sizes: segments, or trailing operands."""
        if segment_sizes(self.module, op):
            return self._runs(op)
        listed = [sum(size is None for size, _ in pairs) for pairs in self._array_sizes(op)]
        if not any(map(parse_shaped, self.module.syntax(op).operand_types)):
            return self._last(op)
        # Otherwise they are indices, as in `tensor.extract`.
        return [(first, count) for first, count in self._last(op) if count in listed]

    def _last(self, op: int) -> list[tuple[int, int]]:
        return [run for run in self._runs(op) if sum(run) == len(self.module.t.operands[op])]

    def _runs(self, op: int) -> list[tuple[int, int]]:
        """Operands of type `index` in a row, or in a segment, as (first, count)."""
        kinds, found = self.module.syntax(op).operand_types, segment_sizes(self.module, op)
        if len(kinds) != len(self.module.t.operands[op]):
            return []
        counts = found[1] if found else [len(list(g)) for _, g in groupby(kinds, "index".__eq__)]
        runs = [(end - count, count) for count, end in zip(counts, accumulate(counts), strict=True)]
        return [(first, n) for first, n in runs if n and {*kinds[first : first + n]} == {"index"}]
