"""What is not wrong is never called wrong: real compilers, and the evaluator by default."""

from pathlib import Path

import pytest

from oracles import Kind, Limits
from oracles.compilers.command import Command
from reducer.cli.request.call_options import CallOptions
from reducer.cli.request.wrong_results import WrongResults
from reducer.miscompile.oracle import ValuesOracle
from reducer.miscompile.values import inputs
from reducer.toolchain import install
from tests.conftest import NEWEST_TESTED
from tests.support.corpus import load_case

pytestmark = [pytest.mark.iree, pytest.mark.timeout(600)]

POWER = """
import numpy as np

def power(base: "4xf32", exponent: "4xf32"):
    return base ** exponent
"""
SLICE = """
import numpy as np

def f(a: "16xi8"):
    low = ((a << 4).astype(np.int8) >> 4)[1:9]
    return low
"""


def oracle(text: str, *references: str, call: CallOptions | None = None) -> ValuesOracle:
    """The oracle that the command line makes for llvm-cpu."""
    toolchain = install(NEWEST_TESTED, runtime=True)
    command = Command.parse(["iree-compile", "--iree-hal-target-backends=llvm-cpu"])
    return WrongResults(references, call=call or CallOptions()).oracle(
        command, toolchain.compile, text, limits=Limits(120), display=lambda name, call=None: [name]
    )


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    return tmp_path / "reference.py"


def test_a_program_that_returns_an_argument_is_not_a_wrong_power(reference: Path) -> None:
    """An elementwise function on special values became `return` of the other argument."""
    reference.write_text(POWER)
    case = load_case("mis-powf-negative-base")
    judge = oracle(case.input_text(), f"python:{reference}:power")
    outcome = judge.run(case.input_text())
    assert outcome.kind is Kind.MISCOMPILE and "judge: the evaluator" in outcome.stderr
    assert judge.objection() == ""
    other = """
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  return %b : tensor<4xf32>
}
"""
    assert judge.run(other).kind is Kind.SUCCESS


def test_a_program_that_returns_nothing_defined_is_not_a_wrong_slice(reference: Path) -> None:
    """A slice of a tensor with elements smaller than a byte became `return tensor.empty()`."""
    case = load_case("mis-slice-i4-odd-offset")
    reference.write_text(SLICE)
    judge = oracle(case.input_text(), f"python:{reference}:f")
    assert judge.run(case.input_text()).kind is Kind.MISCOMPILE
    assert judge.objection() == ""
    head = next(line for line in case.input_text().splitlines() if line.startswith("func.func"))
    result = head.partition("->")[2].strip(" {")
    other = f"""
{head}
  %e = tensor.empty() : {result}
  return %e : {result}
}}
"""
    outcome = judge.run(other)
    assert outcome.kind is Kind.UNDECIDED
    assert "the program is undefined: all results depend on uninit" in outcome.stderr


def test_a_function_that_computes_something_else_accuses_nobody(reference: Path) -> None:
    reference.write_text("def half(x):\n    return x / 2\n")
    double = """
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %s = arith.addf %a, %a : tensor<4xf32>
  return %s : tensor<4xf32>
}
"""
    judge = oracle(double, f"python:{reference}:half")
    assert judge.run(double).kind is Kind.MISCOMPILE, "so the function says"
    assert "the evaluator computes the same values as the compiled program" in judge.objection()
    assert judge.run(double.replace("addf", "mulf")).kind is Kind.UNDECIDED


def test_a_division_by_zero_may_do_anything() -> None:
    divides = """
func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {
  %z = arith.constant dense<0> : tensor<4xi32>
  %s = arith.divsi %a, %z : tensor<4xi32>
  return %s : tensor<4xi32>
}
"""
    outcome = oracle(divides, call=CallOptions(inputs=("4xi32=1,2,3,4",))).run(divides)
    assert outcome.kind is Kind.UNDECIDED
    assert "the program is undefined: " in outcome.stderr


def test_rounding_is_not_wrong() -> None:
    """What is left of large numbers that cancel depends on the order of the additions."""
    cancels = """
func.func @f(%a: tensor<1001xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%a : tensor<1001xf32>) outs(%i : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %third = arith.constant 3.333333e-01 : f32
    %y = arith.mulf %x, %third : f32
    %c = math.sin %y : f32
    %big = arith.constant 1.0e6 : f32
    %z = arith.mulf %c, %big : f32
    %s = arith.addf %o, %z : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
"""
    values = " ".join(str(number % 97 + 0.5) for number in range(1001))
    call = CallOptions(inputs=(f"1001xf32={values}",))
    assert oracle(cancels, call=call).run(cancels).kind in (Kind.SUCCESS, Kind.UNDECIDED)


def test_a_front_end_that_is_wrong_is_named() -> None:
    """The evaluator only knows what the front end makes of Torch, so it cannot tell by itself."""
    text = """
func.func @main(%a: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  %r = torch.aten.tanh %a : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %r : !torch.vtensor<[4],f32>
}
"""
    call = CallOptions(("--expected_output=4xf32=1 2 3 4",), ("4xf32=1 2 3 4",))
    judge = oracle(text, call=call)
    assert judge.run(text).kind is Kind.MISCOMPILE
    assert judge.objection().startswith("the front end is at fault, if the expected results are")
    outcome = oracle(text, call=CallOptions(inputs=call.inputs)).run(text)
    assert outcome.kind is Kind.SUCCESS
    assert "only what the front end makes of the program was judged" in outcome.stderr


def test_what_all_backends_do_alike_is_not_called_right_without_a_word() -> None:
    """The insertion fills the row, whichever the backend, and the evaluator knows no ranges."""
    text = """
func.func @f(%a: tensor<2x3xf32>, %x: f32, %i: index) -> (tensor<2x3xf32>, index) {
  %c0 = arith.constant 0 : index
  %r = tensor.insert %x into %a[%c0, %c0] : tensor<2x3xf32>
  %m = util.range.min %i, %c0 : index
  return %r, %m : tensor<2x3xf32>, index
}
"""
    outcome = oracle(text).run(text)
    assert outcome.kind is Kind.SUCCESS
    assert "only compared with vmvx: a defect that both share would not be seen" in outcome.stderr


QUOTIENTS = """
func.func @f(%a: tensor<?xcomplex<f32>>, %b: tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xcomplex<f32>>
  %e = tensor.empty(%n) : tensor<?xcomplex<f32>>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
      affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>)
      outs(%e : tensor<?xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %o: complex<f32>):
    %p = complex.div %x, %y : complex<f32>
    %q = complex.exp %p : complex<f32>
    linalg.yield %q : complex<f32>
  } -> tensor<?xcomplex<f32>>
  return %r : tensor<?xcomplex<f32>>
}
"""


def test_quotients_of_complex_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A division by zero gives infinities and NaN, and nobody says which where."""
    sparse = [style for style in inputs.STYLES if style.is_sparse]
    monkeypatch.setattr(inputs, "STYLES", [inputs.STYLES[0], *sparse])
    outcome = oracle(QUOTIENTS).run(QUOTIENTS)
    assert outcome.kind is Kind.SUCCESS, outcome.stderr


def test_what_the_compiler_computes_in_f32_is_judged_in_f32() -> None:
    """By default f64 becomes f32: the sum of a huge number and a small one loses the latter."""
    text = """
    func.func @f(%a: tensor<12xf64>, %b: tensor<12xf32>) -> tensor<12xf64> {
      %c = arith.constant dense<1.0e+10> : tensor<12xf64>
      %w = arith.extf %b : tensor<12xf32> to tensor<12xf64>
      %s = arith.addf %a, %c : tensor<12xf64>
      %t = arith.subf %s, %c : tensor<12xf64>
      %r = arith.divf %t, %w : tensor<12xf64>
      return %r : tensor<12xf64>
    }
    """
    outcome = oracle(text).run(text)
    assert outcome.kind is Kind.SUCCESS, outcome.stderr


@pytest.mark.parametrize("expected", ["5xf32=2", "2x2xf32=2"])
def test_an_expected_output_of_another_shape_is_that_of_another_program(expected: str) -> None:
    text = """
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.addf %a, %a : tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
    call = CallOptions((f"--expected_output={expected}",), ("4xf32=1",))
    outcome = oracle(text, call=call).run(text)
    assert outcome.kind is Kind.UNDECIDED
    assert f"result 0 of @f is 4xf32, not {expected.partition('=')[0]}" in outcome.stderr
