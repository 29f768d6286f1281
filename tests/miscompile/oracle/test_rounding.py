"""What rounding explains."""

import pytest

from reducer.miscompile.oracle.execution import ExecutionResult
from reducer.miscompile.oracle.result_judge import nearest, nudged
from reducer.miscompile.values.programs import Value, ValueType


def result(*elements: float, kind: str = "f32") -> ExecutionResult:
    return ExecutionResult((Value(ValueType(kind, (len(elements),)), elements),))


@pytest.mark.parametrize(
    ("actual", "expected", "others", "found"),
    [
        (0.0, 1.0, (1.0, 1.0), 1.0),  # not touched by the last digits
        (0.9, 1.0, (0.95, 1.0), 0.9),  # close to where they lead
        (0.0, 1.0, (0.95, 1.0), 0.75),  # too far away
        (float("nan"), 1.0, (0.0, 1.0), 1.0),  # never by rounding
    ],
)
def test_the_closest_value_that_rounding_may_make(
    actual: float, expected: float, others: tuple[float, ...], found: float
) -> None:
    given = nearest(result(actual), result(expected), [result(one) for one in others])
    assert given.results[0].elements == pytest.approx((found,))


def test_results_of_other_sizes_stay_as_they_are() -> None:
    (found,) = nearest(result(1.0, 2.0), result(3.0), [result(4.0)]).results
    assert found.words == ["3"]


def test_complex_numbers_are_nudged() -> None:
    assert nudged(["1xcf64=0000803F000000C0"], 2) == ["1xcf64=00000040000080C0"]


def test_only_finite_floats_are_nudged() -> None:
    assert nudged(["2xf32=[1][nan]", "2xi32=1 2", "5"], 2) == ["2xf32=2.0 nan", "2xi32=1 2", "5"]
