"""Single items of lists."""

from reducer.ir import PlainText
from reducer.transformations.text_items import DropItems

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
