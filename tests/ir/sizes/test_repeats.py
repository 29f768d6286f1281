"""Lengths that are ranks of shapes, and lists of elements."""

import pytest

from reducer.ir.shapes import parse_shaped
from reducer.ir.sizes.repeats import counts_dims_of, integer_array
from reducer.ir.syntax import Entry


@pytest.mark.parametrize(
    ("length", "counted", "counts"),
    [
        ("tensor<3xindex>", "tensor<2x?x3xf32>", True),
        ("tensor<3xindex>", "tensor<2x3xf32>", False),  # its rank is 2
        ("tensor<3xf32>", "tensor<2x?x3xf32>", False),  # not integers
        ("tensor<2xi32>", "tensor<2x2xi32>", False),  # more likely a broadcast
        ("tensor<1xi32>", "tensor<1xf32>", False),  # more likely the same size
        ("tensor<3xi64>", "!torch.vtensor<[2,5,3],f32>", False),  # torch has broadcasts
    ],
)
def test_lengths_that_are_probably_ranks(length: str, counted: str, counts: bool) -> None:
    one, other = parse_shaped(length), parse_shaped(counted)
    assert one is not None
    assert other is not None
    assert counts_dims_of(one, other) is counts


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        ("array<i64: 1, -2>", [1, -2]),
        ("array<i32: 1>", [1]),
        ("[1, -2]", [1, -2]),
        ("[1 : si64, -2 : si64]", [1, -2]),
    ],
)
def test_arrays_of_integers(value: str, numbers: list[int]) -> None:
    assert integer_array(Entry("sizes", value, (0, 0), (0, 0))) == numbers
    assert integer_array(Entry("operandSegmentSizes", value, (0, 0), (0, 0))) is None


@pytest.mark.parametrize(
    "value", ["array<f32: 1>", "array<i64>", "[]", "[[0], [1]]", "[1 : i64, 2 : i32]", "[1.0]"]
)
def test_what_is_no_array_of_integers(value: str) -> None:
    assert integer_array(Entry("sizes", value, (0, 0), (0, 0))) is None
