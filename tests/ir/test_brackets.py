"""Commas that count and commas that do not."""

import pytest

from reducer.ir.brackets import split_commas


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("a", ["a"]),
        ("[0, 1], [2]", ["[0, 1]", "[2]"]),
        ("affine_map<(d0, d1) -> (d0)>, #map", ["affine_map<(d0, d1) -> (d0)>", "#map"]),
        ("affine_set<(d0) : (d0 >= 0)>, 1", ["affine_set<(d0) : (d0 >= 0)>", "1"]),
        ('{t.name = "a, \\"b"}, {}', ['{t.name = "a, \\"b"}', "{}"]),
        (
            "dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, 3 : i8",
            ["dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>", "3 : i8"],
        ),
    ],
)
def test_parts(text: str, parts: list[str]) -> None:
    assert split_commas(text) == parts
