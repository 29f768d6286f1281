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
