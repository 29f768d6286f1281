"""Vectors as arguments and results: they go through memory, one element after the other.

Some vectors in memory are packed (`vector<8xi1>`), and what holds them for us is not.
"""

import math
from collections.abc import Callable, Iterator
from itertools import product

from reducer.miscompile.mlir_runner.memory import NotInMemory
from reducer.miscompile.mlir_runner.types import element_type, memref_type, mlir_type
from reducer.miscompile.values.programs import ValueType

_MOST = 1 << 10  # elements: each is an op or two

Fresh = Callable[[], str]
"""Makes names of values."""


def loaded(value: str, buffer: str, type_: ValueType, fresh: Fresh) -> Iterator[str]:
    """Ops that make a vector of what is in memory.

    Raises:
        NotInMemory: it has too many elements, or none.
    """
    places = list(_places(type_))
    vector = ""
    for number, place in enumerate(places):
        element, last = fresh(), vector
        vector = fresh() if number + 1 < len(places) else value
        constants, indices = _indices(place, fresh)
        yield from constants
        yield f"  {element} = memref.load {buffer}[{indices}] : {memref_type(type_)}"
        if not last:
            kinds = f"{element_type(type_)} to {mlir_type(type_)}"
            yield f"  {vector} = vector.broadcast {element} : {kinds}"
        else:
            kinds = f"{element_type(type_)} into {mlir_type(type_)}"
            yield f"  {vector} = vector.insert {element}, {last}{list(place)} : {kinds}"


def stored(value: str, buffer: str, type_: ValueType, fresh: Fresh) -> Iterator[str]:
    """Ops that write a vector to memory.

    Raises:
        NotInMemory: it has too many elements, or none.
    """
    for place in _places(type_):
        element = fresh()
        kinds = f"{element_type(type_)} from {mlir_type(type_)}"
        yield f"  {element} = vector.extract {value}{list(place)} : {kinds}"
        constants, indices = _indices(place, fresh)
        yield from constants
        yield f"  memref.store {element}, {buffer}[{indices}] : {memref_type(type_)}"


def _places(type_: ValueType) -> Iterator[tuple[int, ...]]:
    sizes = [size or 0 for size in type_.shape or ()]
    if not 0 < math.prod(sizes) <= _MOST:
        raise NotInMemory(f"{mlir_type(type_)}: a vector of so many elements")
    return product(*map(range, sizes))


def _indices(place: tuple[int, ...], fresh: Fresh) -> tuple[list[str], str]:
    names = [fresh() for _ in place]
    made = (
        f"  {name} = arith.constant {at} : index" for name, at in zip(names, place, strict=True)
    )
    return list(made), ", ".join(names)
