"""Tell a wrong result from one that rounding explains.

Two correct programs that add in another order differ as much as one program does for inputs that
differ in their last digits. So the inputs are changed there, and an element that the program under
test gives anywhere near the values found in this way is not wrong.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from reducer.miscompile.oracle.execution import ExecutionResult
from reducer.miscompile.values.programs import Value, ValueType, complex_word, numbers_of

NUDGES = 1 + 1e-6, 1 - 1e-6
"""Factors on floats: about eight units in the last place of f32, nothing for smaller types."""

_SLACK = 4.0
"""How far beyond the range of values an element may be, in multiples of that range."""


def nudged(inputs: Sequence[str], factor: float) -> list[str]:
    """The inputs with all finite floats multiplied by a factor.

    >>> nudged(["2xf32=1 -inf", "2xi32=1 2", "7"], 1.5)
    ['2xf32=1.5 -inf', '2xi32=1 2', '7']
    """
    return [_nudged(word, factor) for word in inputs]


def nearest(
    actual: ExecutionResult, expected: ExecutionResult, others: Sequence[ExecutionResult]
) -> ExecutionResult:
    """The results closest to the actual ones among those that rounding may have made.

    `others` are the expected ones for nudged inputs.
    """
    found = []
    for number, value in enumerate(expected.results):
        beside = [other.results[number] for other in others if number < len(other.results)]
        ours = actual.results[number] if number < len(actual.results) else value
        found.append(_nearest(ours, value, beside))
    return replace(expected, results=tuple(found))


def _nudged(word: str, factor: float) -> str:
    type_, equals, values = word.partition("=")
    parsed = ValueType.parse(f"tensor<{type_}>") if equals else None
    if parsed is None or not (parsed.is_float or parsed.is_complex):
        return word
    plain = values.replace("[", " ").replace("]", " ").replace(",", " ").split()
    try:
        numbers = tuple(map(float, numbers_of(plain, parsed)))
    except ValueError:
        return word
    if parsed.is_complex:
        parts = iter([one * factor for one in numbers])
        return f"{type_}=" + " ".join(complex_word(real, next(parts), parsed) for real in parts)
    return f"{type_}=" + " ".join(
        repr(one * factor) if math.isfinite(one) else old
        for one, old in zip(numbers, plain, strict=True)
    )


def _nearest(actual: Value, expected: Value, others: Sequence[Value]) -> Value:
    columns = [value.elements for value in (expected, *others)]
    known = [column for column in columns if column is not None]
    if actual.elements is None or len(known) < len(columns):
        return expected
    if any(len(column) != len(actual.elements) for column in known):
        return expected
    rows = zip(actual.elements, *known, strict=True)
    return replace(expected, elements=tuple(_clamped(*row) for row in rows))


def _clamped(actual: float, expected: float, *others: float) -> float:
    """The number closest to `actual` in the range of the others; `expected` if there is none."""
    least, most = min(expected, *others), max(expected, *others)
    if not all(map(math.isfinite, (actual, expected, *others))) or least == most:
        return expected
    slack = _SLACK * (most - least)
    return min(max(actual, least - slack), most + slack)
