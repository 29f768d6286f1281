"""Constant folding of integer ops."""

from collections.abc import Callable, Sequence

_Binary = Callable[[int, int], int | None]


def _truncated(a: int, b: int) -> int | None:
    """The quotient rounded toward zero, like `arith.divsi`."""
    return None if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int | None:
    quotient = _truncated(a, b)
    return None if quotient is None else a - b * quotient


_OPS: dict[str, _Binary] = {
    "add": lambda a, b: a + b,
    "addi": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "subi": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "muli": lambda a, b: a * b,
    "divs": _truncated,
    "divsi": _truncated,
    "divu": _truncated,
    "divui": _truncated,
    "floordivs": lambda a, b: a // b if b else None,
    "floordivsi": lambda a, b: a // b if b else None,
    "ceildivs": lambda a, b: -(-a // b) if b else None,
    "ceildivsi": lambda a, b: -(-a // b) if b else None,
    "ceildivu": lambda a, b: -(-a // b) if b else None,
    "ceildivui": lambda a, b: -(-a // b) if b else None,
    "rems": _remainder,
    "remsi": _remainder,
    "remu": _remainder,
    "remui": _remainder,
    "maxs": max,
    "maxsi": max,
    "maxu": max,
    "maxui": max,
    "mins": min,
    "minsi": min,
    "minu": min,
    "minui": min,
}
_CASTS = ("index_cast", "index_castui", "casts", "castu", "extsi", "extui", "trunci")
_DIALECTS = ("arith", "index")


def result_of(name: str, operands: Sequence[int | None]) -> int | None:
    """The result of an `arith` or `index` op; None for other ops and unknown operands.

    The op is used on sizes, which are small and nonnegative, so width and signedness do not matter.

    >>> result_of("arith.muli", [3, 4]), result_of("index.ceildivs", [7, 2])
    (12, 4)
    """
    dialect, _, op = name.partition(".")
    known = [operand for operand in operands if operand is not None]
    if dialect not in _DIALECTS or len(known) != len(operands):
        return None
    if len(known) == 1 and op in _CASTS:
        return known[0]
    return _OPS[op](*known) if len(known) == 2 and op in _OPS else None
