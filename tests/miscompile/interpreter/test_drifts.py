"""Programs that a reduction may drift to, which the verifier takes and nobody defines."""

from collections.abc import Callable

import pytest

from reducer.miscompile.interpreter.evaluate import Calls
from reducer.toolchain import Toolchain
from tests.support.evaluating import generic

pytestmark = pytest.mark.iree


def scatter(body: str, promise: str = "") -> str:
    """Updates four elements at two indices by a body of `%p`, what is there, and `%q`."""
    return f"""(%a: tensor<4xi32>, %i: tensor<2x1xi32>, %u: tensor<2xi32>) -> tensor<4xi32> {{
  %r = "stablehlo.scatter"(%a, %i, %u) ({{
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    {body}
  }}) {{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>{promise}}}
    : (tensor<4xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}}"""


def indexed(op: str, result: str = "tensor<2xf32>") -> str:
    """An op on a tensor `%a` of four elements, indices `%i`, and one index `%n`."""
    return f"""(%a: tensor<4xf32>, %i: tensor<2x1xindex>, %n: index) -> {result} {{
  %r = {op}
  return %r : {result}
}}"""


REPLACED = "stablehlo.return %q : tensor<i32>"
TURNED = "%0 = stablehlo.subtract %q, %p : tensor<i32>\n    stablehlo.return %0 : tensor<i32>"
TWICE = ["4xi32=1 2 3 4", "2x1xi32=1 1", "2xi32=7 9"]
BEYOND = ["4xf32=3 -1 4 2", "2x1xi64=1 4", "4"]

DRIFTS = {
    "another start": (
        """(%a: tensor<4xi32>) -> tensor<i32> {
  %i = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0]
    : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  return %r : tensor<i32>
}""",
        ["4xi32=3 -1 4 2"],
    ),
    "replaced": (scatter(REPLACED), TWICE),
    "turned": (scatter(TURNED), TWICE),
    "promised": (scatter(REPLACED, ", unique_indices = true"), TWICE),
    "unsorted": (
        scatter(REPLACED, ", indices_are_sorted = true"),
        [TWICE[0], "2x1xi32=2 1", TWICE[2]],
    ),
    "gathered": (
        indexed("tensor.gather %a[%i] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) "
                "-> tensor<2xf32>"),
        BEYOND,
    ),
    "scattered": (
        indexed("tensor.scatter %b into %a[%i] scatter_dims([0]) unique : (tensor<2xf32>, "
                "tensor<4xf32>, tensor<2x1xindex>) -> tensor<4xf32>", "tensor<4xf32>")
        .replace("  %r", "  %b = arith.constant dense<[7.0, 9.0]> : tensor<2xf32>\n  %r"),
        [BEYOND[0], "2x1xi64=1 1", "0"],
    ),
    "extracted": (indexed("tensor.extract %a[%n] : tensor<4xf32>", "f32"), BEYOND),
    "sliced": (
        indexed("tensor.extract_slice %a[%n] [2] [1] : tensor<4xf32> to tensor<2xf32>"),
        [*BEYOND[:2], "3"],
    ),
    "inserted": (
        indexed("tensor.insert %c into %a[%n] : tensor<4xf32>", "tensor<4xf32>")
        .replace("  %r", "  %c = arith.constant 1.0 : f32\n  %r"),
        BEYOND,
    ),
}  # fmt: skip
RIGHT = {
    "apart": (scatter(REPLACED, ", unique_indices = true"), [TWICE[0], "2x1xi32=2 1", TWICE[2]]),
    "inside": (DRIFTS["gathered"][0], [BEYOND[0], "2x1xi64=1 3", "0"]),
}
PROGRAMS = DRIFTS | RIGHT


@pytest.fixture(scope="module")
def module(iree_toolchain: Callable[..., Toolchain]) -> str:
    text = (f'func.func @"{name}"{source}' for name, (source, _) in PROGRAMS.items())
    return generic(iree_toolchain(), "\n".join(text))


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_nobody_defines_is_no_candidate(module: str, name: str) -> None:
    answer = Calls(module, name).answer(PROGRAMS[name][1])
    assert not answer.unsupported and not answer.failure
    partly = any(one.defined is not None and not one.defined.all() for one in answer.results)
    assert (bool(answer.undefined) or partly) is (name in DRIFTS)
