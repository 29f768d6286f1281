"""Arguments whose names nothing uses."""

import pytest

from reducer.ir import PlainText
from reducer.transformations.unused_items import DropUnusedItems


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
