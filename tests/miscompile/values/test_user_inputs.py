"""Which argument takes which of the user's values."""

import pytest

from reducer.miscompile.values.compare import Difference, MismatchKind
from reducer.miscompile.values.programs import Value, ValueType
from reducer.miscompile.values.user_inputs import InputSpec, Window, chosen, focus_of


def taken(given: list[str], *declared: str) -> list[str | None]:
    """What arguments of these types take."""
    types = [ValueType.parse(f"tensor<{one}>" if "x" in one else one) for one in declared]
    found = chosen([InputSpec.parse(one) for one in given], [one for one in types if one])
    return [None if one is None else f"{one.type}={one.values}" for one in found]


@pytest.mark.parametrize(
    ("given", "declared", "expected"),
    [
        ("2x3xf32=1 2 3 4 5 6", "2x3xf32", "2x3xf32=1 2 3 4 5 6"),
        ("2x3xf32=1 2 3 4 5 6", "?x3xf32", "2x3xf32=1 2 3 4 5 6"),
        ("2x3xf32=1,2,3,4,5,6", "2x2xf32", "2x2xf32=1 2 4 5"),
        ("2x3xf32=[1 2 3][4 5 6]", "1x?xf32", "1x3xf32=1 2 3"),
        ("2x3xf32=7", "1x1xf32", "1x1xf32=7"),
        ("1x3xf32=1 2 3", "3xf32", "3xf32=1 2 3"),
        ("3xf32=1 2 3", "1x2x1xf32", "1x2x1xf32=1 2"),
        ("2x3xf32=1 2 3 4 5 6", "3xf32", "3xf32=1 2 3"),
        ("3x2xf32=1 2 3 4 5 6", "3xf32", "3xf32=1 3 5"),
        ("4xui8=1 2 255 4", "3xi8", "3xui8=1 2 255"),
        ("2xi64=1 2", "2xindex", "2xi64=1 2"),
        ("2x3xf32=1 2 3 4 5 6", "2x4xf32", None),
        ("2x3xf32=1 2 3 4 5 6", "2x3xf16", None),
        ("2x3xf32", "1x3xf32", None),
    ],
)
def test_an_argument_takes_the_beginning_of_larger_values(
    given: str, declared: str, expected: str | None
) -> None:
    assert taken([given], declared) == [expected]


def test_a_smaller_argument_takes_what_is_in_focus_or_the_end() -> None:
    """The sixth element in the result is wrong: that of the input is likely to be why."""
    eight = [InputSpec.parse("8xi8=0 1 2 3 4 5 6 7"), InputSpec.parse("2x8xi8=0")]
    declared = [ValueType("i8", (2,))]
    expected, actual = (Value(ValueType("f32", (4, 8)), (x,) * 32) for x in (0.0, 1.0))
    focus = focus_of(Difference(MismatchKind.VALUES, 0, actual, expected, 2 * 8 + 5))
    assert focus == ((4, 2), (8, 5))
    for window, values in (
        (Window(), "0 1"),
        (Window(focus), "5 6"),
        (Window(((8, 7),)), "6 7"),
        (Window(focus, at_end=True), "6 7"),
    ):
        (taken,) = chosen(eight[:1], declared, window)
        assert taken is not None and taken.values == values


def test_values_keep_their_order_when_an_argument_shrinks_to_the_size_of_another() -> None:
    given = ["2x2xi8=1 2 3 4", "1x2xi8=5 6"]
    assert taken(given, "1x2xi8", "1x2xi8") == ["1x2xi8=1 2", "1x2xi8=5 6"]


def test_values_may_be_listed_in_another_order() -> None:
    given = ["2xi8=5 6", "7", "2xf32=1 2"]
    assert taken(given, "2xf32", "i32", "2xi8") == ["2xf32=1 2", "None=7", "2xi8=5 6"]


def test_an_argument_that_went_leaves_its_values_unused() -> None:
    given = ["2xi8=1 2", "3xf32=1 2 3", "2xi16=3 4"]
    assert taken(given, "2xi8", "2xi16") == ["2xi8=1 2", "2xi16=3 4"]
    assert taken(given, "2xf32", "5xi16") == ["2xf32=1 2", None]
