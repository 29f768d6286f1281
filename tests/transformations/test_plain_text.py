"""Cutting lines and bracket groups."""

from reducer.ir import PlainText
from reducer.transformations.plain_text import DeleteGroups, DeleteLines

TEXT = "module {\n  func {\n    op\n  }\n  func2\n}\n"


def test_a_group_goes_with_its_brackets() -> None:
    text = PlainText(TEXT)
    sites = DeleteGroups().sites(text)
    assert DeleteGroups().apply(text, sites[1:]) == "module {\n  func2\n}\n"


def test_single_lines() -> None:
    text = PlainText(TEXT)
    sites = DeleteLines().sites(text)
    assert DeleteLines().apply(text, sites[1:5]) == "module {\n}\n"


def test_brackets_stay_balanced_where_they_were() -> None:
    sites = DeleteLines().sites(PlainText(TEXT))
    assert DeleteLines().apply(PlainText(TEXT), sites[:1]) is None
    unbalanced = PlainText("{\na\nb\n")
    assert DeleteLines().apply(unbalanced, DeleteLines().sites(unbalanced)[1:2]) == "{\nb\n"
