"""Compare two lists of results, up to differences explained by rounding."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reducer.miscompile.values.printed_results import is_close
from reducer.miscompile.values.programs import Value

TOLERANCES = {"f64": 1e-5, "f32": 1e-3, "f16": 2e-2, "bf16": 6e-2, "cf64": 1e-3, "cf128": 1e-5}
"""Relative tolerances, with respect to the larger of the two numbers.

If larger, a hundredth of the largest number in the tensor is used, because cancellation loses
digits. f64 is printed with six digits. The tolerances are wide on purpose: rounding is not a
miscompile.
"""

_COARSE = 0.3  # f8 and smaller floats
EXACT_TOLERANCES = {"f16": 2.0**-10, "bf16": 2.0**-7}
"""Relative tolerances for exact numbers, which are computed without any rounding: one unit in the
last place of floats of 16 bits, whose functions are computed in several ways.
"""
_AS_PRINTED = 1e-5  # the runtime prints six digits
SCALE = 0.01
"""The least number that differences are relative to, relative to the largest."""


class MismatchKind(StrEnum):
    """How a result is wrong, most severe first."""

    COUNT = "another number of results"
    TYPE = "another type or shape"
    NOT_FINITE = "NaN or infinity where numbers are right, or the other way round"
    VALUES = "wrong values"
    ORDER = "the right values in another order"
    SIGN = "a zero with the other sign"


@dataclass(frozen=True)
class Difference:
    """The first wrong element of a result.

    `position` counts elements in row-major order, the parts of complex numbers one by one.
    """

    kind: MismatchKind
    result: int
    actual: Value
    expected: Value
    position: int = 0

    @property
    def text(self) -> str:
        """The difference in one readable line."""
        return self.in_words("expected")

    def in_words(self, expected: str) -> str:
        """The same, with other words for what is compared with."""
        where = f"result {self.result}"
        if self.kind in (MismatchKind.COUNT, MismatchKind.TYPE):
            return f"{where}: {self.kind}: {self.actual}, {expected} {self.expected}"
        assert self.actual.elements is not None and self.expected.elements is not None
        got, want = self.actual.elements[self.position], self.expected.elements[self.position]
        element = f"element {self.position}"
        if self.expected.type is not None and self.expected.type.is_complex:
            part = "imaginary" if self.position % 2 else "real"
            element = f"{part} part of element {self.position // 2}"
        return f"{where}, {element}: {_shown(got)}, {expected} {_shown(want)} ({self.kind})"


def compare(
    actual: Sequence[Value],
    expected: Sequence[Value],
    *,
    tolerance: float | None = None,
    finite_only: bool = False,
    signs: bool = False,
) -> list[Difference]:
    """All results that differ, in order. Elements that are undefined on either side are ignored.

    `tolerance` replaces the tolerances by type; `finite_only` ignores elements that are not finite
    in either result (a program compiled under the assumption that there are none has no correct
    value there). `signs` is whether the sign of a zero counts, where it is known.
    """
    if len(actual) != len(expected):
        return [Difference(MismatchKind.COUNT, 0, _or_nothing(actual), _or_nothing(expected))]
    found = []
    for number, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
        difference = _compare_one(number, ours, theirs, tolerance, finite_only)
        if difference is None and signs:
            difference = _zero_with_other_sign(number, ours, theirs)
        if difference is not None:
            found.append(difference)
    return found


def gravest(differences: Sequence[Difference]) -> Difference:
    """The difference that identifies the bug: the first of the most severe kind."""
    order = list(MismatchKind)
    return min(differences, key=lambda one: order.index(one.kind))


def _shown(number: float) -> str:
    """Two large integers that differ must not look the same."""
    return str(number) if isinstance(number, int) else f"{number:g}"


def _or_nothing(values: Sequence[Value]) -> Value:
    return values[0] if values else Value(None)


def _compare_one(
    number: int, actual: Value, expected: Value, tolerance: float | None, finite_only: bool
) -> Difference | None:
    expected = expected.read_as(actual.type)  # a front end may drop the sign from the type
    if actual.elements is None or expected.elements is None:
        return None
    assert actual.type is not None and expected.type is not None
    if actual.type.shape != expected.type.shape:
        return Difference(MismatchKind.TYPE, number, actual, expected)
    strict = exact_tolerance_of(actual) if tolerance is None else tolerance
    tolerance = tolerance_of(actual) if tolerance is None else tolerance
    pairs = list(zip(actual.elements, expected.elements, strict=False))
    told = _defined(actual, expected)
    scale = _scale(expected, told)
    slack = _slack(actual, expected)
    if actual.type.is_complex:  # a part is as exact as the whole number
        sizes = [math.hypot(*pair) for pair in _pairs(expected.elements) for _ in range(2)]
        slack = [more + tolerance * size for more, size in zip(slack, sizes, strict=False)]
    exact = expected.exact or (False,) * len(pairs)
    wrong = [
        position
        for position, ((ours, theirs), defined, more, same) in enumerate(
            zip(pairs, told, slack, exact, strict=False)
        )
        if defined
        and not is_close(ours, theirs, strict if same else tolerance, scale, finite_only, more)
    ]
    if not wrong:
        return None
    for position in wrong:
        if not all(map(math.isfinite, pairs[position])):
            return Difference(MismatchKind.NOT_FINITE, number, actual, expected, position)
    compared = [pair for pair, defined in zip(pairs, told, strict=False) if defined]
    reordered = sorted(ours for ours, _ in compared) == sorted(theirs for _, theirs in compared)
    kind = MismatchKind.ORDER if reordered else MismatchKind.VALUES
    return Difference(kind, number, actual, expected, wrong[0])


def _zero_with_other_sign(number: int, actual: Value, expected: Value) -> Difference | None:
    masks = [mask for mask in (expected.signed, actual.signed) if mask is not None]
    known = [all(masks) for masks in zip(*masks, _defined(actual, expected), strict=False)]
    pairs = zip(actual.elements or (), expected.elements or (), strict=False)
    told = zip(pairs, known if masks else (), strict=False)
    for position, ((ours, theirs), is_known) in enumerate(told):
        if ours == theirs == 0 and is_known and sign_of(ours) != sign_of(theirs):
            return Difference(MismatchKind.SIGN, number, actual, expected, position)
    return None


def sign_of(number: float) -> float:
    """1 or -1, for zeros as well."""
    return math.copysign(1.0, number)


def tolerance_of(value: Value) -> float:
    """The relative tolerance for elements of this type."""
    assert value.type is not None
    known = value.type.is_float or value.type.is_complex
    return TOLERANCES.get(value.type.element, _COARSE) if known else 0.0


def exact_tolerance_of(value: Value) -> float:
    """The relative tolerance for elements of this type that are the same in any order."""
    assert value.type is not None
    return min(EXACT_TOLERANCES.get(value.type.element, _AS_PRINTED), tolerance_of(value))


def scale_of(expected: Value) -> float:
    """The least number that differences from these elements are relative to."""
    return _scale(expected, _defined(expected, expected))


def _scale(expected: Value, told: Sequence[bool]) -> float:
    right = [one for one, defined in zip(expected.elements or (), told, strict=False) if defined]
    return SCALE * max((abs(one) for one in right if math.isfinite(one)), default=0.0)


def _defined(actual: Value, expected: Value) -> Sequence[bool]:
    """For each element whether both sides have a value."""
    masks = [mask for mask in (actual.defined, expected.defined) if mask is not None]
    if expected.type is not None and expected.type.is_complex:
        masks.append(_finite_pairs(expected.elements or ()))
    if not masks:
        return [True] * len(expected.elements or ())
    return [all(both) for both in zip(*masks, strict=False)]


def _finite_pairs(parts: Sequence[float]) -> tuple[bool, ...]:
    """For each part whether the complex number is finite.

    Of others nobody says which part is infinite and which is NaN.
    """
    known = [math.isfinite(a) and math.isfinite(b) for a, b in _pairs(parts)]
    return tuple(finite for finite in known for _ in range(2))


def _pairs(parts: Sequence[float]) -> Iterator[tuple[float, float]]:
    return zip(parts[::2], parts[1::2], strict=False)


def _slack(actual: Value, expected: Value) -> Sequence[float]:
    """For each element how far it may be off beyond the tolerance."""
    known = [slack for slack in (actual.slack, expected.slack) if slack is not None]
    if not known:
        return [0.0] * len(expected.elements or ())
    return [max(both) for both in zip(*known, strict=False)]
