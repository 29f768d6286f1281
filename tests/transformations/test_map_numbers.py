"""Shrinking the numbers in affine maps and sets."""

from reducer.ir import Module
from reducer.transformations.map_numbers import ShrinkMapNumbers
from tests.support.sides import function

TEXT = function(
    """
    "t.for"(%a) <{lower = affine_map<() -> (3)>, upper = #map12}> : (index) -> ()
    "t.if"(%a) <{condition = affine_set<(d0, d10) : (d0 - 10 >= 0, d10 mod 2 == 0)>}> : (index) -> ()
    "t.string"() <{text = "affine_map<() -> (64)>"}> : () -> ()
    "func.return"() : () -> ()
    """,  # noqa: E501
    arguments="%a: index",
    head="#map12 = affine_map<(d0)[s0] -> (d0 * 16 + s0, 64)>",
)


def test_bounds_factors_and_constraints() -> None:
    numbers = ShrinkMapNumbers().of(Module.parse(TEXT))
    assert list(numbers.values.values()) == [16, 64, 3, 10, 2]
    (text,) = numbers.texts({0: 1, 1: 4, 3: 0})
    assert "affine_map<(d0)[s0] -> (d0 * 1 + s0, 4)>" in text
    assert "(d0 - 0 >= 0, d10 mod 2 == 0)" in text
    assert '"affine_map<() -> (64)>"' in text
