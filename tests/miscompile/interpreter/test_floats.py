"""Float ops, their casts, and the math dialect against NumPy and Python."""

import math

import ml_dtypes
import numpy as np
import pytest

from tests.support.evaluating import Functions, f32

pytestmark = pytest.mark.iree

UNARY = {
    "absf": abs, "ceil": math.ceil, "cos": math.cos, "erf": math.erf, "exp": math.exp,
    "exp2": math.exp2, "expm1": math.expm1, "floor": math.floor, "sin": math.sin,
    "tan": math.tan, "tanh": math.tanh, "atan": math.atan, "trunc": math.trunc, "cbrt": math.cbrt,
    "roundeven": round, "asinh": math.asinh, "sinh": math.sinh, "cosh": math.cosh,
}  # fmt: skip
POSITIVE = {
    "log": math.log, "log2": math.log2, "log10": math.log10, "log1p": math.log1p,
    "sqrt": math.sqrt, "rsqrt": lambda x: 1 / math.sqrt(x),
}  # fmt: skip
SMALL = ("f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f6E2M3FN", "f4E2M1FN")


def program() -> str:
    kind = "tensor<?xf32>"
    text = [
        f"func.func @{name}(%a: {kind}) -> {kind} {{\n"
        f"  %r = math.{name} %a : {kind}\n  return %r : {kind}\n}}"
        for name in [*UNARY, *POSITIVE]
    ]
    for small in SMALL:
        text.append(
            f"func.func @to_{small}(%a: {kind}) -> {kind} {{\n"
            f"  %r = arith.truncf %a : {kind} to tensor<?x{small}>\n"
            f"  %s = arith.extf %r : tensor<?x{small}> to {kind}\n  return %s : {kind}\n}}"
        )
    return "\n".join(text)


TEXT = program()


@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
def test_functions(module: Functions, name: str) -> None:
    numbers = f32(0.25, 0.5, 1, 1.5, 2.5, 3.75)
    if name in UNARY:
        numbers = np.concatenate([numbers, -numbers])
    function = {**UNARY, **POSITIVE}[name]
    expected = [function(float(number)) for number in numbers]
    np.testing.assert_allclose(module(name, numbers), expected, rtol=1e-5)


@pytest.mark.parametrize("name", SMALL)
def test_small_floats_round_to_nearest_even(module: Functions, name: str) -> None:
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}.get(name)
    if dtype is None:
        bits, rest = name[1], name[2:].lower()
        dtype = getattr(ml_dtypes, f"float{bits}_{rest}")
    numbers = np.linspace(-6, 6, 97, dtype=np.float32)
    expected = numbers.astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(module(f"to_{name}", numbers), expected)
