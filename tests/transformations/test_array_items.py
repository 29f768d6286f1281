"""Dropping items of lists."""

from reducer.ir import Module
from reducer.transformations.array_items import DropArrayItems
from tests.support.sides import apply_to, function

TEXT = function(
    '"t.tile"(%a) <{names = ["x, y", "z"], scalable = array<i1: false, true, false>, '
    "sizes = array<i64: 8, 4, 2>}> : (!t.handle) -> ()\n"
    '"func.return"() : () -> ()',
    arguments="%a: !t.handle",
)


def test_an_item_alone_and_with_those_of_other_lists() -> None:
    assert len(DropArrayItems().sites(Module.parse(TEXT))) == 2 + 2 * 3 + 3
    assert 'names = ["x, y"]' in apply_to(DropArrayItems(), TEXT, 1)
    alone = apply_to(DropArrayItems(), TEXT, 4)
    assert "scalable = array<i1: false, false>, sizes = array<i64: 8, 4, 2>" in alone
    together = apply_to(DropArrayItems(), TEXT, 5)
    assert "scalable = array<i1: false, false>, sizes = array<i64: 8, 2>" in together


def test_an_array_without_items() -> None:
    text = function(
        '"t.tile"() <{sizes = array<i64: 8, 4>}> : () -> ()\n"func.return"() : () -> ()'
    )
    assert "sizes = array<i64>}" in apply_to(DropArrayItems(), text)


def test_sizes_of_shapes_stay() -> None:
    text = function(
        '"t.slice"(%a) <{sizes = array<i64: 8, 4>, steps = array<i64: 1, 1>}> : '
        '(tensor<8x4xf32>) -> ()\n"func.return"() : () -> ()',
        arguments="%a: tensor<8x4xf32>",
    )
    assert DropArrayItems().sites(Module.parse(text)) == []
