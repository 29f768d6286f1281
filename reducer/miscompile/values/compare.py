"""Compare two lists of results, up to differences explained by rounding."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from reducer.miscompile.values.elements import Numbers
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
        got, want = (
            side.elements[self.position : self.position + 1].tolist()[0]
            for side in (self.actual, self.expected)
        )
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
    differences = []
    for number, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
        difference = _compare_one(number, ours, theirs, tolerance, finite_only)
        if difference is None and signs:
            difference = _zero_with_other_sign(number, ours, theirs)
        if difference is not None:
            differences.append(difference)
    return differences


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
    count = min(actual.count, expected.count)
    ours, theirs = (_exactly(one.elements[:count]) for one in (actual, expected))
    defined, slack = _defined(actual, expected, count), _slack(actual, expected, count)
    if actual.type.is_complex:  # a part is as exact as the whole number
        slack = slack + tolerance * np.repeat(np.hypot(theirs[::2], theirs[1::2]), 2)
    limits = tolerance if expected.exact is None else np.where(expected.exact, strict, tolerance)
    close = _are_close(ours, theirs, limits, scale_of(expected), finite_only, slack)
    wrong = np.flatnonzero(defined & ~close)
    if not wrong.size:
        return None
    infinite = wrong[~(np.isfinite(ours[wrong]) & np.isfinite(theirs[wrong]))]
    if infinite.size:
        return Difference(MismatchKind.NOT_FINITE, number, actual, expected, int(infinite[0]))
    reordered = np.array_equal(np.sort(ours[defined]), np.sort(theirs[defined]))
    kind = MismatchKind.ORDER if reordered else MismatchKind.VALUES
    return Difference(kind, number, actual, expected, int(wrong[0]))


def _exactly(elements: Numbers) -> Numbers:
    """Numbers of any kind as floats that hold integers of 64 bits as well."""
    return elements.astype(np.longdouble)


def _are_close(
    ours: Numbers,
    theirs: Numbers,
    tolerance: Numbers | float,
    scale: float,
    finite_only: bool,
    slack: Numbers | float,
) -> Numbers:
    """Where elements are the same but for rounding; see `is_close` of `printed_results`."""
    with np.errstate(all="ignore"):
        largest = np.maximum(np.maximum(np.abs(ours), np.abs(theirs)), scale)
        near = np.abs(ours - theirs) <= tolerance * largest + slack
        both_nan = np.isnan(ours) & np.isnan(theirs)
    finite = np.isfinite(ours) & np.isfinite(theirs)
    return np.asarray((ours == theirs) | np.where(finite, near, both_nan | finite_only))


def _zero_with_other_sign(number: int, actual: Value, expected: Value) -> Difference | None:
    known = [one.signed for one in (expected, actual) if one.signed is not None]
    if not known or actual.elements is None or expected.elements is None:
        return None
    count = min(actual.count, expected.count, *map(len, known))
    ours, theirs = (_exactly(one.elements[:count]) for one in (actual, expected))
    wrong = (ours == 0) & (theirs == 0) & (np.signbit(ours) != np.signbit(theirs))
    wrong = wrong & _defined(actual, expected, count)
    places = np.flatnonzero(np.logical_and.reduce([wrong, *(one[:count] for one in known)]))
    if not places.size:
        return None
    return Difference(MismatchKind.SIGN, number, actual, expected, int(places[0]))


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
    if expected.elements is None:
        return 0.0
    right = np.abs(_exactly(expected.elements)[_defined(expected, expected, expected.count)])
    return SCALE * float(np.max(right[np.isfinite(right)], initial=0.0))


def _defined(actual: Value, expected: Value, count: int) -> Numbers:
    """For each element whether both sides have a value.

    Of a complex number that is not finite, nobody says which part is infinite and which is NaN.
    """
    masks = [one.defined[:count] for one in (actual, expected) if one.defined is not None]
    if expected.type is not None and expected.type.is_complex:
        parts = np.isfinite(expected.elements[:count])
        masks.append(np.repeat(parts[::2] & parts[1::2], 2))
    return np.asarray(np.logical_and.reduce([np.ones(count, np.bool_), *masks]))


def _slack(actual: Value, expected: Value, count: int) -> Numbers:
    """For each element how far it may be off beyond the tolerance."""
    known = [one.slack[:count] for one in (actual, expected) if one.slack is not None]
    return np.asarray(np.maximum.reduce([np.zeros(count), *known]))
