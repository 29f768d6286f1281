"""Simpler element types."""

import pytest

from reducer.ir import Module
from reducer.transformations.elements import SimplifyElements, simpler_elements
from tests.support.sides import function


@pytest.mark.parametrize(
    ("element", "simpler"),
    [
        ("f8E4M3FNUZ", ["f32"]),
        ("bf16", ["f32"]),
        ("f64", ["f32"]),
        ("i4", ["i32", "i64"]),
        ("ui8", ["si64", "i32"]),
        ("ui32", ["si64", "i32"]),
        ("complex<f64>", ["complex<f32>"]),
        ("complex<f32>", []),
        ("f32", []),
        ("i32", []),
        ("si64", []),
        ("i1", []),
    ],
)
def test_simpler_elements(element: str, simpler: list[str]) -> None:
    assert simpler_elements(element) == simpler


def test_only_classes_with_simpler_types_are_parameters() -> None:
    text = function(
        '%0 = "t.cast"(%a) : (tensor<4xf16>) -> tensor<4xf32>\n"func.return"() : () -> ()',
        arguments="%a: tensor<4xf16>",
    )
    elements = SimplifyElements().of(Module.parse(text))
    assert elements.values == {0: "f16"}
    (after,) = elements.texts({0: "f32"})
    assert "t.cast" not in after
