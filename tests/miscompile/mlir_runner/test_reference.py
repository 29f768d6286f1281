"""MLIR's own tools compute what programs mean. These tests run the real ones."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from oracles import Limits, ProcessResult
from oracles.run.run_process import run_process
from reducer.miscompile.mlir_runner.reference import MlirRunner
from reducer.miscompile.mlir_runner.tools import find_tools
from reducer.miscompile.oracle.execution import CANNOT, ExecutionResult, RunContext
from reducer.miscompile.values.programs import Function, ValueType
from tests.support.corpus import load_case
from tests.support.opt_tools import find_opt

GENERIC = """\
  %e = tensor.empty() : tensor<{size}x{out}>
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}} ins(%a : tensor<{size}x{type}>)
      outs(%e : tensor<{size}x{out}>) {{
  ^bb0(%x: {type}, %o: {out}):
    {body}
    linalg.yield %y : {out}
  }} -> tensor<{size}x{out}>
  return %r : tensor<{size}x{out}>
"""


def run(text: str, function: str, inputs: list[str], folder: Path) -> ExecutionResult:
    """What `@f` gives; `function` is its type, as in `4xf32, i8 -> 4xf32`."""
    find_opt()
    tools = find_tools()
    assert tools is not None
    context = RunContext(Limits(30))
    program = MlirRunner(tools, Path("no-compiler")).build(text, folder, context)
    assert program is not None, context.reasons
    takes, _, gives = function.partition("->")
    signature = Function("f", _types(takes), _types(gives))
    return program.call(signature, inputs, context, garbage=85)


def _types(text: str) -> tuple[ValueType | None, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    return tuple(
        ValueType.parse(f"tensor<{word}>" if word[0] in "?123456789" else word) for word in words
    )


def mapped(body: str, type_: str, out: str, size: int = 4) -> str:
    lines = GENERIC.format(body=body, type=type_, out=out, size=size)
    return f"func.func @f(%a: tensor<{size}x{type_}>) -> tensor<{size}x{out}> {{\n{lines}}}\n"


@pytest.mark.parametrize(
    ("body", "types", "inputs", "expected"),
    [
        ("%y = math.asinh %x : f16", "f16", "-3 0 -0.5 1", [-1.818, 0, -0.4812, 0.8814]),
        ("%y = math.cbrt %x : f32", "f32", "inf -8 0 27", [math.inf, -2, 0, 3]),
        ("%y = math.ctlz %x : i8", "i8", "1 0 -1 64", [7, 8, 0, 1]),
        ("%y = math.tanh %x : bf16", "bf16", "0 1 -1 8", [0, 0.7617, -0.7617, 1]),
        (
            "%c = arith.constant 2 : i4\n%y = arith.maxsi %x, %c : i4",
            "i4",
            "-8 7 1 3",
            [2, 7, 2, 3],
        ),
        (
            "%t = arith.truncf %x : f32 to f8E4M3FN\n%y = arith.extf %t : f8E4M3FN to f32",
            "f32",
            "0.0146484375 1.0625 448 -3",
            [0.015625, 1.0, 448, -3],
        ),
    ],
)
def test_elements(
    body: str, types: str, inputs: str, expected: list[float], tmp_path: Path
) -> None:
    given = run(
        mapped(body, types, types), f"4x{types} -> 4x{types}", [f"4x{types}={inputs}"], tmp_path
    )
    assert given.failure == ""
    assert given.results[0].elements == pytest.approx(expected, rel=1e-2)


def test_dynamic_sizes_scalars_and_several_results(tmp_path: Path) -> None:
    text = """\
func.func @f(%a: tensor<?x2xf32>, %b: i8, %c: index) -> (tensor<2x?xf32>, i8, index) {
  %d = arith.constant 0 : index
  %n = tensor.dim %a, %d : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<2x?xf32>
  %t = linalg.transpose ins(%a : tensor<?x2xf32>) outs(%e : tensor<2x?xf32>) permutation = [1, 0]
  return %t, %b, %c : tensor<2x?xf32>, i8, index
}
"""
    inputs = ["3x2xf32=1 2 3 4 5 6", "-3", "7"]
    given = run(text, "?x2xf32, i8, index -> 2x?xf32, i8, index", inputs, tmp_path)
    assert [str(value) for value in given.results] == ["2x3xf32=1 3 5 2 4 6", "i8=-3", "index=7"]
    empty = run(text, "?x2xf32, i8, index -> 2x?xf32, i8, index", ["0x2xf32=", "1", "2"], tmp_path)
    assert tuple(empty.results[0].elements) == ()


def test_overlapping_slices_are_copied_as_if_at_once(tmp_path: Path) -> None:
    text = load_case("run-overlapping-update").input_text()
    given = run(text, "4xf32 -> 4xf32", ["4xf32=1 2 3 4"], tmp_path)
    assert tuple(given.results[0].elements) == (1, 1, 2, 3)


def test_a_crash_is_a_failure(tmp_path: Path) -> None:
    text = mapped("%c = arith.constant 1 : i32\n%y = arith.divsi %c, %x : i32", "i32", "i32")
    assert run(text, "4xi32 -> 4xi32", ["4xi32=0"], tmp_path).failure == "signal 8"


def test_what_cannot_be_passed_is_not_judged(tmp_path: Path) -> None:
    text = mapped("%y = arith.addf %x, %x : f80", "f80", "f80")
    assert run(text, "4xf80 -> 4xf80", ["4xf80=1"], tmp_path).failure == CANNOT


def test_other_dialects_are_not_read(tmp_path: Path) -> None:
    find_opt()
    tools = find_tools()
    assert tools is not None
    context = RunContext(Limits(30))
    text = '"stablehlo.custom_call"() : () -> ()\n'
    assert MlirRunner(tools, Path("no-compiler")).build(text, tmp_path, context) is None


def test_what_the_project_adds_without_a_meaning_is_taken_out(
    iree_compile: Path, tmp_path: Path
) -> None:
    tools = find_tools() if find_opt() else None
    assert tools is not None
    text = """\
module attributes {some.target = #hal.device.promise<@d>} {
  func.func @f(%a: tensor<2xi8>) -> tensor<2xi8> {
    %b = util.optimization_barrier %a : tensor<2xi8>
    %c = util.optimization_barrier %b : tensor<2xi8>
    return %c : tensor<2xi8>
  }
}
"""
    context = RunContext(Limits(30))
    program = MlirRunner(tools, iree_compile).build(text, tmp_path, context)
    assert program is not None, context.reasons
    signature = Function("f", _types("2xi8"), _types("2xi8"))
    given = program.call(signature, ["2xi8=1 -2"], context, garbage=85)
    assert tuple(given.results[0].elements) == (1, -2)


def test_complex_numbers(tmp_path: Path) -> None:
    text = mapped("%y = complex.mul %x, %x : complex<f32>", "complex<f32>", "complex<f32>", size=2)
    found = run(text, "2xcf64 -> 2xcf64", ["2xcf64=0000803F00000040"], tmp_path)
    assert tuple(found.results[0].elements) == (-3, 4, -3, 4)


def test_a_program_of_which_the_compiler_makes_another_one_is_not_run(tmp_path: Path) -> None:
    find_opt()
    tools = find_tools()
    assert tools is not None
    context = RunContext(Limits(30))
    runner = MlirRunner(tools, Path("no-compiler"), frozenset(("f64",)))
    text = mapped("%y = arith.addf %x, %x : f64", "f64", "f64")
    assert runner.build(text, tmp_path, context) is None
    assert runner.build(text.replace("f64", "f32"), tmp_path, context) is not None


def test_a_module_is_read_and_lowered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the number of calls: that takes longer than to run it."""
    find_opt()
    tools = find_tools()
    assert tools is not None
    started: list[str] = []

    def counted(words: Sequence[str], **rest: Any) -> ProcessResult:
        started.append(words[0])
        return run_process(words, **rest)

    monkeypatch.setattr("reducer.miscompile.mlir_runner.reference.run_process", counted)
    text = "func.func @f(%a: i8) -> i8 {\n  %0 = arith.addi %a, %a : i8\n  return %0 : i8\n}\n"
    context = RunContext(Limits(30))
    program = MlirRunner(tools, Path("no-compiler")).build(text, tmp_path, context)
    assert program is not None
    function = Function("f", _types("i8"), _types("i8"))
    given = [program.call(function, [one], context, garbage=85) for one in ("1", "-3")]
    assert [result.results[0].words for result in given] == [["2"], ["-6"]]
    opt, runner = str(tools.opt), str(tools.runner)
    assert started == [opt, opt, runner, runner]
