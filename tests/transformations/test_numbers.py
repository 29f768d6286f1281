"""Shrinking numbers that are not sizes, also in affine maps and sets."""

from reducer.ir import Module
from reducer.transformations.numbers import ShrinkMapNumbers, ShrinkNumbers
from tests.support.sides import body_of, function

SLICE = function(
    """\
%0 = "t.slice"(%a) <{operandSegmentSizes = array<i32: 1, 2>, \
static_offsets = array<i64: 0, 512>, static_sizes = array<i64: 4, 64>}> : \
(tensor<4x576xf16>) -> tensor<4x64xf16>
%1 = "t.constant"() <{value = 300 : i64}> : () -> i64
"func.return"() : () -> ()""",
    arguments="%a: tensor<4x576xf16>",
)


def test_offsets_and_constants_but_not_sizes() -> None:
    numbers = ShrinkNumbers().of(Module.parse(SLICE))
    assert list(numbers.values.values()) == [512, 300]
    (text,) = numbers.texts({0: 1, 1: 300})
    assert (
        body_of(text)
        == """\
^bb0(%a: tensor<4x576xf16>):
%0 = "t.slice"(%a) <{operandSegmentSizes = array<i32: 1, 2>, \
static_offsets = array<i64: 0, 1>, static_sizes = array<i64: 4, 64>}> : \
(tensor<4x576xf16>) -> tensor<4x64xf16>
%1 = "t.constant"() <{value = 300 : i64}> : () -> i64
"func.return"() : () -> ()"""
    )


def test_values_go_toward_one() -> None:
    numbers = ShrinkNumbers().of(Module.parse(SLICE))
    assert numbers.simpler(0, 6) == [1, 0, 2, 4]
    assert numbers.simpler(0, -3) == [-1, 0, -2]
    assert (numbers.between(4, 8), numbers.between(7, 8)) == (6, None)
    assert [numbers.next_down(n) for n in (3, -3, 1)] == [2, -2, None]


def test_numbers_in_lists() -> None:
    text = function(
        """\
%0 = "t.conv"(%a) {strides = [5 : si64, 1 : si64], order = [0, 7]} : (tensor<4xf32>) -> f32
"func.return"() : () -> ()""",
        arguments="%a: tensor<4xf32>",
    )
    numbers = ShrinkNumbers().of(Module.parse(text))
    assert list(numbers.values.values()) == [5, 7]
    (after,) = numbers.texts({0: 1, 1: 1})
    assert "{strides = [1 : si64, 1 : si64], order = [0, 1]}" in after


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
