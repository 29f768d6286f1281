"""Scalar constants that repeat a size, as `torch.constant.int 8` beside `[?,8]`."""

import re
from collections.abc import Iterable

from reducer.ir.module import NONE, Module
from reducer.ir.shapes import parse_shaped

_INTEGER = re.compile(r"(-?\d+)( : (?:index|[su]?i\d+))")


def constants_equal_to(module: Module, size: int, values: Iterable[int]) -> list[int]:
    """Constant ops of a number that reach an op which makes or uses one of these values.

    A constant reaches an op directly or through ops on scalars and lists only.
    """
    near: set[int] = set()
    for value in values:
        if module.t.def_op[value] != NONE:
            near.add(module.t.def_op[value])
        near.update(op for op, _ in module.uses[value])
    found: set[int] = set()
    seen: set[int] = set()
    while near:
        op = near.pop()
        for value in module.t.operands[op]:
            producer = module.t.def_op[value] if value != NONE else NONE
            if producer == NONE or producer in seen or _has_shape(module, producer):
                continue
            seen.add(producer)
            if constant_of(module, producer) == size:
                found.add(producer)
            near.add(producer)
    return sorted(found)


def _has_shape(module: Module, op: int) -> bool:
    types = (module.type_of(value) for value in module.results(op))
    return any((shape := parse_shaped(kind)) is not None and shape.dims for kind in types)


def constant_of(module: Module, op: int) -> int | None:
    """The integer that an op without operands makes; None if it makes none."""
    entry = module.syntax(op).property("value")
    if entry is None or module.t.operands[op] or module.t.num_results[op] != 1:
        return None
    return integer_of(entry.value)


def integer_of(value: str) -> int | None:
    """The number in `8 : index`; None if the attribute is no integer."""
    match = _INTEGER.fullmatch(value)
    return int(match.group(1)) if match else None


def with_constant(value: str, number: int) -> str:
    """The attribute `8 : index` with another number."""
    return _INTEGER.sub(lambda match: f"{number}{match.group(2)}", value)
