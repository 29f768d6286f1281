"""Sizes that depend on others: of pads, encodings and data, and static ones beside dynamic ones."""

from reducer.ir import Module
from reducer.ir.sizes import DROPPED
from reducer.transformations.ranks import DropDims
from reducer.transformations.sizes import ShrinkSizes
from tests.support.sides import body_of, function

PAD = function(
    """
    %0 = "t.pad"(%a) <{high = array<i64: 4, 3>, low = array<i64: 8, 0>}> : (tensor<4x?xf32>) -> tensor<16x?xf32>
    "func.return"(%0) : (tensor<16x?xf32>) -> ()
    """,  # noqa: E501
    arguments="%a: tensor<4x?xf32>",
    results="tensor<16x?xf32>",
)
SPARSE = function(
    """
    %0 = "t.convert"(%a) : (tensor<10x?xf32>) -> tensor<?x?xf32, #csr>
    "func.return"() : () -> ()
    """,
    arguments="%a: tensor<10x?xf32>",
    head="#csr = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>",
)
DATA = function(
    """
    %0 = "t.constant"() <{value = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>}> : () -> tensor<2x3xi32>
    "func.return"() : () -> ()
    """  # noqa: E501
)


def with_size(text: str, before: int | None, after: int) -> str:
    sizes = ShrinkSizes().of(Module.parse(text))
    number = next(n for n, size in sizes.values.items() if size == before)
    return body_of(sizes.texts({number: after})[0])


def test_a_padded_size_is_a_sum() -> None:
    sizes = ShrinkSizes().of(Module.parse(PAD))
    assert list(sizes.values.values()) == [None, 8, 4, 4, 3, 0]
    assert '(%a) <{high = array<i64: 4, 3>, low = array<i64: 1, 0>}> : (tensor<4x?xf32>) -> \
tensor<9x?xf32>' in with_size(PAD, 8, 1)  # fmt: skip
    assert "(tensor<1x?xf32>) -> tensor<13x?xf32>" in with_size(PAD, 4, 1)
    assert "(tensor<4x2xf32>) -> tensor<16x5xf32>" in with_size(PAD, None, 2)


def test_the_numbers_of_a_pad_are_no_dims() -> None:
    assert list(DropDims().of(Module.parse(PAD)).values.values()) == [4, None]


def test_the_number_of_a_dim_is_no_size() -> None:
    """Although the shape has a size of the same value; a size may be beyond any dim."""
    text = function(
        """
        %0 = "t.broadcast"(%a) <{broadcast_dimensions = array<i64: 2>}> : (tensor<2xf32>) -> tensor<4x4x2xf32>
        %1 = "t.broadcast"(%0) <{dims = [4, 4, 2]}> : (tensor<4x4x2xf32>) -> tensor<1x4x4x2xf32>
        "func.return"() : () -> ()
        """,  # noqa: E501
        arguments="%a: tensor<2xf32>",
    )
    after = with_size(text, 2, 1)
    assert "array<i64: 2>}> : (tensor<1xf32>) -> tensor<4x4x1xf32>" in after
    assert "dims = [4, 4, 1]" in after


def test_a_pad_loses_a_dim() -> None:
    text = function(
        """
        %0 = "t.pad"(%a) <{high = array<i64: 4, 0>, low = array<i64: 8, 0>}> ({
        ^bb0(%i: index, %j: index):
          "t.yield"() : () -> ()
        }) : (tensor<4x7xf32>) -> tensor<16x7xf32>
        "func.return"() : () -> ()
        """,
        arguments="%a: tensor<4x7xf32>",
    )
    ranks = DropDims().of(Module.parse(text))
    number = next(n for n, size in ranks.values.items() if size == 7)
    (after,) = ranks.texts({number: DROPPED})
    assert "<{high = array<i64: 4>, low = array<i64: 8>}>" in after
    assert "^bb0(%i: index):" in after
    assert "(tensor<4xf32>) -> tensor<16xf32>" in after


def test_a_dynamic_size_may_become_the_static_one_beside_it() -> None:
    sizes = ShrinkSizes().of(Module.parse(SPARSE))
    ladders = [sizes.simpler(n, size) for n, size in sizes.values.items() if size is None]
    assert ladders == [[2, 8, 100], [2, 8, 100, 10]]


def test_an_encoding_loses_the_level_of_a_dim() -> None:
    ranks = DropDims().of(Module.parse(SPARSE))
    number = next(n for n, size in ranks.values.items() if size is None)
    (text,) = ranks.texts({number: DROPPED})
    assert "tensor<?xf32, #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>>" in text


def test_data_is_cut_to_size() -> None:
    assert "dense<[[1], [4]]> : tensor<2x1xi32>" in with_size(DATA, 3, 1)
    assert "dense<[[1, 2, 3]]> : tensor<1x3xi32>" in with_size(DATA, 2, 1)
    ranks = DropDims().of(Module.parse(DATA))
    (text,) = ranks.texts({0: DROPPED})
    assert "dense<[1, 2, 3]> : tensor<3xi32>" in text


EXPAND = function(
    """
    %0 = "t.expand"(%a, %n, %n, %n) <{reassociation = [[0, 1], [2]], shape = array<i64: -9223372036854775808, -9223372036854775808, -9223372036854775808>}> : (tensor<?x?xf32>, index, index, index) -> tensor<?x?x?xf32>
    "func.return"() : () -> ()
    """,  # noqa: E501
    arguments="%a: tensor<?x?xf32>, %n: index",
)


def test_an_index_goes_with_its_dim() -> None:
    text = function(
        """
        %0 = "t.load"(%a, %i, %j) : (memref<4x8xf32>, index, index) -> f32
        "func.return"() : () -> ()
        """,
        arguments="%a: memref<4x8xf32>, %i: index, %j: index",
    )
    ranks = DropDims().of(Module.parse(text))
    number = next(n for n, size in ranks.values.items() if size == 4)
    (after,) = ranks.texts({number: DROPPED})
    assert '"t.load"(%a, %j) : (memref<8xf32>, index) -> f32' in after


def test_trailing_operands_that_an_array_counts_are_sizes() -> None:
    ranks = DropDims().of(Module.parse(EXPAND))
    texts = [text for number in ranks.values for text in ranks.texts({number: DROPPED})]
    assert any(
        "(%a, %n, %n) <{reassociation = [[0, 1]], shape = array<i64: -9223372036854775808, "
        "-9223372036854775808>}> : (tensor<?xf32>, index, index) -> tensor<?x?xf32>" in text
        for text in texts
    )
