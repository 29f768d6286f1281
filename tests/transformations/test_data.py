"""Simplifying single elements of constant data."""

from reducer.ir import Module
from reducer.transformations.data import SimplifyData
from tests.support.sides import apply_to, function


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
