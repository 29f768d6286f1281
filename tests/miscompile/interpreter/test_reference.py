"""The evaluator as a reference: any module that the compiler reads, results as values."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Command, Limits
from reducer.miscompile.interpreter.reference import DirectModule, EvaluatorReference
from reducer.miscompile.oracle import CompilerConfig
from reducer.miscompile.oracle.execution import ExecutionResult, RunContext
from reducer.miscompile.values.programs import Function, ValueType
from reducer.toolchain import Toolchain
from tests.support.evaluator import quick_evaluator as quick_evaluator

pytestmark = pytest.mark.iree

CORE = """
func.func @f(%a: tensor<2x3xf32>, %n: i32) -> (tensor<2x3xf32>, i32, tensor<2xi8>) {
  %e = tensor.empty() : tensor<2xi8>
  %b = arith.addf %a, %a : tensor<2x3xf32>
  %m = arith.muli %n, %n : i32
  return %b, %m, %e : tensor<2x3xf32>, i32, tensor<2xi8>
}
"""

TORCH = """
func.func @f(%a: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32> {
  %0 = torch.aten.relu %a : !torch.vtensor<[2,3],f32> -> !torch.vtensor<[2,3],f32>
  return %0 : !torch.vtensor<[2,3],f32>
}
"""


@pytest.fixture
def evaluated(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> Callable[..., ExecutionResult | None]:
    """The results of `@f` of a module for some inputs; None if it cannot be built."""
    tools = iree_toolchain()
    command = Command(("iree-compile", "--iree-hal-target-backends=llvm-cpu", "{}"))
    compiler = CompilerConfig("it", command, tools.compile, tools.run_module)

    def run(text: str, *inputs: str) -> ExecutionResult | None:
        context = RunContext(Limits(60, 4 << 30))
        reference = EvaluatorReference(compiler)
        program = reference.build(text, tmp_path, context)
        assert (program is None) == (reference.name in context.reasons)
        function = Function("f", (), ())
        return program.call(function, inputs, context, garbage=0) if program else None

    return run


def test_a_module_in_core_dialects(evaluated: Callable[..., ExecutionResult | None]) -> None:
    result = evaluated(CORE, "2x3xf32=1 2 3 4 5 0.5", "-3")
    assert result is not None and not (result.failure or result.undefined or result.unsupported)
    first, second, third = result.results
    assert first.type == ValueType("f32", (2, 3)) and first.defined is None
    assert tuple(first.elements) == (2, 4, 6, 8, 10, 1)
    assert second.type == ValueType("i32", None) and tuple(second.elements) == (9,)
    assert tuple(third.defined) == (False, False)


def test_what_is_above_them_goes_through_the_front_end(
    evaluated: Callable[..., ExecutionResult | None],
) -> None:
    result = evaluated(TORCH, "2x3xf32=1 -2 3 -4 5 -6")
    assert result is not None and tuple(result.results[0].elements) == (1, 0, 3, 0, 5, 0)


def test_an_unknown_op_goes_through_it_by_itself(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """So do those of which the evaluator finds out only when it meets them."""
    text = """
    func.func @f(%a: tensor<2xf32>) -> tensor<2x2xi16> {
      %0 = chlo.erf_inv %a : tensor<2xf32> -> tensor<2xf32>
      %1 = stablehlo.add %0, %0 : tensor<2xf32>
      %2 = stablehlo.bitcast_convert %1 : (tensor<2xf32>) -> tensor<2x2xi16>
      return %2 : tensor<2x2xi16>
    }
    """
    tools = iree_toolchain()
    command = Command(("iree-compile", "--iree-hal-target-backends=llvm-cpu", "{}"))
    compiler = CompilerConfig("it", command, tools.compile, tools.run_module)
    context = RunContext(Limits(60))
    program = EvaluatorReference(compiler).build(text, tmp_path, context)
    assert isinstance(program, DirectModule) and program.lowered_ops == ("chlo.erf_inv",)
    result = program.call(Function("f", (), ()), ["2xf32=0 0"], context, garbage=0)
    assert tuple(result.results[0].elements) == (0, 0, 0, 0)
    assert program.lowered_ops == ("chlo.erf_inv", "stablehlo.bitcast_convert")
    assert '"stablehlo.add"' in program.path.read_text()


def test_a_module_that_does_not_parse_is_not_built(
    evaluated: Callable[..., ExecutionResult | None],
) -> None:
    assert evaluated("func.func @f() { oops }") is None


def test_why_there_are_no_results(evaluated: Callable[..., ExecutionResult | None]) -> None:
    def body(ops: str, result: str = "%r : i32") -> str:
        kind = result.partition(" : ")[2]
        return f"func.func @f(%a: i32) -> {kind} {{\n{ops}\nreturn {result}\n}}"

    divided = evaluated(body("%r = arith.divsi %a, %a : i32"), "0")
    assert divided is not None
    assert divided.undefined == "division by zero (arith.divsi, line 4 of the generic form)"
    failed = evaluated(
        body('%c = arith.cmpi slt, %a, %a : i32\ncf.assert %c, "too small"', "%a : i32"), "0"
    )
    assert failed is not None and failed.failure == "assertion: too small"
    empty = evaluated(body("%r = tensor.empty() : tensor<4xi32>", "%r : tensor<4xi32>"), "0")
    assert empty is not None and "uninitialized" in empty.undefined


def test_unknown_ops_are_named_together(
    evaluated: Callable[..., ExecutionResult | None],
) -> None:
    text = """
    func.func @f(%a: memref<4xf32>, %i: index, %x: f32) -> i32 {
      %y = memref.atomic_rmw addf %x, %a[%i] : (f32, memref<4xf32>) -> f32
      %z = call @g(%y) : (f32) -> i32
      return %z : i32
    }
    func.func @g(%a: f32) -> i32 {
      %v = vector.vscale
      %r = arith.index_cast %v : index to i32
      return %r : i32
    }
    func.func @unused(%a: memref<4xf32>) -> memref<4xf32> {
      %x = memref.cast %a : memref<4xf32> to memref<4xf32>
      return %x : memref<4xf32>
    }
    """
    result = evaluated(text)
    assert result is not None
    assert result.unsupported == ("memref.atomic_rmw", "vector.vscale")


def test_a_command_that_asks_for_fewer_digits_is_not_judged(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """Inputs of matrix products are rounded to bf16, which nothing in the program says."""
    tools = iree_toolchain()
    flag = "--iree-global-opt-demote-contraction-inputs-type=bf16"
    reference = EvaluatorReference(
        CompilerConfig("it", Command(("iree-compile", flag, "{}")), tools.compile, tools.run_module)
    )
    context = RunContext(Limits(60))
    assert reference.build(CORE, tmp_path, context) is None
    assert flag in context.reasons[reference.name]


def test_absurd_sizes_are_refused(evaluated: Callable[..., ExecutionResult | None]) -> None:
    text = """
    func.func @f(%n: index) -> tensor<?xf32> {
      %c = arith.constant 1.0 : f32
      %r = tensor.splat %c[%n] : tensor<?xf32>
      return %r : tensor<?xf32>
    }
    """
    result = evaluated(text, "100000000000")
    assert result is not None
    assert result.unsupported == ("tensor of 100000000000 elements",)
    negative = evaluated(text, "-1")
    assert negative is not None
    assert negative.undefined == "a size of -1 (tensor.splat, line 5 of the generic form)"


def test_elements_that_the_front_end_converts_are_evaluated_as_what_they_become(
    evaluated: Callable[..., ExecutionResult | None],
) -> None:
    """f64 becomes f32 by default, which does not know 1 beside ten billions."""
    text = """
    func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
      %c = arith.constant dense<1.0e+10> : tensor<2xf64>
      %w = arith.extf %a : tensor<2xf32> to tensor<2xf64>
      %s = arith.addf %w, %c : tensor<2xf64>
      %t = arith.subf %s, %c : tensor<2xf64>
      %r = arith.truncf %t : tensor<2xf64> to tensor<2xf32>
      return %r : tensor<2xf32>
    }
    """
    result = evaluated(text, "2xf32=1 -1")
    assert result is not None and tuple(result.results[0].elements) == (0, 0)
