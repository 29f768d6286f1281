"""StableHLO is evaluated as it is, so a mistake of the compiler's front end shows."""

from collections.abc import Callable

import numpy as np
import pytest

from reducer.miscompile.interpreter.dialects.names import STABLEHLO_OPS
from reducer.miscompile.interpreter.registry import known_ops
from reducer.toolchain import Toolchain
from tests.support.evaluating import f32, functions
from tests.support.in_process import output_of

pytestmark = pytest.mark.iree

FLOATS = (
    "abs", "ceil", "cosine", "exponential", "exponential_minus_one", "floor", "log_plus_one",
    "logistic", "negate", "round_nearest_afz", "round_nearest_even", "sign", "sine", "tanh",
)  # fmt: skip
FLOAT_TEXT = "\n".join(
    f"func.func @{name}(%a: tensor<7xf32>) -> tensor<7xf32> {{\n"
    f"  %r = stablehlo.{name} %a : tensor<7xf32>\n  return %r : tensor<7xf32>\n}}"
    for name in FLOATS
)


def test_what_is_listed_is_known() -> None:
    assert {name for name in known_ops() if name.startswith("stablehlo.")} == STABLEHLO_OPS


def test_the_front_end_computes_the_same(iree_toolchain: Callable[..., Toolchain]) -> None:
    """Each function evaluated as it is, and once more after the compiler has lowered it."""
    toolchain = iree_toolchain()
    given = f32(-2.5, -0.5, 0.0, 0.25, 1.5, 2.5, 30.0)
    direct = functions(toolchain, FLOAT_TEXT)
    lowered = functions(toolchain, _lowered(toolchain, FLOAT_TEXT))
    for name in FLOATS:
        with np.errstate(all="ignore"):
            ours, theirs = direct(name, given), lowered(name, given)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6, err_msg=name)


def _lowered(toolchain: Toolchain, text: str) -> str:
    flags = "--compile-to=input", "--iree-hal-target-backends=vmvx", "-o", "-"
    return output_of(toolchain.compile, text, *flags)
