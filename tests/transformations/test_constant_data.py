"""Replacing constants with splats, and simplifying single elements."""

import pytest

from reducer.ir import Module
from reducer.transformations.constant_data import SimplifyData, SplatConstants
from tests.support.sides import apply_to, function


@pytest.mark.parametrize(
    ("value", "zeros"),
    [
        ("dense<[1, 2]> : tensor<2xi32>", "dense<0> : tensor<2xi32>"),
        ("dense<[[1.0, 2.0]]> : vector<1x2xf32>", "dense<0.0> : vector<1x2xf32>"),
        ('dense<"0x00FF"> : tensor<2xi8>', "dense<0> : tensor<2xi8>"),
        ("dense<[true, false]> : tensor<2xi1>", "dense<false> : tensor<2xi1>"),
        (
            "dense<[(1.0, 2.0), (0.0, 1.0)]> : tensor<2xcomplex<f32>>",
            "dense<(0.0, 0.0)> : tensor<2xcomplex<f32>>",
        ),
        ("#t.box<dense<[1, 2]> : tensor<2xsi64>>", "#t.box<dense<0> : tensor<2xsi64>>"),
    ],
)
def test_zeros(value: str, zeros: str) -> None:
    text = function(f'"t.constant"() <{{value = {value}}}> : () -> ()\n"func.return"() : () -> ()')
    assert f"value = {zeros}}}" in apply_to(SplatConstants(), text)


def test_ones_are_the_second_choice() -> None:
    text = function(
        '"t.c"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> ()\n"func.return"() : () -> ()'
    )
    assert "dense<1.0>" in apply_to(SplatConstants(), text, 0)


def test_a_resource_loses_its_blob() -> None:
    text = (
        function(
            '"t.c"() <{value = dense_resource<w> : tensor<2xf32>}> : () -> ()\n'
            '"func.return"() : () -> ()'
        )
        + "\n{-#\n  dialect_resources: {\n    builtin: {\n"
        + '      w: "0x0400000000"\n    }\n  }\n#-}\n'
    )
    after = apply_to(SplatConstants(), text)
    assert "dense<0.0> : tensor<2xf32>" in after
    assert "{-#" not in after


def test_splats_stay() -> None:
    text = function(
        '"t.c"() <{value = dense<3.0> : tensor<2xf32>}> : () -> ()\n"func.return"() : () -> ()'
    )
    assert SplatConstants().sites(Module.parse(text)) == []


def constant(value: str) -> str:
    return function(
        f'%0 = "t.constant"() <{{value = {value}}}> : () -> tensor<2x2xf32>\n'
        '"func.return"() : () -> ()'
    )


def test_one_before_zero() -> None:
    text = constant("dense<[[1, 2], [-3, 40]]> : tensor<2x2xi32>")
    assert len(SimplifyData().sites(Module.parse(text))) == 6
    assert "dense<[[1, 2], [-3, 1]]>" in apply_to(SimplifyData(), text, 5)
    assert "dense<[[1, 2], [-3, 0]]>" in apply_to(SimplifyData(), text, 4)
    assert "dense<[[1, 1], [1, 1]]>" in apply_to(SimplifyData(), text)


def test_floats() -> None:
    text = constant("dense<[1.000000e+00, -2.500000e-01]> : tensor<2xf32>")
    assert "dense<[1.000000e+00, 1.0]>" in apply_to(SimplifyData(), text)


def test_neither_splats_nor_long_lists() -> None:
    for value in ("dense<7> : tensor<2xi8>", f"dense<{list(range(65))}> : tensor<65xi8>"):
        assert SimplifyData().sites(Module.parse(constant(value))) == []
