"""Cutting lines and bracket groups."""

from reducer.ir import PlainText
from reducer.transformations.plain_text import DeleteGroups, DeleteLines, UnwrapGroups

TEXT = "module {\n  func {\n    op\n  }\n  func2\n}\n"


def test_a_group_goes_with_its_brackets() -> None:
    text = PlainText(TEXT)
    sites = DeleteGroups().sites(text)
    assert DeleteGroups().apply(text, sites[1:]) == "module {\n  func2\n}\n"


def test_a_module_goes_and_leaves_its_functions() -> None:
    text = PlainText(TEXT)
    sites = UnwrapGroups().sites(text)
    assert UnwrapGroups().apply(text, sites[:1]) == "func {\n  op\n}\nfunc2\n"
    assert UnwrapGroups().apply(text, sites) == "op\nfunc2\n"


def test_a_function_with_arguments_stays_around_what_uses_them() -> None:
    text = PlainText("module {\n  func @f(%a: i32) {\n    use %a\n  }\n}\n")
    sites = UnwrapGroups().sites(text)
    assert UnwrapGroups().apply(text, sites) == "func @f(%a: i32) {\n  use %a\n}\n"


def test_brackets_with_others_between_them_on_their_lines_stay() -> None:
    text = PlainText("a {\n  b\n} c {\n  d\n}\n")
    sites = UnwrapGroups().sites(text)
    assert UnwrapGroups().apply(text, sites[:1]) is None


def test_single_lines() -> None:
    text = PlainText(TEXT)
    sites = DeleteLines().sites(text)
    assert DeleteLines().apply(text, sites[1:5]) == "module {\n}\n"


def test_brackets_stay_balanced_where_they_were() -> None:
    sites = DeleteLines().sites(PlainText(TEXT))
    assert DeleteLines().apply(PlainText(TEXT), sites[:1]) is None
    unbalanced = PlainText("{\na\nb\n")
    assert DeleteLines().apply(unbalanced, DeleteLines().sites(unbalanced)[1:2]) == "{\nb\n"
