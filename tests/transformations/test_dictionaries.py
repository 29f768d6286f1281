"""Dropping entries of nested dictionaries."""

from reducer.transformations.dictionaries import DropNestedEntries
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
