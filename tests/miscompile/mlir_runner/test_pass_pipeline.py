"""Passes that change what a module means. These tests run LLVM's real `mlir-opt`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from oracles import Command
from oracles.signature.kind import Kind
from oracles.signature.outcome import Outcome
from reducer.cli.request.wrong_results import pipeline_comparison
from reducer.miscompile.oracle import ValuesOracle
from reducer.miscompile.oracle.differential import DifferentialRun
from reducer.miscompile.oracle.execution import ExecutionResult
from reducer.miscompile.values.user_inputs import InputSpec
from tests.support.masked import MASKED
from tests.support.opt_tools import find_opt

pytestmark = pytest.mark.usefixtures("one_size")

WHILE = """
func.func @f(%a: index) -> index {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %r:3 = scf.while (%b = %c0) : (index) -> (index, index, index) {
    %less = arith.cmpi slt, %b, %a : index
    %v = scf.if %less -> (index) {
      %next = arith.addi %b, %c2 : index
      scf.yield %next : index
    } else {
      scf.yield %a : index
    }
    scf.condition(%less) %v, %v, %b : index, index, index
  } do {
  ^bb0(%x: index, %y: index, %z: index):
    scf.yield %y : index
  }
  return %r#2 : index
}
"""
"""https://github.com/llvm/llvm-project/issues/219456: canonicalization takes the wrong branch."""

PRINTED = """
func.func @main() {
  %v = arith.constant 5 : i32
  %w = arith.constant 6 : i32
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<1xi32>
  memref.store %v, %m[%c0] : memref<1xi32>
  affine.for %i = 0 to 0 {
    affine.store %w, %m[0] : memref<1xi32>
  }
  %r = memref.load %m[%c0] : memref<1xi32>
  vector.print %r : i32
  return
}
"""
"""https://github.com/llvm/llvm-project/issues/128273: a store leaves a loop that never runs."""

LOWERING = (
    "-lower-affine -convert-scf-to-cf -convert-vector-to-llvm -convert-arith-to-llvm "
    "-finalize-memref-to-llvm -convert-func-to-llvm -convert-cf-to-llvm -reconcile-unrealized-casts"
)


def judged(
    text: str, *passes: str, inputs: Sequence[str] = (), references: Sequence[str] = ()
) -> tuple[ValuesOracle, Outcome]:
    """What passes do to a module, for some inputs or all that are tried."""
    opt = find_opt()
    command = Command.parse([opt.name, *passes])
    comparison = pipeline_comparison(command, opt, references)
    oracle = ValuesOracle(
        replace(comparison, user_inputs=tuple(map(InputSpec.parse, inputs))), text
    )
    return oracle, oracle.run(text)


def test_a_pass_that_changes_what_a_function_gives() -> None:
    oracle, outcome = judged(WHILE, "-cse", "-canonicalize")
    assert outcome.kind is Kind.MISCOMPILE
    assert outcome.remarks[0].startswith("expected values: the evaluator and mlir-runner")
    assert oracle.command is not None  # so its passes can be reduced
    without = oracle.with_command(oracle.command.with_flags(["-cse"]))
    assert without.run(WHILE).kind is Kind.SUCCESS


@pytest.mark.parametrize("lowering", ["", LOWERING])
def test_what_a_program_prints_is_compared(lowering: str) -> None:
    """It runs as it is, or as far as the user's own passes have lowered it."""
    _, wrong = judged(PRINTED, "-affine-loop-invariant-code-motion", *lowering.split())
    assert wrong.kind is Kind.MISCOMPILE
    assert "6, expected 5" in wrong.stderr
    assert judged(PRINTED, *lowering.split())[1].kind is Kind.SUCCESS


def test_inputs_that_the_evaluator_finds() -> None:
    """No trial has both of them; the quotient is negated once too often for the least dividend."""
    old = find_opt("mlir-opt-19")
    text = """
    func.func @f(%a: i8, %b: i8) -> i8 {
      %0 = arith.ceildivsi %a, %b : i8
      return %0 : i8
    }
    """
    command = Command.parse([old.name, "--arith-expand"])
    outcome = ValuesOracle(pipeline_comparison(command, old, ()), text).run(text)
    assert outcome.kind is Kind.MISCOMPILE
    assert "1, expected -1 (wrong values), in @f(-128, 127)" in outcome.stderr
    harmless = Command.parse([old.name, "--cse"])
    assert ValuesOracle(pipeline_comparison(harmless, old, ()), text).run(text).kind is Kind.SUCCESS


SIGNS = """
func.func @{name}(%a: f32) -> f32 {{
  %0 = math.ceil %a : f32
  return %0 : f32
}}
"""
"""https://github.com/llvm/llvm-project/issues/218111: what replaces a ceil makes 0 of -0."""


def test_a_zero_that_loses_its_sign() -> None:
    _, outcome = judged(SIGNS.format(name="f"), "--math-expand-ops", inputs=("-0.5",))
    assert outcome.kind is Kind.MISCOMPILE
    assert outcome.signature.template == "a zero with the other sign"
    assert "0, expected -0" in outcome.stderr
    assert outcome.remarks[0].startswith("expected values: the evaluator and mlir-runner")
    _, right = judged(SIGNS.format(name="f"), "--cse", inputs=("-0.5",))
    assert right.kind is Kind.SUCCESS


def test_a_sign_that_what_runs_the_program_loses_as_well() -> None:
    """`-0` is less than `0`; what runs the minimum does what this pass does, in any case."""
    text = """
    func.func @f(%a: f32, %b: f32) -> f32 {
      %0 = arith.minimumf %a, %b : f32
      return %0 : f32
    }
    """
    oracle, outcome = judged(text, "-arith-expand", inputs=("-0", "0"))
    assert outcome.signature.template == "a zero with the other sign"
    assert outcome.remarks == (
        "expected values: the evaluator, to which the passes make a difference",
    )
    assert oracle.run(text.replace("minimumf", "addf")).kind is Kind.SUCCESS  # as a candidate
    _, harmless = judged(text, "-canonicalize", inputs=("-0", "0"))
    assert (harmless.kind, harmless.remarks) == (Kind.SUCCESS, ())


def test_a_zero_that_is_printed_without_its_sign() -> None:
    text = """
    func.func @main() {
      %half = arith.constant -0.5 : f32
      %z = arith.constant 0 : i32
      %m = memref.alloc() : memref<f32>
      memref.store %half, %m[] : memref<f32>
      %a = memref.load %m[] : memref<f32>
      %0 = math.ceil %a : f32
      vector.print %0 : f32
      vector.print %z : i32
      return
    }
    """
    _, outcome = judged(text, "--math-expand-ops")
    assert outcome.signature.template == "a zero with the other sign"
    assert "element 0: 0, expected -0" in outcome.stderr


def test_a_function_with_a_name_from_the_c_library_is_the_programs_own() -> None:
    """LLVM takes any call of `@ceil` for that of the C library, which is right."""
    _, outcome = judged(SIGNS.format(name="ceil"), "--math-expand-ops", inputs=("-0.5",))
    assert outcome.kind is Kind.MISCOMPILE


def test_a_graver_defect_comes_before_the_sign_of_a_zero() -> None:
    """Quarters lose their sign, and are tried before infinities, which become numbers."""
    text = """
    func.func @f(%a: tensor<16xf32>) -> tensor<16xf32> {
      %0 = math.ceil %a : tensor<16xf32>
      return %0 : tensor<16xf32>
    }
    """
    _, outcome = judged(text, "--math-expand-ops")
    assert outcome.signature.template.startswith("NaN or infinity")


@pytest.mark.parametrize(
    ("other", "has_negative"), [("i8", True), ("tensor<2xi8>", False)], ids=["alone", "beside"]
)
def test_numbers_are_sizes_only_beside_what_has_one(
    monkeypatch: pytest.MonkeyPatch, other: str, has_negative: bool
) -> None:
    text = f"func.func @f(%a: i8, %b: {other}) -> i8 {{\n  return %a : i8\n}}\n"
    tried: list[str] = []
    run = DifferentialRun._run

    def noted(self: DifferentialRun, *given: Any) -> ExecutionResult:
        tried.append(given[1].inputs[0])
        return run(self, *given)

    monkeypatch.setattr(DifferentialRun, "_run", noted)
    assert judged(text, "-cse")[1].kind is Kind.SUCCESS
    assert any(word.startswith("-") for word in tried) is has_negative


def test_numbers_of_any_type_are_passed_and_returned() -> None:
    """What runtimes do not read or print, programs of fuzzers take and return."""
    text = """
    func.func @f(%a: i2, %b: i7, %c: i16, %d: f16, %e: vector<2xbf16>, %g: tensor<3xi4>,
        %h: complex<f32>) -> (i2, i7, i16, f16, vector<2xbf16>, i1, tensor<3xi4>, complex<f32>) {
      %0 = arith.addi %a, %a : i2
      %1 = arith.addi %b, %b : i7
      %2 = arith.addi %c, %c : i16
      %3 = arith.addf %d, %d : f16
      %4 = arith.addf %e, %e : vector<2xbf16>
      %5 = arith.cmpf olt, %d, %3 : f16
      %6 = arith.addi %g, %g : tensor<3xi4>
      %7 = complex.add %h, %h : complex<f32>
      return %0, %1, %2, %3, %4, %5, %6, %7
        : i2, i7, i16, f16, vector<2xbf16>, i1, tensor<3xi4>, complex<f32>
    }
    """
    _, outcome = judged(text, "-cse")
    assert (outcome.kind, outcome.remarks) == (Kind.SUCCESS, ())


def test_flat_vectors_are_passed_to_a_lowered_function() -> None:
    text = "func.func @f(%a: vector<4xf32>) -> vector<4xf32> {{\n  {}\n}}"
    same = text.format("return %a : vector<4xf32>")
    ceil = text.format("%0 = math.ceil %a : vector<4xf32>\n  return %0 : vector<4xf32>")
    assert judged(same, "-convert-func-to-llvm", inputs=("4xf32=1",))[1].kind is Kind.SUCCESS
    _, outcome = judged(ceil, "--math-expand-ops", "-convert-to-llvm", inputs=("4xf32=-0.5",))
    assert outcome.kind is Kind.MISCOMPILE


def test_what_the_passes_leave_may_not_run() -> None:
    """A function whose type changes cannot be called as before: nobody can tell."""
    text = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n"
    _, outcome = judged(text, "--one-shot-bufferize=bufferize-function-boundaries")
    assert outcome.kind is Kind.UNDECIDED
    assert outcome.remarks == ("what is left of it cannot be run: the type of @f has changed",)


def test_passes_may_rely_on_a_library_that_is_not_there() -> None:
    """The runner cannot link what they leave, which is no failure of the program."""
    text = """
      func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
        linalg.copy ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
        return
      }"""
    _, outcome = judged(text, "-convert-linalg-to-std")
    assert outcome.kind is Kind.UNDECIDED
    assert "Symbols not found" in outcome.remarks[0]


def test_passes_that_only_make_use_of_what_is_undefined_are_right() -> None:
    """A shift by the width is poison, whatever a pass makes of it."""
    text = """
      func.func @main() {
        %a = arith.constant 1 : i32
        %b = arith.constant 32 : i32
        %r = arith.shli %a, %b : i32
        vector.print %r : i32
        return
      }"""
    _, outcome = judged(text, "-canonicalize")
    assert outcome.kind is Kind.UNDECIDED
    assert any("poison" in remark for remark in outcome.remarks)


def test_nothing_is_said_of_a_front_end_that_changes_nothing() -> None:
    """Floats of 64 bits go through one, since that of some compilers makes others of them."""
    text = """
      func.func @f(%a: f64) -> f64 {
        %0 = arith.addf %a, %a : f64
        return %0 : f64
      }"""
    _, outcome = judged(text, "-canonicalize")
    assert outcome.kind is Kind.SUCCESS
    assert outcome.remarks == ()


def test_a_defect_that_the_runner_shares_is_blamed_on_the_pass_that_has_it() -> None:
    """The program gives the same wrong results without the passes, since they run in any case."""
    oracle, outcome = judged(MASKED, "-lower-vector-mask", inputs=("4xi32=1",))
    assert outcome.kind is Kind.MISCOMPILE
    assert "conflict: the same from mlir-runner 22" in outcome.remarks[0]
    assert "without the passes" in outcome.remarks[0]
    assert oracle.command is not None
    for words in ([], ["-cse"]):  # other passes have nothing to do with it
        other = oracle.with_command(oracle.command.with_flags(words)).run(MASKED)
        assert other.kind is not Kind.MISCOMPILE


@pytest.mark.parametrize(
    ("passes", "why"),
    [
        ("", "the passes preserve its meaning"),
        ("-cse", "the passes preserve its meaning"),
        ("-lower-vector-mask -convert-vector-to-llvm", "the evaluator does not know"),
    ],
)
def test_passes_are_not_blamed_for_what_the_runner_does_to_a_program(passes: str, why: str) -> None:
    _, outcome = judged(MASKED, *passes.split(), inputs=("4xi32=1",))
    assert outcome.kind is Kind.UNDECIDED
    assert "element 1: 200, expected 1" in outcome.remarks[0]
    assert why in outcome.remarks[0]


def test_passes_are_not_blamed_for_it_either_if_the_evaluator_is_the_named_reference() -> None:
    oracle, outcome = judged(
        MASKED, "-lower-vector-mask", inputs=("4xi32=1",), references=("evaluator",)
    )
    assert outcome.kind is Kind.MISCOMPILE
    assert oracle.command is not None
    for command in (oracle.command.with_flags(["-cse"]), oracle.command.with_flags([])):
        assert oracle.with_command(command).run(MASKED).kind is Kind.UNDECIDED
    _, outcome = judged(MASKED, "-cse", inputs=("4xi32=1",), references=("evaluator",))
    assert outcome.kind is Kind.UNDECIDED
    assert "the passes preserve its meaning" in outcome.remarks[0]


def test_a_schedule_is_applied_and_not_run() -> None:
    """https://github.com/llvm/llvm-project/issues/198266: jams across a dependence."""
    text = """
      module attributes {transform.with_named_sequence} {
        func.func @f(%m: memref<5x5xi32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c4 = arith.constant 4 : index
          %c5 = arith.constant 5 : index
          scf.for %i = %c1 to %c5 step %c1 {
            scf.for %j = %c0 to %c4 step %c1 {
              %k = arith.subi %i, %c1 : index
              %l = arith.addi %j, %c1 : index
              %v = memref.load %m[%k, %l] : memref<5x5xi32>
              memref.store %v, %m[%i, %j] : memref<5x5xi32>
            }
          }
          return
        }
        transform.named_sequence @__transform_main(%a: !transform.any_op {transform.readonly}) {
          %0 = transform.structured.match ops{["scf.for"]} in %a
            : (!transform.any_op) -> !transform.any_op
          %1:2 = transform.split_handle %0
            : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
          transform.loop.unroll_and_jam %1#1 {factor = 2} : !transform.any_op
          transform.yield
        }
      }"""
    _, outcome = judged(text, "-transform-interpreter")
    assert outcome.kind is Kind.MISCOMPILE
    assert outcome.remarks[0].startswith("expected values: the evaluator and mlir-runner")


VECTORS = """
func.func @f(%a: vector<2x3xi32>, %b: vector<3xi1>, %c: vector<f32>)
    -> (vector<3x2xi32>, vector<3xi1>, vector<f32>) {
  %0 = vector.transpose %a, [1, 0] : vector<2x3xi32> to vector<3x2xi32>
  %t = arith.constant dense<[true, false, true]> : vector<3xi1>
  %1 = arith.xori %b, %t : vector<3xi1>
  %2 = arith.addf %c, %c : vector<f32>
  return %0, %1, %2 : vector<3x2xi32>, vector<3xi1>, vector<f32>
}
"""


def test_arguments_and_results_may_be_vectors() -> None:
    _, outcome = judged(VECTORS, "-canonicalize")
    assert (outcome.kind, outcome.remarks) == (Kind.SUCCESS, ())


def test_what_a_pass_makes_of_a_vector_is_wrong() -> None:
    """https://github.com/llvm/llvm-project/issues/225244, as it is."""
    text = """
      func.func @f(%out: memref<4xi32>, %value: vector<4xi32>) {
        %c0 = arith.constant 0 : index
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        %inner = vector.create_mask %c2 : vector<4xi1>
        %outer = vector.create_mask %c3 : vector<4xi1>
        vector.mask %outer {
          vector.transfer_write %value, %out[%c0], %inner {in_bounds = [true]}
            : vector<4xi32>, memref<4xi32>
        } : vector<4xi1>
        return
      }"""
    _, outcome = judged(text, "-lower-vector-mask")
    assert outcome.kind is Kind.MISCOMPILE
    assert "result 0, element 2" in outcome.stderr


def test_what_is_not_public_has_to_be_named() -> None:
    text = """
      func.func private @printMemrefF32(memref<*xf32>)
      func.func nested @f() -> i32 {
        %0 = arith.constant 1 : i32
        return %0 : i32
      }"""
    _, outcome = judged(text, "-canonicalize")
    assert outcome.kind is Kind.UNDECIDED
    (said,) = outcome.remarks
    assert said.startswith("no function is public; `-- iree-run-module --function=f`")
