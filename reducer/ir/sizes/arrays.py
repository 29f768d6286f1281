"""Integer arrays among an op's attributes that repeat the sizes of one of its shapes."""

import re
from collections.abc import Iterator

from reducer.ir.module import NONE, Module
from reducer.ir.shapes import Dims, Shaped
from reducer.ir.sizes.slots import Dim, Element, Ties
from reducer.ir.syntax import Entry, split_array

DYNAMIC = -(1 << 63)
"""How an array of sizes writes a dynamic one."""

NUMBERS_DIMS = re.compile(r"(?:^|_)(?:dims?|dimensions?|axis|axes|permutation)(?:_pos|_perm|$)")
"""Names of attributes whose numbers are places of dims, and no sizes."""

_ARRAY = re.compile(r"array<i64: ([-\d, ]+)>")


def integer_array(entry: Entry) -> list[int] | None:
    """The numbers of an `array<i64: …>`; None if the attribute is none."""
    match = _ARRAY.fullmatch(entry.value)
    return [int(number) for number in match.group(1).split(",")] if match else None


def write_array(numbers: list[int]) -> str:
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def tie_arrays(ties: Ties, op: int) -> None:
    """Ties the numbers of each array to the shape whose sizes they are."""
    module = ties.module
    syntax = module.syntax(op)
    for entry in syntax.entries:
        numbers = integer_array(entry)
        if numbers is None:
            continue
        sizes: Dims = tuple(None if n == DYNAMIC else n for n in numbers)
        shaped = ties.shaped(_values(module, op))
        for value, shape in shaped:
            places = _align(sizes, shape.dims)
            if places is not None:
                for number, place in enumerate(places):
                    if place is not None:
                        ties.tie(Element(op, entry.name, number), Dim(value, place))
                _tie_whole(ties, op, entry.name, sizes, value)
                break
        else:
            _tie_inner(ties, op, entry.name, sizes, shaped)


def _tie_inner(
    ties: Ties, op: int, name: str, sizes: Dims, shaped: list[tuple[int, Shaped]]
) -> None:
    """The last sizes of a shape, such as the tiles of what is packed, if of one shape only."""
    count = len(sizes)
    found = [(v, len(s.dims)) for v, s in shaped if s.dims[-count:] == sizes != s.dims]
    if len(found) == 1 and not NUMBERS_DIMS.search(name):
        ((value, rank),) = found
        for number in range(count):
            ties.tie(Element(op, name, number), Dim(value, rank - count + number))


def _tie_whole(ties: Ties, op: int, name: str, sizes: Dims, part: int) -> None:
    """A slice goes through the whole of a shape wherever it is as large."""
    for value, shape in ties.shaped(_values(ties.module, op)):
        if value != part and len(shape.dims) == len(sizes):
            for number, size in enumerate(sizes):
                if shape.dims[number] == size:
                    ties.tie(Element(op, name, number), Dim(value, number))


def _values(module: Module, op: int) -> Iterator[int]:
    yield from module.results(op)
    yield from (v for v in module.t.operands[op] if v != NONE)


def _align(sizes: Dims, dims: Dims) -> list[int | None] | None:
    """For each size the dim it is, or None where a unit was dropped; None if they do not fit."""
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
