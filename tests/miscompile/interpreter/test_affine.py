"""The evaluator computes what a program means, without the compiler that is under test.

Its results agree with NumPy, with Python, and with references of other projects. Where a program
leaves open what is computed, or rounding may change it, it says so instead of choosing.

This file: affine maps, with coefficients where they are linear and values where they are not.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducer.miscompile.interpreter.affine import Linear, evaluate, linear, parse_affine_map
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported


def test_linear_results() -> None:
    found = parse_affine_map("affine_map<(d0, d1)[s0] -> (d1, d0 * 2 + d1 - 3, 0, d0 floordiv 2)>")
    assert (found.dims, found.symbol_names) == (2, ["s0"])
    assert linear(found, 0) == Linear((0, 1), 0)
    assert linear(found, 1) == Linear((2, 1), -3)
    assert linear(found, 2) == Linear((0, 0), 0)
    assert linear(found, 3) is None
    assert [found.loop(n) for n in range(3)] == [1, None, None]


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 9))
def test_values(a: int, b: int, s: int) -> None:
    text = "(d0, d1)[s0] -> (d0 * -2 + d1, -(d0 - 3), d0 floordiv s0, d0 ceildiv s0, d1 mod s0)"
    found = evaluate(parse_affine_map(f"affine_map<{text}>"), [a, b, s])
    assert found == [-2 * a + b, 3 - a, a // s, -(-a // s), b % s]


@pytest.mark.parametrize("kind", ["mod", "floordiv", "ceildiv"])
def test_a_divisor_must_be_positive(kind: str) -> None:
    found = parse_affine_map(f"affine_map<(d0)[s0] -> (d0 {kind} s0)>")
    for divisor in (0, -3):
        with pytest.raises(UndefinedBehavior, match="not positive"):
            evaluate(found, [5, divisor])


def test_other_texts_are_refused() -> None:
    with pytest.raises(Unsupported, match="affine expression near 'x'"):
        parse_affine_map("affine_map<(d0) -> (x)>")
