"""Programs that a reduction may drift to, which the verifier takes and nobody defines."""

from collections.abc import Callable

import pytest

from reducer.miscompile.interpreter.evaluate import Calls
from reducer.toolchain import Toolchain
from tests.support.evaluating import generic

pytestmark = pytest.mark.iree


def of(element: str, *lines: str) -> str:
    """A body of `%p` and `%q` that returns the last of some ops."""
    kind = f"tensor<{element}>"
    ops = [f"%{number} = stablehlo.{line} : {kind}" for number, line in enumerate(lines)]
    return "\n".join([*ops, f"stablehlo.return %{len(lines) - 1 if lines else 'q'} : {kind}"])


def reduction(element: str, initial: str, *lines: str, size: int = 6) -> tuple[str, list[str]]:
    """Reduces six elements in windows of a size; all of them if there is one window."""
    kind, count = f"tensor<{element}>", 7 - size
    op, how = "reduce_window", f"window_dimensions = array<i64: {size}>"
    result = f"tensor<{count}x{element}>"
    if count == 1:
        op, how, result = "reduce", "dimensions = array<i64: 0>", kind
    return (
        f"""(%a: tensor<6x{element}>) -> {result} {{
  %i = stablehlo.constant dense<{initial}> : {kind}
  %r = "stablehlo.{op}"(%a, %i) <{{{how}}}> ({{
  ^bb0(%p: {kind}, %q: {kind}):
    {of(element, *lines)}
  }}) : (tensor<6x{element}>, {kind}) -> {result}
  return %r : {result}
}}""",
        [f"6x{element}=3 -2 1 4 -5 2"],
    )


def scatter(element: str, body: str, promise: str = "", at: str = "1 1") -> tuple[str, list[str]]:
    """Updates four elements at two indices by a body of `%p`, what is there, and `%q`."""
    kinds = f"(tensor<4x{element}>, tensor<2x1xi32>, tensor<2x{element}>) -> tensor<4x{element}>"
    return (
        f"""(%a: tensor<4x{element}>, %i: tensor<2x1xi32>, %u: tensor<2x{element}>)
    -> tensor<4x{element}> {{
  %r = "stablehlo.scatter"(%a, %i, %u) ({{
  ^bb0(%p: tensor<{element}>, %q: tensor<{element}>):
    {body}
  }}) {{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>{promise}}}
    : {kinds}
  return %r : tensor<4x{element}>
}}""",
        [f"4x{element}=1 2 3 4", f"2x1xi32={at}", f"2x{element}=0 9"],
    )


def passed_back(initial: str, op: str) -> tuple[str, list[str]]:
    """Passes three numbers back to the largest of each two neighbors, where a body meets them."""
    body = of("f32", f"{op} %p, %q")
    return (
        f"""(%a: tensor<4xf32>, %s: tensor<3xf32>) -> tensor<4xf32> {{
  %i = stablehlo.constant dense<{initial}> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) <{{window_dimensions = array<i64: 2>}}> ({{
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}, {{
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    {body}
  }}) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}}""",
        ["4xf32=1 9 3 2", "3xf32=5 7 9"],
    )


def indexed(op: str, result: str = "tensor<2xf32>") -> str:
    """An op on a tensor `%a` of four elements, indices `%i`, and one index `%n`."""
    return f"""(%a: tensor<4xf32>, %i: tensor<2x1xindex>, %n: index) -> {result} {{
  %r = {op}
  return %r : {result}
}}"""


BEYOND = ["4xf32=3 -1 4 2", "2x1xi64=1 4", "4"]
UNIQUE, SORTED = ", unique_indices = true", ", indices_are_sorted = true"

DRIFTS = {
    "sum from 1": reduction("i32", "1", "add %p, %q"),
    "sum from 2": reduction("f32", "2.0", "add %p, %q"),
    "product from 2": reduction("bf16", "2.0", "multiply %p, %q", size=2),
    "differences": reduction("f16", "0.0", "subtract %p, %q"),
    "differences, turned": reduction("f64", "0.0", "subtract %q, %p", size=3),
    "remainders": reduction("i64", "0", "remainder %p, %q"),
    "shifts": reduction("i16", "0", "shift_left %p, %q"),
    "neither": reduction("i1", "false", "or %p, %q", "not %0"),
    "doubled": reduction("i8", "0", "maximum %p, %q", "add %0, %0", size=2),
    "of squares": reduction("f32", "0.0", "multiply %p, %p", "multiply %q, %q", "add %0, %1"),
    "angles": reduction("bf16", "0.0", "atan2 %p, %q", size=2),
    "passed back from 1": passed_back("1.0", "add"),
    "passed back as differences": passed_back("0.0", "subtract"),
    "replaced": scatter("i32", of("i32")),
    "replaced float": scatter("f16", of("f16")),
    "replaced bit": scatter("i1", of("i1")),
    "turned": scatter("i8", of("i8", "subtract %q, %p")),
    "divided": scatter("f64", of("f64", "divide %q, %p")),
    "promised": scatter("i32", of("i32"), UNIQUE),
    "promised sum": scatter("f32", of("f32", "add %p, %q"), UNIQUE),
    "unsorted": scatter("i32", of("i32"), SORTED, at="2 1"),
    "unsorted maximum": scatter("i64", of("i64", "maximum %p, %q"), SORTED, at="3 0"),
    "gathered before": (
        indexed("tensor.gather %a[%i] gather_dims([0]) : (tensor<4xf32>, tensor<2x1xindex>) "
                "-> tensor<2xf32>"),
        [BEYOND[0], "2x1xi64=0 -1", "0"],
    ),
    "read as a vector": (
        indexed("vector.transfer_write %v, %e[%c] {in_bounds = [true]} : vector<2xf32>, "
                "tensor<2xf32>")
        .replace("  %r", "  %c = arith.constant 0 : index\n  %z = arith.constant 0.0 : f32\n"
                 "  %e = tensor.empty() : tensor<2xf32>\n  %v = vector.transfer_read %a[%n], %z "
                 "{in_bounds = [true]} : tensor<4xf32>, vector<2xf32>\n  %r"),
        [*BEYOND[:2], "3"],
    ),
    "loaded": (
        indexed("memref.load %m[%n] : memref<4xf32>", "f32")
        .replace("  %r", "  %m = bufferization.to_buffer %a : tensor<4xf32> to memref<4xf32>\n"
                 "  %r"),
        BEYOND,
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
    "sum": reduction("f16", "-0.0", "add %p, %q"),
    "product": reduction("i8", "1", "multiply %p, %q", size=3),
    "parity": reduction("i1", "false", "xor %p, %q"),
    "largest from 3": reduction("f32", "3.0", "maximum %p, %q", size=2),
    "passed back": passed_back("0.0", "add"),
    "apart": scatter("i32", of("i32"), UNIQUE, at="2 1"),
    "taken away twice": scatter("f32", of("f32", "subtract %p, %q")),
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
