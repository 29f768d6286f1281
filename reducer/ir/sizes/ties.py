"""Infer from the ops of a module which sizes must be equal.

Structured ops state it in their indexing maps; calls and regions pass values on. For all other ops,
in any dialect, sizes are assumed to be tied if they are equal in matching positions, since most ops
are elementwise, contract a pair of equal dims, or reshape. With too many ties, a candidate changes
more than necessary; with too few, the verifier rejects it. Neither is harmful.
"""

import re
from itertools import chain, combinations
from math import prod

from reducer.ir.affine import indexing_maps
from reducer.ir.flow import passed_by_calls, shared_by_regions
from reducer.ir.functions import is_function
from reducer.ir.module import NONE, Module
from reducer.ir.shapes import Dims
from reducer.ir.sizes.declared import declarations
from reducer.ir.sizes.repeats import counts_dims_of, reassociation, tie_arrays, tie_sums
from reducer.ir.sizes.slots import Dim, Loop, Product, Ties

_LIST = re.compile(r"(?:\[|array<i\d+: )(\d[^\[\]<>]*)[\]>]")


def collect(module: Module) -> Ties:
    """All ties of a module."""
    ties = Ties(module)
    for op in range(len(module)):
        if is_function(module, op):
            if len(list(module.blocks_of(op))) > 1:
                _tie_regions(ties, op)
            continue
        if indexing_maps(module, op):
            _tie_structured(ties, op)
            tie_arrays(ties, op)
        elif not tie_sums(ties, op):
            _tie_any(ties, op)
            tie_arrays(ties, op)
        if op in module.t.regions:
            _tie_regions(ties, op)
    for one, other in passed_by_calls(module):
        ties.tie_alike(one, other)
    ties.declarations = declarations(module)
    for declaration in ties.declarations:
        for value in declaration.values[1:]:
            ties.tie_alike(declaration.values[0], value)
    return ties


def _tie_structured(ties: Ties, op: int) -> None:
    operands = ties.module.t.operands[op]
    for value, affine in zip(operands, indexing_maps(ties.module, op), strict=True):
        shape = ties.shape(value) if value != NONE else None
        if shape is None or len(shape.dims) != len(affine.results):
            continue
        for number in range(len(shape.dims)):
            loop = affine.loop(number)
            if loop is not None:
                ties.tie(Dim(value, number), Loop(op, loop))
    results = ties.module.results(op)
    for result, initial in zip(reversed(results), reversed(operands), strict=False):
        ties.tie_alike(result, initial)


def _tie_any(ties: Ties, op: int) -> None:
    module = ties.module
    operands = ties.shaped(ties.operands(op))
    results = ties.shaped(module.results(op))
    in_lists = {value for value, _ in operands}.difference(module.t.operands[op])
    pairs = chain(
        ((operand, result) for operand in operands for result in results),
        combinations(operands, 2),
        combinations(results, 2),
    )
    for (this, first), (other, second) in pairs:
        left, right = first.dims, second.dims
        if len(operands) == len(results) == 1 and (order := _order(module, op, left, right)):
            for i, j in enumerate(order):
                ties.tie(Dim(this, j), Dim(other, i))
            continue
        if (groups := reassociation(module, op)) and len(left) != len(right):
            _tie_groups(ties, groups, this, left, other, right)
        elif _is_reshape(left, right) and len(operands) == len(results) == 1:
            _tie_reshape(ties, this, left, other, right)
        else:
            counting = counts_dims_of(first, second) or counts_dims_of(second, first)
            listed = not in_lists.isdisjoint((this, other))
            for i, j in _matching(left, right):
                is_length = counting and (i, j) == (len(left) - 1, len(right) - 1)
                # Dynamic sizes in a list of shapes are hardly ever equal.
                if not is_length and not (listed and left[i] is None):
                    ties.tie(Dim(this, i), Dim(other, j))


def _order(module: Module, op: int, left: Dims, right: Dims) -> list[int]:
    """The dim of the left for each of the right if an attribute of the op reorders them, or []."""
    for found in _LIST.finditer(module.header(op)):
        words = [word.partition(" : ")[0].strip() for word in found[1].split(",")]
        order = [int(word) for word in words if word.isdigit()]
        if (
            len(order) == len(left) == len(right)
            and sorted(order) == list(range(len(order)))
            and order != sorted(order)
            and all(left[j] == right[i] for i, j in enumerate(order))
        ):
            return order
    return []


def _matching(left: Dims, right: Dims) -> list[tuple[int, int]]:
    """Pairs of dims of equal size: aligned at the end, then matched if the size is unique."""
    shift = len(left) - len(right)
    out = [
        (j + shift, j) for j in range(len(right)) if j + shift >= 0 and left[j + shift] == right[j]
    ]
    rest_left = [i for i in range(len(left)) if i not in {i for i, _ in out}]
    rest_right = [j for j in range(len(right)) if j not in {j for _, j in out}]
    for i in rest_left:
        same = [j for j in rest_right if left[i] == right[j]]
        if len(same) == 1 and sum(left[k] == left[i] for k in rest_left) == 1:
            out.append((i, same[0]))
    return out


def _tie_groups(
    ties: Ties, groups: list[list[int]], one: int, left: Dims, other: int, right: Dims
) -> None:
    """Tie each group of dims of the higher-rank shape to one dim of the other."""
    long, short = (one, other) if len(left) > len(right) else (other, one)
    if len(groups) == min(len(left), len(right)):
        for number, group in enumerate(groups):
            _tie_runs(ties, [Dim(short, number)], [Dim(long, part) for part in group])


def _is_reshape(left: Dims, right: Dims) -> bool:
    def static(dims: Dims) -> int:
        return prod(size for size in dims if size is not None)

    return (
        sorted(map(str, left)) != sorted(map(str, right))
        and left.count(None) == right.count(None)
        and static(left) == static(right) != 0
    )


def _tie_reshape(ties: Ties, this: int, left: Dims, other: int, right: Dims) -> None:
    """Walk along both shapes and tie runs of dims with the same number of elements."""
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] is None or right[j] is None:
            if left[i] is None and right[j] is None:
                ties.tie(Dim(this, i), Dim(other, j))
                i, j = i + 1, j + 1
            elif left[i] == 1 or right[j] == 1:
                i, j = i + (left[i] == 1), j + (right[j] == 1)
            else:
                return
            continue
        run_left, run_right = [i], [j]
        while (a := _elements(left, run_left)) != (b := _elements(right, run_right)):
            run = run_left if a < b else run_right
            dims = left if a < b else right
            if run[-1] + 1 >= len(dims) or dims[run[-1] + 1] is None:
                return
            run.append(run[-1] + 1)
        _tie_runs(ties, [Dim(this, n) for n in run_left], [Dim(other, n) for n in run_right])
        i, j = run_left[-1] + 1, run_right[-1] + 1


def _elements(dims: Dims, run: list[int]) -> int:
    return prod(dims[n] or 0 for n in run)


def _tie_runs(ties: Ties, left: list[Dim], right: list[Dim]) -> None:
    if len(left) == len(right) == 1:
        ties.tie(left[0], right[0])
    elif len(left) == 1:
        ties.products.append(Product(left[0], tuple(right)))
    elif len(right) == 1:
        ties.products.append(Product(right[0], tuple(left)))


def _tie_regions(ties: Ties, op: int) -> None:
    """Tie values that a loop or branch passes on, if their shaped types, unwrapped, are equal."""
    passed: dict[str, int] = {}
    for value in shared_by_regions(ties.module, op):
        shape = ties.shape(value)
        if shape is not None:
            first = passed.setdefault(shape.core, value)
            if first != value:
                ties.tie_alike(first, value)
