"""Finds out what the body of a structured op does with its outputs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.floats import maximum, maxnum, minimum, minnum
from reducer.miscompile.interpreter.program import Block, Op
from reducer.miscompile.values.elements import Element, wrapped

Fold = Callable[[Any, tuple[int, ...]], Any]


@dataclass(frozen=True)
class OutputReduction:
    """How an output is reduced: along which loops, and by which associative op."""

    loops: tuple[int, ...]
    combine: Callable[[Any, Any], Any]
    fold: Fold
    """Combines the elements along some axes, which stay with size 1."""
    rounded: tuple[Any, Element] | None = None
    """For a sum or product of floats, the op and the type: rounding depends on the order."""


@dataclass(frozen=True)
class BodyPlan:
    """How a body can be evaluated for all points at once.

    `ops` are those that do not depend on what reduced outputs hold, `terms` the value for each
    output: what it becomes, or what is combined with it. If there is one output, a sum of products,
    `product` are the two factors and `factor_ops` the ops that compute them.
    """

    ops: tuple[Op, ...]
    terms: tuple[int, ...]
    reductions: tuple[OutputReduction | None, ...]
    product: tuple[int, int] | None = None
    factor_ops: tuple[Op, ...] = ()


_FOLDS: dict[str, Any] = {
    "arith.addf": np.add, "arith.mulf": np.multiply, "arith.maximumf": maximum,
    "arith.minimumf": minimum, "arith.maxnumf": maxnum, "arith.minnumf": minnum,
    "arith.addi": np.add, "arith.muli": np.multiply, "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum, "arith.andi": np.bitwise_and, "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor, "complex.add": np.add, "complex.mul": np.multiply,
}  # fmt: skip

_PRODUCTS = {"arith.addf": "arith.mulf", "arith.addi": "arith.muli", "complex.add": "complex.mul"}


_ROUNDED = ("arith.addf", "arith.mulf")


def make_plan(
    op: Op, block: Block, reduced: Sequence[tuple[int, ...]], *, any_order: bool = False
) -> BodyPlan | None:
    """The plan for a body whose outputs are reduced along some loops; None if there is none.

    Sums of small floats are not planned, because each step rounds away half of the digits, unless
    they may be computed in `any_order`.
    """
    *ops, last = block.ops
    arguments = list(block.arguments)[len(block.arguments) - len(reduced) :]
    accumulators = {value for value, loops in zip(arguments, reduced, strict=True) if loops}
    changing = dependent(ops, accumulators)
    uses: dict[int, int] = {}
    for one in block.ops:
        for value in one.program.module.captured(one.number):
            uses[value] = uses.get(value, 0) + 1
    terms: list[int] = []
    reductions: list[OutputReduction | None] = []
    for value, loops, yielded in zip(arguments, reduced, last.operands, strict=True):
        if not loops:
            if yielded in changing:
                return None
            terms.append(yielded)
            reductions.append(None)
            continue
        combiner = next((one for one in ops if yielded in one.results), None)
        found = _combined(combiner, value, changing) if uses.get(value) == 1 else None
        if combiner is None or found is None or uses.get(yielded) != 1:
            return None
        if combiner.result.is_small_float and combiner.name in _ROUNDED and not any_order:
            return None
        terms.append(found)
        reductions.append(_reduction(combiner, loops))
    kept = tuple(one for one in ops if not changing.intersection(one.results))
    product, factor_ops = _product(ops, block, terms, last, kept)
    return BodyPlan(kept, tuple(terms), tuple(reductions), product, factor_ops)


def dependent(ops: Sequence[Op], roots: set[int]) -> set[int]:
    """The values that depend on some others, and these."""
    out = set(roots)
    for one in ops:
        if out.intersection(one.program.module.captured(one.number)):
            out.update(one.results)
    return out


def _combined(combiner: Op | None, accumulator: int, changing: set[int]) -> int | None:
    """What an op combines with an accumulator; None if the order of combinations matters."""
    if combiner is None or combiner.name not in _FOLDS or len(combiner.operands) != 2:
        return None
    if combiner.flags("overflowFlags") & {"nsw", "nuw"} or combiner.flags("fastmath") & {
        "nnan", "ninf", "fast",
    }:  # fmt: skip
        return None
    left, right = combiner.operands
    other = right if left == accumulator else left
    if accumulator not in (left, right) or other in changing:
        return None
    return other


def _reduction(combiner: Op, loops: tuple[int, ...]) -> OutputReduction:
    ufunc, element = _FOLDS[combiner.name], combiner.result
    if element.is_integer and element.width == 1:
        return _of_bits(combiner.name, loops)

    def combine(a: Any, b: Any) -> Any:
        return _fitted(ufunc(a, b), element)

    def fold(data: Any, axes: tuple[int, ...]) -> Any:
        return _fitted(ufunc.reduce(data, axis=axes, keepdims=True, dtype=data.dtype), element)

    rounded = (ufunc, element) if combiner.name in _ROUNDED else None
    if element.is_small_float:

        def fold_small(data: Any, axes: tuple[int, ...]) -> Any:
            wide = ufunc.reduce(data.astype(np.float32), axis=axes, keepdims=True)
            return wide.astype(element.dtype)

        return OutputReduction(
            loops,
            lambda a, b: ufunc(a.astype(np.float32), b.astype(np.float32)).astype(element.dtype),
            fold_small,
            rounded,
        )
    return OutputReduction(loops, combine, fold, rounded)


def _fitted(data: Any, element: Element) -> Any:
    return wrapped(data, element) if element.is_integer else data


_BITS: dict[str, Any] = {
    "arith.addi": np.logical_xor, "arith.xori": np.logical_xor, "arith.muli": np.logical_and,
    "arith.andi": np.logical_and, "arith.ori": np.logical_or,
    "arith.maxsi": np.logical_and, "arith.minsi": np.logical_or,  # true is -1
}  # fmt: skip


def _of_bits(name: str, loops: tuple[int, ...]) -> OutputReduction:
    ufunc = _BITS[name]
    return OutputReduction(
        loops, ufunc, lambda data, axes: ufunc.reduce(data, axis=axes, keepdims=True)
    )


def _product(
    ops: Sequence[Op], block: Block, terms: Sequence[int], last: Op, kept: Sequence[Op]
) -> tuple[tuple[int, int] | None, tuple[Op, ...]]:
    """The factors of the single term, and the ops that compute them."""
    if len(terms) != 1:
        return None, ()
    maker = next((one for one in ops if terms[0] in one.results), None)
    combiner = next((one for one in ops if last.operands[0] in one.results), None)
    if maker is None or combiner is None or _PRODUCTS.get(combiner.name) != maker.name:
        return None, ()
    if maker.flags("overflowFlags") & {"nsw", "nuw"} or maker.result.width == 1:
        return None, ()
    if maker.flags("fastmath") & {"nnan", "ninf", "fast"}:
        return None, ()
    left, right = maker.operands
    return (left, right), tuple(one for one in kept if one is not maker)
