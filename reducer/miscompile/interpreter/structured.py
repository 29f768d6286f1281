"""Evaluates structured ops: a body for each point of an iteration space, over whole arrays.

What the body computes is found out first (`plan`):

- Outputs that no loop reduces, and reductions by one associative op (a sum, a maximum), are
  computed for all points at once, in boxes that fit into memory. A sum of products is a matrix
  product (`contraction`). Reordering a float sum is not an error: results are compared with
  tolerances, and compilers do the same.
- Any other reduction is done in order, one step at a time, each step for all parallel points.
- A body that cannot be vectorized is evaluated point by point.

If iterations of parallel loops write the same element of an output, its value depends on which of
them comes last (`races`).
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from reducer.ir.affine import AffineMap
from reducer.miscompile.interpreter.errors import Divergent, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame, can_batch
from reducer.miscompile.interpreter.loops import Output, Races, loop_sizes, view
from reducer.miscompile.interpreter.noise import is_active, is_disturbing, note_rounding
from reducer.miscompile.interpreter.program import Block, Op
from reducer.miscompile.interpreter.reductions import (
    BodyPlan,
    OutputReduction,
    dependent,
    make_plan,
)
from reducer.miscompile.interpreter.sums import AnyOrder, OtherOrders, contract
from reducer.miscompile.interpreter.values import Array

BOX = 1 << 21
"""The maximum number of points that are evaluated at once."""

MAX_STEPS = 1 << 24
"""The maximum number of steps of a reduction, or of points that are evaluated one by one."""


def run_structured(
    frame: Frame,
    op: Op,
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    maps: list[AffineMap],
    parallel: Sequence[bool] = (),
) -> list[Array]:
    """The results of an op with a body and one indexing map for each operand.

    `parallel` says of each loop whether its iterations may run in any order; without it, only those
    do that do not share an element.
    """
    block = op.regions[0].block
    return Structured(frame, op, block, inputs, outputs, maps, parallel).run()


class Structured:
    """One run of a structured op."""

    def __init__(
        self,
        frame: Frame,
        op: Op,
        block: Block,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        maps: list[AffineMap],
        parallel: Sequence[bool] = (),
    ) -> None:
        self.frame, self.op, self.block = frame, op, block
        self.parallel = parallel
        self.sizes = loop_sizes(maps, [*inputs, *outputs])
        self.inputs = [
            view(one, map_, self.sizes)
            for one, map_ in zip(inputs, maps[: len(inputs)], strict=True)
        ]
        self.outputs = [
            Output.of(one, map_, self.sizes)
            for one, map_ in zip(outputs, maps[len(inputs) :], strict=True)
        ]
        self.races: list[Races | None] = []

    def run(self) -> list[Array]:
        if 0 not in self.sizes:
            self._evaluate()
            self._lose_races()
        return [output.tensor() for output in self.outputs]

    def _evaluate(self) -> None:
        self._start_races()
        if not can_batch(self.op):
            self._in_order(range(len(self.sizes)))
            return
        loops = len(self.sizes)
        reduced = sorted({loop for output in self.outputs for loop in output.reduced(loops)})
        plan = make_plan(
            self.op,
            self.block,
            [one.reduced(loops) for one in self.outputs],
            any_order=is_active(),  # another order is a disturbance like any other
        )
        before = [(output.data.copy(), output.poison.copy()) for output in self.outputs]
        try:
            if plan is not None:
                self._at_once(plan)
            else:
                self._in_order(reduced)
        except Divergent:
            for output, (data, poison) in zip(self.outputs, before, strict=True):
                output.data, output.poison = data, poison
            self._start_races()
            self._in_order(range(loops))

    # ---- elements that several parallel iterations write -------------------------------------

    def _start_races(self) -> None:
        self.races = [
            Races(one.data.shape) if self._is_shared(one) else None for one in self.outputs
        ]

    def _is_shared(self, output: Output) -> bool:
        """Whether different iterations of parallel loops write the same element."""
        loops = output.reduced(len(self.sizes)) if any(self.parallel) else ()
        return any(self.parallel[loop] and self.sizes[loop] > 1 for loop in loops)

    def _lose_races(self) -> None:
        """What iterations disagree about is poison, and so is all that is computed from what others
        may be writing.
        """
        if not any(self.races):
            return
        arguments = list(self.block.arguments)[len(self.inputs) :]
        *ops, last = self.block.ops
        shared = {one for one, races in zip(arguments, self.races, strict=True) if races}
        unknown = dependent(ops, shared)
        for output, races, yielded in zip(self.outputs, self.races, last.operands, strict=True):
            lost = races.lost if races else np.False_
            output.poison = output.poison | lost | (yielded in unknown)

    # ---- all points at once ----------------------------------------------------------------

    def _at_once(self, plan: BodyPlan) -> None:
        orders = self._orders(plan, [output.data for output in self.outputs])
        sums = self._sums(plan)
        product = plan.product
        if product is None or not self._contract(plan, product, orders[0], sums[0]):
            for box in boxes(self.sizes):
                yielded = self._yielded(plan, box)
                for output, value, reduction, *others in zip(
                    self.outputs, yielded, plan.reductions, orders, sums, strict=True
                ):
                    self._store(output, value, reduction, box)
                    for other in others:
                        if other is not None and reduction is not None:
                            self._fold(other, output, value, reduction, box)
        self._disturb(orders)
        for one in sums:
            if one is not None:
                one.note()

    def _yielded(self, plan: BodyPlan, box: "Box") -> list[Array]:
        """For each output the value that is stored, or combined with what is there."""
        values = self._run_ops(plan.ops, box)
        return [values(number) for number in plan.terms]

    def _run_ops(self, ops: Sequence[Op], box: "Box") -> Any:
        frame = self.frame
        arguments = [part(one, box) for one in self.inputs]
        arguments += [Array(box_of(out.data, box), box_of(out.poison, box)) for out in self.outputs]
        shape = tuple(stop - start for start, stop in box)

        def run() -> list[Any]:
            frame.values.update(zip(self.block.arguments, arguments, strict=True))
            for op in ops:
                frame.step(op)
            return []

        frame.in_batch(shape, _indices(box), run)
        return frame.values.__getitem__

    def _store(
        self, output: Output, value: Array, reduction: OutputReduction | None, box: "Box"
    ) -> None:
        target, mask = box_of(output.data, box), box_of(output.poison, box)
        if reduction is None:
            target[...] = value.data
            mask[...] = value.mask()
            return
        shape = tuple(stop - start for start, stop in box)
        data = np.broadcast_to(value.data, shape)
        axes = reduction.loops
        target[...] = reduction.combine(target, reduction.fold(data, axes))
        if value.poison is not None:
            mask |= np.broadcast_to(value.poison, shape).any(axis=axes, keepdims=True)

    # ---- the order of reductions -----------------------------------------------------------

    def _orders(self, plan: BodyPlan, initial: list[Any]) -> list[OtherOrders | None]:
        """What is needed to reduce in another order, for the outputs that are to be disturbed."""
        return [
            OtherOrders.start(*one.rounded, data)
            if one is not None and one.rounded is not None and is_disturbing(one.rounded[1])
            else None
            for one, data in zip(plan.reductions, initial, strict=True)
        ]

    def _sums(self, plan: BodyPlan) -> list[AnyOrder | None]:
        """What tells whether sums are exact in any order, for the outputs that are small floats."""
        sums: list[AnyOrder | None] = []
        for one, output in zip(plan.reductions, self.outputs, strict=True):
            ufunc, element = one.rounded if one is not None and one.rounded else (None, None)
            is_sum = element is not None and ufunc is np.add
            sums.append(AnyOrder.start(element, output.data) if is_sum and element else None)
            if element is not None and not is_sum and element.is_small_float:
                note_rounding(True)  # nobody tells for a product
        return sums

    def _fold(
        self,
        other: OtherOrders | AnyOrder,
        output: Output,
        value: Array,
        reduction: OutputReduction,
        box: "Box",
    ) -> None:
        shape = tuple(stop - start for start, stop in box)
        data = np.broadcast_to(value.data, shape)
        other.fold(where(output.data, box), data, reduction.loops)

    def _disturb(self, orders: list[OtherOrders | None]) -> None:
        for output, other in zip(self.outputs, orders, strict=True):
            if other is not None:
                output.data = other.disturbed(output.data)

    def _contract(
        self,
        plan: BodyPlan,
        product: tuple[int, int],
        *others: OtherOrders | AnyOrder | None,
    ) -> bool:
        """A sum of products as a matrix product; False if it is none."""
        (output,), (reduction,) = self.outputs, plan.reductions
        assert reduction is not None
        left, right = self._factors(plan, product)
        found = contract(left.data, right.data, self.sizes, reduction.loops)
        if found is None:
            return False
        for other in others:
            if other is not None:
                other.contract(left.data, right.data, self.sizes, reduction.loops)
        output.data = np.asarray(reduction.combine(output.data, found.astype(output.data.dtype)))
        for factor in (left, right):
            if factor.poison is not None:
                mask = factor.poison.reshape(
                    (1,) * (len(self.sizes) - factor.poison.ndim) + factor.poison.shape
                )
                output.poison = output.poison | mask.any(axis=reduction.loops, keepdims=True)
        return True

    def _factors(self, plan: BodyPlan, product: tuple[int, int]) -> tuple[Array, Array]:
        """The factors of a sum of products, with at least the digits of f32."""
        values = self._run_ops(plan.factor_ops, tuple((0, size) for size in self.sizes))
        left, right = (values(number) for number in product)
        if left.data.dtype.itemsize < 4 and left.data.dtype.kind not in "iub":
            left, right = (Array(one.data.astype(np.float32), one.poison) for one in (left, right))
        return left, right

    # ---- step by step ----------------------------------------------------------------------

    def _in_order(self, loops: Sequence[int]) -> None:
        """One step for each point of some loops, in order, for all points of the others."""
        steps = int(np.prod([self.sizes[loop] for loop in loops], dtype=np.int64))
        if steps > MAX_STEPS:
            raise Unsupported([f"{self.op.name} with {steps} steps"])
        whole = [(0, size) for size in self.sizes]
        alone = len(loops) == len(self.sizes)
        for point in itertools.product(*(range(self.sizes[loop]) for loop in loops)):
            box = list(whole)
            for loop, index in zip(loops, point, strict=True):
                box[loop] = (index, index + 1)
            for inner in [tuple(box)] if alone else boxes_of(tuple(box)):
                self._step(inner, alone)

    def _step(self, box: "Box", alone: bool) -> None:
        frame = self.frame
        note_rounding(any(_is_small(out.data) for out in self.outputs))  # in another order
        arguments = [part(one, box) for one in self.inputs]
        arguments += [Array(box_of(out.data, box), box_of(out.poison, box)) for out in self.outputs]
        if alone:
            arguments = [one.map(lambda data: data.reshape(())) for one in arguments]
        shape = () if alone else tuple(stop - start for start, stop in box)
        indices = [np.int64(start) for start, _ in box] if alone else _indices(box)
        yielded = frame.in_batch(shape, indices, lambda: frame.run(self.op.regions[0], arguments))
        for output, value, races in zip(self.outputs, yielded, self.races, strict=True):
            if races is not None:
                place = where(output.data, box)
                there = output.data[place], output.poison[place]
                races.note(place, there, (value.data, value.mask()))
            self._store(output, value, None, box)


# ---- boxes ------------------------------------------------------------------------------------

Box = tuple[tuple[int, int], ...]
"""A part of an iteration space: the first index of each loop, and the one past the last."""


def boxes(sizes: Sequence[int]) -> Iterator[Box]:
    """Parts of at most `BOX` points that together are an iteration space."""
    return boxes_of(tuple((0, size) for size in sizes))


def boxes_of(box: Box) -> Iterator[Box]:
    """Parts of at most `BOX` points that together are a box, in order of the first loops."""
    lengths = [stop - start for start, stop in box]
    if int(np.prod(lengths, dtype=np.int64)) <= BOX:
        yield box
        return
    loop = next(n for n, length in enumerate(lengths) if length > 1)
    start, stop = box[loop]
    middle = (start + stop) // 2
    for half in ((start, middle), (middle, stop)):
        yield from boxes_of((*box[:loop], half, *box[loop + 1 :]))


def box_of(data: Any, box: Box) -> Any:
    """The part of a view that belongs to a box."""
    return data[where(data, box)]


def where(data: Any, box: Box) -> tuple[Any, ...]:
    """The index of the part of a view that belongs to a box; it makes a view even of rank 0."""
    slices = (
        slice(None) if size == 1 else slice(start, stop)
        for size, (start, stop) in zip(data.shape, box, strict=True)
    )
    return (*slices, ...)


def _is_small(data: Any) -> bool:
    """Whether data are floats of fewer than 32 bits."""
    return data.dtype.itemsize < 4 and data.dtype.kind not in "iub"


def part(operand: Array, box: Box) -> Array:
    return operand.map(lambda data: box_of(data, box))


def _indices(box: Box) -> list[Any]:
    if not box:
        return []
    return [np.asarray(axis) for axis in np.ogrid[tuple(slice(*bounds) for bounds in box)]]
