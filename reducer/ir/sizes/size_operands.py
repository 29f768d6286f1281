"""Operands that hold sizes and indices: one for each dynamic size, or one for each dim."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, groupby

from reducer.ir.functions import may_end_block
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
        """Runs of operands that may be indices, one for each dim, as (first, count).

        In an op with a body, the others may be the bounds of a loop.
        """
        kinds, has_body = self.module.syntax(op).operand_types, op in self.module.t.regions
        if len(kinds) != len(self.module.t.operands[op]) or self._passes_on(op):
            return []
        if segment_sizes(self.module, op) is not None:
            return [] if has_body else self._index_groups(op)
        counts = [len(list(run)) for _, run in groupby(kinds, "index".__eq__)]
        runs = [(end - count, count) for count, end in zip(counts, accumulate(counts), strict=True)]
        indices = [(first, count) for first, count in runs if kinds[first] == "index"]
        return [run for run in indices if not has_body or sum(run) == len(kinds)]

    def _passes_on(self, op: int) -> bool:
        """Whether an op passes its operands on, as a return or a call does, and indexes nothing."""
        ends = self.module.t.block_ops[self.module.t.block[op]][-1] == op
        return (ends and may_end_block(self.module, op)) or (
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
        """Runs of operands that may be sizes, as (first, count): segments, or trailing operands."""
        operands, sizes = self.module.t.operands[op], segment_sizes(self.module, op)
        kinds = self.module.syntax(op).operand_types
        if len(kinds) != len(operands):
            return []
        if sizes is None:
            first = _first_trailing_index(kinds)
            count = len(kinds) - first
            listed = [sum(size is None for size, _ in pairs) for pairs in self._array_sizes(op)]
            if any(parse_shaped(kind) for kind in kinds) and count not in listed:
                return []  # as in `tensor.extract`, whose last operands are indices, not sizes
            return [(first, count)] if count else []
        out, first = [], 0
        for size in sizes[1]:
            if size and all(kind == "index" for kind in kinds[first : first + size]):
                out.append((first, size))
            first += size
        return out


def _first_trailing_index(kinds: Sequence[str]) -> int:
    """The number of the operand from which on all are of type `index`."""
    first = len(kinds)
    while first > 0 and kinds[first - 1] == "index":
        first -= 1
    return first
