"""Repetitions of sizes outside types: integer arrays, scalar constants, and lists of sizes.

The length of a list of sizes is a rank rather than a size. If the shape loses a dim, the verifier
requires that the list loses the element for that dim.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from reducer.ir.module import NONE, Module
from reducer.ir.retype import RESULT_SEGMENT_SIZES, SEGMENT_SIZES
from reducer.ir.shapes import Dims, Shaped, parse_shaped
from reducer.ir.sizes.slots import ArrayItem, Dim, Product, Sum, Ties
from reducer.ir.syntax import Entry, split_array

DYNAMIC = -(1 << 63)
"""The placeholder for a dynamic size in an array of sizes."""

NUMBERS_DIMS = re.compile(
    r"(?:^|[_.])(?:dims?|dimensions?|axis|axes|perms?|permutation)(?:_pos|_perm|$)"
)
"""Names of attributes whose numbers are dim indices rather than sizes."""

_ARRAY = re.compile(r"array<i\d+: ([-\d, ]+)>")
_LIST = re.compile(r"\[(-?\d+((?: : [su]?i\d+)?)(?:, -?\d+\2)*)\]")


def integer_array(entry: Entry) -> list[int] | None:
    """The numbers of `array<i64: 1, 2>`, `[1, 2]` or `[1 : si64, 2 : si64]`; None for others.

    Sizes of segments are none.
    """
    if entry.name in (*SEGMENT_SIZES, *RESULT_SEGMENT_SIZES):
        return None
    match = _ARRAY.fullmatch(entry.value) or _LIST.fullmatch(entry.value)
    if match is None:
        return None
    return [int(number.partition(":")[0]) for number in match.group(1).split(",")]


def tie_arrays(ties: Ties, op: int) -> None:
    """Tie the numbers of each array attribute to the shape whose sizes they repeat."""
    module = ties.module
    syntax = module.syntax(op)
    for entry in syntax.entries:
        if (numbers := integer_array(entry)) is None:
            continue
        shaped = ties.shaped(_values(module, op))
        if _may_be_axes(entry.name, numbers, shaped):
            continue
        sizes: Dims = tuple(None if n == DYNAMIC else n for n in numbers)
        for value, shape in shaped:
            places = _align(sizes, shape.dims)
            if places is not None:
                for number, place in enumerate(places):
                    if place is not None:
                        ties.tie(ArrayItem(op, entry.name, number), Dim(value, place))
                _tie_whole(ties, op, entry.name, sizes, value)
                break
        else:
            _tie_inner(ties, op, entry.name, sizes, shaped)


def _may_be_axes(name: str, numbers: list[int], shaped: list[tuple[int, Shaped]]) -> bool:
    """Whether numbers may be those of dims, which stay as the sizes change."""
    rank = max((len(shape.dims) for _, shape in shaped), default=0)
    return bool(NUMBERS_DIMS.search(name)) and all(-rank <= number < rank for number in numbers)


def tie_sums(ties: Ties, op: int) -> bool:
    """Tie the sizes of an op that adds to those of its operand, such as a pad.

    It is recognized by two arrays that together hold the difference of each size of the result and
    of the operand.

    Returns:
        Whether the op is one.
    """
    module = ties.module
    arrays = [(e.name, n) for e in module.syntax(op).entries if (n := integer_array(e)) is not None]
    operands, results = ties.shaped(module.t.operands[op]), ties.shaped(module.results(op))
    if len(arrays) != 2 or len(operands) != 1 or len(results) != 1:
        return False
    (value, before), (result, after) = operands[0], results[0]
    (low, lows), (high, highs) = arrays
    rank = len(before.dims)
    if not rank == len(after.dims) == len(lows) == len(highs):
        return False
    rows = list(zip(before.dims, after.dims, lows, highs, strict=True))
    if not any(isinstance(large, int) for _, large, _, _ in rows):
        return False  # nothing shows what the numbers mean
    if not all(_is_sum(*row) for row in rows if DYNAMIC not in row):
        return False
    for place, (small, large, *numbers) in enumerate(rows):
        if DYNAMIC in numbers or (small is None) != (large is None):
            continue
        if any(numbers):
            added = ArrayItem(op, low, place), ArrayItem(op, high, place)
            for element in added:
                ties.tie(element, element)
            ties.sums.append(Sum(Dim(result, place), Dim(value, place), added, tuple(numbers)))
        else:
            ties.tie(Dim(value, place), Dim(result, place))
    return any(any(numbers) for _, _, *numbers in rows)


def _is_sum(small: int | None, large: int | None, low: int, high: int) -> bool:
    return small is None or large is None or small + low + high == large


def _tie_inner(
    ties: Ties, op: int, name: str, sizes: Dims, shaped: list[tuple[int, Shaped]]
) -> None:
    """Tie an array (such as tile sizes) to the innermost dims of a shape, if unambiguous.

    A shape without these has their products with other dims, in the places that an array numbers.
    """
    count = len(sizes)
    tiled = [(v, s.dims) for v, s in shaped if s.dims[-count:] == sizes != s.dims]
    if len({dims for _, dims in tiled}) != 1 or NUMBERS_DIMS.search(name):
        return
    others = {entry.name: integer_array(entry) for entry in ties.module.syntax(op).entries}
    named = (its for other, its in others.items() if NUMBERS_DIMS.search(other))
    places = next((its for its in named if its and len(its) == count), range(count))
    for (value, dims), (number, place) in product(tiled, enumerate(places)):
        inner, rank = Dim(value, len(dims) - count + number), len(dims) - count
        ties.tie(ArrayItem(op, name, number), inner)
        for whole, shape in shaped if 0 <= place < rank else ():
            size = (dims[place] or 0) * (sizes[number] or 0)
            if len(shape.dims) == rank and shape.dims[place] == size:
                ties.products.append(Product(Dim(whole, place), (Dim(value, place), inner)))


def _tie_whole(ties: Ties, op: int, name: str, sizes: Dims, part: int) -> None:
    """Tie slice sizes to the dims of the sliced shape that they cover completely."""
    for value, shape in ties.shaped(_values(ties.module, op)):
        if value != part and len(shape.dims) == len(sizes):
            for number, size in enumerate(sizes):
                if shape.dims[number] == size:
                    ties.tie(ArrayItem(op, name, number), Dim(value, number))


def _values(module: Module, op: int) -> Iterator[int]:
    yield from module.results(op)
    yield from (v for v in module.t.operands[op] if v != NONE)


def _align(sizes: Dims, dims: Dims) -> list[int | None] | None:
    """For each size its dim, or None for a dropped unit dim; None if the sizes do not match."""
    out: list[int | None] = []
    place = 0
    for number, size in enumerate(sizes):
        spare = len(sizes) - number > len(dims) - place
        if place < len(dims) and dims[place] == size and not (size == 1 and spare):
            out.append(place)
            place += 1
        elif size == 1:
            out.append(None)
        else:
            return None
    return out if place == len(dims) and place > 0 else None


def reassociation(module: Module, op: int) -> list[list[int]] | None:
    """The groups of dims that an op collapses or expands."""
    entry = module.syntax(op).property("reassociation")
    groups = split_array(entry.value) if entry else None
    if groups is None:
        return None
    return [[int(n) for n in re.findall(r"\d+", group)] for group in groups]


_INTEGER = re.compile(r"(-?\d+)( : (?:index|[su]?i\d+))")


def constants_equal_to(module: Module, size: int, values: Iterable[int]) -> list[int]:
    """Ops that make the constant `size` and reach an op which defines or uses one of the values.

    A constant reaches an op directly or through ops on scalars and lists only.
    """
    near: set[int] = set()
    for value in values:
        if module.t.def_op[value] != NONE:
            near.add(module.t.def_op[value])
        near.update(op for op, _ in module.uses[value])
    constants: set[int] = set()
    seen: set[int] = set()
    while near:
        op = near.pop()
        for value in module.t.operands[op]:
            producer = module.t.def_op[value] if value != NONE else NONE
            if producer == NONE or producer in seen or _has_shape(module, producer):
                continue
            seen.add(producer)
            if constant_of(module, producer) == size:
                constants.add(producer)
            near.add(producer)
    return sorted(constants)


def _has_shape(module: Module, op: int) -> bool:
    types = (module.type_of(value) for value in module.results(op))
    return any((shape := parse_shaped(kind)) is not None and shape.dims for kind in types)


def constant_of(module: Module, op: int) -> int | None:
    """The integer that a constant op produces; None for other ops."""
    entry = module.syntax(op).property("value")
    if entry is None or module.t.operands[op] or module.t.num_results[op] != 1:
        return None
    return integer_of(entry.value)


def integer_of(value: str) -> int | None:
    """The number in `8 : index`; None if the attribute is not an integer."""
    match = _INTEGER.fullmatch(value)
    return int(match.group(1)) if match else None


def with_constant(value: str, number: int) -> str:
    """The attribute `8 : index` with another number."""
    return _INTEGER.sub(lambda match: f"{number}{match.group(2)}", value)


INTEGER = re.compile(r"index|[su]?i\d+")


def lost_elements(
    ties: Ties, lost: Mapping[int, Sequence[int]]
) -> Iterator[tuple[Dim, tuple[int, ...]]]:
    """The lengths that equal the rank of a value which loses dims, and the elements to drop.

    The length of an operand may be the rank of the result (a reshape), or the length of the result
    may be the rank of an operand (a shape query). Unverified shapes are skipped.

    Args:
        lost: maps each value to the indices of the dims that it loses.
    """
    module = ties.module
    ops = {op for value in lost for op in (module.t.def_op[value], *_users(module, value))}
    for op in sorted(ops - {NONE}):
        operands = ties.shaped(value for value in module.t.operands[op] if value != NONE)
        results = ties.shaped(module.results(op))
        for counts, counted in ((operands, results), (results, operands)):
            for (value, shape), (other, its) in product(counts, counted):
                if other not in lost or value in lost or not _may_count(shape, its):
                    continue
                length, dims = Dim(value, 0), range(len(its.dims))
                if not any(ties.are_tied(length, Dim(other, n)) for n in dims):
                    yield length, tuple(lost[other])


def _may_count(shape: Shaped, counted: Shaped) -> bool:
    return (
        shape.dims == (len(counted.dims),)
        and not shape.is_listed
        and not counted.is_listed
        and INTEGER.fullmatch(shape.element) is not None
    )


def counts_dims_of(shape: Shaped, counted: Shaped) -> bool:
    """Whether a length is more likely the rank of the other shape than its innermost size.

    Not for bracketed dims, as in torch: there, broadcasting may make the two sizes equal.
    """
    return _may_count(shape, counted) and len(counted.dims) > 1 and shape.element != counted.element


def _users(module: Module, value: int) -> list[int]:
    return [op for op, _ in module.uses[value]]
