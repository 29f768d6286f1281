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
    assert DeleteLines().apply(text, DeleteLines().sites(text)[1:5]) == "module {\n}\n"
