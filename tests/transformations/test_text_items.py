"""Single items of lists, and those whose names nothing uses."""

import pytest

from reducer.ir import PlainText
from reducer.transformations.text_items import DropItems, DropUnusedItems

TEXT = "hw.module @p<p1: i42 = 17, p2: i1>(in %a: i8, out o: i8) {\n  use %a -> [1, 2]\n}\n"


def test_each_item_goes_with_its_comma() -> None:
    module = PlainText(TEXT)
    sites = DropItems().sites(module)
    after = [DropItems().apply(module, [site]) for site in sites]
    assert after == [
        TEXT.replace("p1: i42 = 17,", ""),
        TEXT.replace(", p2: i1", ""),
        TEXT.replace("in %a: i8,", ""),
        TEXT.replace(", out o: i8", ""),
        TEXT.replace("1,", ""),
        TEXT.replace(", 2", ""),
    ]


def test_a_long_text_is_left_alone() -> None:
    assert DropItems().sites(PlainText("op(%a, %b)\n" * 100)) == []


def test_items_inside_of_each_other_go_together() -> None:
    module = PlainText("op(%a, pair<i8, i16>, %b)\n")
    sites = DropItems().sites(module)
    assert len(sites) == 5
    assert DropItems().apply(module, sites) == "op()\n"
    assert DropItems().apply(module, sites[1:4]) == "op(%a, %b)\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (
            "hw.module @M(in %a : i8, in %b : i8, out o : i8) {\n  hw.output %b : i8\n}\n",
            "hw.module @M(in %b : i8, out o : i8) {\n  hw.output %b : i8\n}\n",
        ),
        ("func @f(%a: tuple<i8, i8>, %b: i8) {\n}\n", "func @f() {\n}\n"),
        ("func @f(%a: i8) {\n  return %a\n}\n", None),
        ("call @f(%a, %a)\n", None),
        ("op(%a\n", None),
    ],
)
def test_they_go_at_once(text: str, after: str | None) -> None:
    module = PlainText(text)
    sites = DropUnusedItems().sites(module)
    assert (DropUnusedItems().apply(module, sites) if sites else None) == after
