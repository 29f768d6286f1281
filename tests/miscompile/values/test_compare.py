"""A result is called wrong only if no right program could have given it.

Rounding and undefined elements are no bugs. Inputs are drawn by type, or given by the user.

This file: when two results are the same.
"""

from dataclasses import replace

import numpy as np
import pytest

from reducer.miscompile.values.compare import MismatchKind, compare, gravest
from reducer.miscompile.values.programs import Value, read_results


def values(*lines: str) -> list[Value]:
    return read_results(
        "\n".join(f"result[{n}]: hal.buffer_view\n{x}" for n, x in enumerate(lines))
    )


def sorts(
    actual: list[Value], expected: list[Value], finite_only: bool = False
) -> list[MismatchKind]:
    return [one.kind for one in compare(actual, expected, finite_only=finite_only)]


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ("2xf32=1 2", "2xf32=1 2.0001"),
        ("2xf16=1 2", "2xf16=1 2.01"),
        ("2xf32=NAN INF", "2xf32=NAN INF"),
        ("2xf32=1000 0.001", "2xf32=1000 0.0012"),  # what cancellation leaves
        ("2xi32=", "2xi32="),
        ("2xi8=-92 3", "2xui8=164 3"),  # the front end of torch drops the sign from the type
        ("2xui8=164 3", "2xi8=-92 3"),
    ],
)
def test_the_same(actual: str, expected: str) -> None:
    assert not compare(values(actual), values(expected))


@pytest.mark.parametrize(
    ("actual", "expected", "kind"),
    [
        ("2xi32=1000000 2", "2xi32=1000001 2", MismatchKind.VALUES),
        ("2xf32=1 2", "2xf32=1 2.1", MismatchKind.VALUES),
        ("2xf32=1 INF", "2xf32=2 INF", MismatchKind.VALUES),
        ("2xf32=2 1", "2xf32=1 2", MismatchKind.ORDER),
        ("2xf32=NAN 2", "2xf32=1 2", MismatchKind.NOT_FINITE),
        ("2xf32=1 2", "2xf32=1 INF", MismatchKind.NOT_FINITE),
        ("2xf32=1 2", "1x2xf32=1 2", MismatchKind.TYPE),
    ],
)
def test_not_the_same(actual: str, expected: str, kind: MismatchKind) -> None:
    assert sorts(values(actual), values(expected)) == [kind]


def test_the_sign_of_a_zero_counts_only_if_it_is_known_and_asked_for() -> None:
    (actual,), (expected,) = values("3xf32=0 -0 1"), values("3xf32=-0 -0 1")
    known = replace(expected, signed=(True, True, True))
    (found,) = compare([actual], [known], signs=True)
    assert found.text == "result 0, element 0: 0, expected -0 (a zero with the other sign)"
    for right in (expected, replace(expected, signed=(False, True, True))):
        assert not compare([actual], [right], signs=True)
    assert not compare([actual], [known])
    assert not compare([expected], [known], signs=True)
    (graver,) = compare(values("3xf32=0 -0 2"), [known], signs=True)
    assert graver.kind is MismatchKind.VALUES


def _complex(*numbers: complex) -> list[Value]:
    words = " ".join(np.array(one, "c8").tobytes().hex().upper() for one in numbers)
    return values(f"{len(numbers)}xcf64={words}")


def test_complex_numbers() -> None:
    """A part is as exact as the whole number, and what is not finite is a convention."""
    right = _complex(100 + 0.01j, 2j, complex("nan"), complex(float("inf"), 1))
    assert not compare(_complex(100 + 0.02j, 2j, 5, 6), right)
    (found,) = compare(_complex(100, 2, 0, 0), right)
    assert found.kind is MismatchKind.VALUES
    assert found.text == ("result 0, real part of element 1: 2, expected 0 (wrong values)")
    (found,) = compare(_complex(100, complex("nan"), 0, 0), right)
    assert found.kind is MismatchKind.NOT_FINITE


def test_an_undefined_element_is_never_wrong() -> None:
    (actual,), (expected,) = values("3xf32=1 2 NAN"), values("3xf32=1 7 3")
    partly = replace(expected, defined=(True, False, False))
    assert not compare([actual], [partly])
    assert not compare([replace(actual, defined=(True, False, False))], [expected])
    assert sorts([actual], [replace(expected, defined=(True, True, False))]) == [
        MismatchKind.VALUES
    ]


def test_another_number_of_results() -> None:
    assert sorts(values("f32=1"), []) == [MismatchKind.COUNT]


def test_every_wrong_result_is_told_and_the_gravest_names_the_bug() -> None:
    found = compare(values("i32=1", "f32=2", "f32=NAN"), values("i32=1", "f32=3", "f32=4"))
    assert [one.result for one in found] == [1, 2]
    assert gravest(found).result == 2
    assert gravest(found).text.startswith("result 2, element 0: nan, expected 4")


def test_elements_that_may_be_anything_are_left_out() -> None:
    assert not sorts(values("2xf32=NAN 2"), values("2xf32=1 2"), finite_only=True)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ("1xf32=1001", "1xf32=1000.5"),
        ("1xf16=50.5", "1xf16=50"),
        ("1xbf16=51", "1xbf16=50"),
        ("1xf8E4M3FN=6", "1xf8E4M3FN=5"),
    ],
)
def test_what_nothing_was_rounded_for_is_compared_strictly(actual: str, expected: str) -> None:
    (right,) = values(expected)
    ours, strict = values(actual), replace(right, exact=(True,))
    assert not compare(ours, [right]) and not compare(ours, [replace(right, exact=(False,))])
    assert compare(ours, [strict]) and not compare([right], [strict])
    assert not compare(ours, [strict], tolerance=0.5)


def test_the_user_s_tolerance() -> None:
    ours, theirs = values("2xf32=1 2"), values("2xf32=1 2.1")
    assert not compare(ours, theirs, tolerance=0.1)
    assert compare(ours, values("2xf32=1 2.0001"), tolerance=0.0)


def test_results_that_cannot_be_read_are_not_compared() -> None:
    assert not compare([Value(None)], values("f32=1"))
