"""Dropping named parameters of dialect attributes, and items of lists among them."""

from reducer.transformations.nested_parameters import DropNestedParameters
from tests.support.sides import apply_to, function

TEXT = function(
    """
    "t.op"() {layout = #t.layout<constants = 4, bindings = [#t.b<x, "A|B">, <y>], flags = Z>} \
: () -> ()
    "t.op"() {config = #t.config<tiles = [[1, 64], [2]]>, at = #t.at<0, step = 2>} : () -> ()
    "t.op"() {map = affine_map<(d0, d1) -> (d0)>, v = dense<[1, 2]> : tensor<2xi8>} : () -> ()
    "func.return"() : () -> ()
    """,
    head="#alias = #t.target<hip, chip = x>",
)


def test_all_of_them() -> None:
    after = apply_to(DropNestedParameters(), TEXT)
    assert "{layout = #t.layout}" in after
    assert "{config = #t.config, at = #t.at<0>}" in after
    assert "{map = affine_map<(d0, d1) -> (d0)>, v = dense<[1, 2]> : tensor<2xi8>}" in after


def test_one_parameter() -> None:
    assert 'bindings = [#t.b<x, "A|B">, <y>], flags = Z>' in apply_to(
        DropNestedParameters(), TEXT, 3
    )


def test_one_item_of_a_list() -> None:
    """The items of inner lists come before those of the list around them."""
    text = TEXT.replace("#alias = #t.target<hip, chip = x>", "")
    assert 'bindings = [#t.b<x, "A|B">], flags' in apply_to(DropNestedParameters(), text, 1)
    assert "tiles = [[64], [2]]>" in apply_to(DropNestedParameters(), text, 5)
    assert "tiles = [[1, 64]]>" in apply_to(DropNestedParameters(), text, 8)
