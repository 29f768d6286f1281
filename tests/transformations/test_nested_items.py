"""Dropping entries of nested dictionaries, named parameters, and items of lists among them."""

from reducer.transformations.nested_items import DropNestedEntries, DropNestedParameters
from tests.support.sides import apply_to, function

TEXT = function(
    """
    "t.op"() {config = #t.config<{a = 1 : i64, b = [{c = "x, }"}, 2]}>, shape = #alias} : () -> ()
    "func.return"() : () -> ()
    """,
    head="#alias = #t.target<hip, {chip = #t.chip<{f = affine_map<(d0) -> (d0)>}>, last = true}>",
)


def test_all_entries() -> None:
    after = apply_to(DropNestedEntries(), TEXT)
    assert "#alias = #t.target<hip, {}>" in after
    assert '"t.op"() {config = #t.config<{}>, shape = #alias}' in after


def test_an_entry_in_an_alias_definition() -> None:
    after = apply_to(DropNestedEntries(), TEXT, 1)
    assert "#alias = #t.target<hip, {last = true}>" in after
    assert "a = 1 : i64" in after


def test_a_nested_entry() -> None:
    after = apply_to(DropNestedEntries(), TEXT, 3)
    assert "#t.config<{a = 1 : i64, b = [{}, 2]}>" in after


def test_a_list_in_a_dialect_attribute() -> None:
    text = function(
        """
        "t.op"() {t = #t.target<mma = [<A>, <B>], sizes = [4]>, v = dense<[1, 2]> : tensor<2xi8>} \
: () -> ()
        "func.return"() : () -> ()
        """
    )
    assert "mma = [], sizes = [4]>" in apply_to(DropNestedEntries(), text, 0)
    assert "mma = [<A>, <B>], sizes = []>" in apply_to(DropNestedEntries(), text, 1)


def test_a_string_that_ends_in_a_backslash() -> None:
    text = function(
        r"""
        "t.op"() {config = {a = "b\\", c = "}", d = 1 : i64}} : () -> ()
        "func.return"() : () -> ()
        """
    )
    assert r'{config = {a = "b\\", c = "}"}}' in apply_to(DropNestedEntries(), text, 2)


def test_the_members_of_a_record_have_no_spaces_between_them() -> None:
    """As Flang prints them; the second character after a comma is part of the name."""
    text = function(
        """
        "t.op"() {kind = !fir.type<_QTt{n:i32,v:!fir.box<f32>,name:!fir.char<1,8>}>} : () -> ()
        "func.return"() : () -> ()
        """
    )
    assert "_QTt{v:!fir.box<f32>, name:!fir.char<1,8>}" in apply_to(DropNestedEntries(), text, 0)
    assert "_QTt{n:i32, name:!fir.char<1,8>}" in apply_to(DropNestedEntries(), text, 1)
    assert "{kind = !fir.type<_QTt>}" in apply_to(DropNestedEntries(), text)


PARAMETERS = function(
    """
    "t.op"() {layout = #t.layout<constants = 4, bindings = [#t.b<x, "A|B">, <y>], flags = Z>} \
: () -> ()
    "t.op"() {config = #t.config<tiles = [[1, 64], [2]]>, at = #t.at<0, step = 2>} : () -> ()
    "t.op"() {map = affine_map<(d0, d1) -> (d0)>, v = dense<[1, 2]> : tensor<2xi8>} : () -> ()
    "func.return"() : () -> ()
    """,
    head="#alias = #t.target<hip, chip = x>",
)


def test_all_parameters() -> None:
    after = apply_to(DropNestedParameters(), PARAMETERS)
    assert "{layout = #t.layout}" in after
    assert "{config = #t.config, at = #t.at<0>}" in after
    assert "{map = affine_map<(d0, d1) -> (d0)>, v = dense<[1, 2]> : tensor<2xi8>}" in after


def test_one_parameter() -> None:
    assert 'bindings = [#t.b<x, "A|B">, <y>], flags = Z>' in apply_to(
        DropNestedParameters(), PARAMETERS, 3
    )


def test_one_item_of_a_list() -> None:
    """The items of inner lists come before those of the list around them."""
    text = PARAMETERS.replace("#alias = #t.target<hip, chip = x>", "")
    assert 'bindings = [#t.b<x, "A|B">], flags' in apply_to(DropNestedParameters(), text, 1)
    assert "tiles = [[64], [2]]>" in apply_to(DropNestedParameters(), text, 5)
    assert "tiles = [[1, 64]]>" in apply_to(DropNestedParameters(), text, 8)
