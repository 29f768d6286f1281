"""Where a wrong result comes from, with real compilers."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from oracles import Limits
from oracles.profiles.iree import DISPATCH_CALLS
from reducer.cli import main
from reducer.cli.request.oracle_options import OracleOptions
from reducer.miscompile.locate.finding import CODE_GENERATION, WrongResultLocation
from reducer.miscompile.locate.locator import CountedRuns, WrongResultLocator, first_wrong
from reducer.miscompile.locate.wrong_dispatch import DispatchRun, run_traced
from reducer.miscompile.oracle import ValuesOracle
from reducer.miscompile.oracle.execution import CallableProgram, CompilerConfig, RunContext
from reducer.miscompile.values.programs import Function
from tests.support.corpus import Case

pytestmark = pytest.mark.iree

POWER = """\
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %m: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %q = math.powf %x, %y : f32
    linalg.yield %q : f32
  } -> tensor<4x4xf32>
  %r = linalg.matmul ins(%p, %m : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
"""
"""On llvm-cpu a power of a negative number is NaN."""

LOOP = """\
#id = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<8xf32> {
    %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%x, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%u: f32, %v: f32, %o: f32):
      %q = math.powf %u, %v : f32
      linalg.yield %q : f32
    } -> tensor<8xf32>
    scf.yield %p : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
"""

TORCH = """\
!t = !torch.vtensor<[2,2],f32>
func.func @f(%a: !t, %b: !t) -> !t {
  %0 = torch.aten.mm %a, %b : !t, !t -> !t
  %1 = torch.aten.mm %0, %b : !t, !t -> !t
  return %1 : !t
}
"""


def oracle_for(tmp_path: Path, text: str, version: str) -> tuple[ValuesOracle, Path | None]:
    path = tmp_path / "input.mlir"
    path.write_text(text)
    words = ("iree-compile", "--iree-hal-target-backends=llvm-cpu")
    options = OracleOptions(source=path, words=words, iree=version, wrong_results=True)
    oracle, opt = options.oracle(text)
    assert isinstance(oracle, ValuesOracle)
    return oracle, opt


@pytest.fixture
def locate(tmp_path: Path) -> Callable[..., WrongResultLocation]:
    def run(text: str, version: str = "3.13.0") -> WrongResultLocation:
        oracle, opt = oracle_for(tmp_path, text, version)
        return WrongResultLocator(text, oracle, opt, lambda stage: None).run()

    return run


def test_a_phase_that_forgets_a_promise_is_wrong(
    locate: Callable[..., WrongResultLocation], corpus: Callable[[str], Case]
) -> None:
    """Behind the front end, nothing says any more that equal keys stay in order."""
    finding = locate(corpus("mis-stable-sort").input_text())
    assert finding.phase == "input" and finding.sure
    assert "leaves some results undefined" in finding.how


@dataclass(frozen=True)
class Slow:
    """A reference that must not be asked."""

    name = key = "slow"

    def build(self, text: str, folder: Path, context: RunContext) -> CallableProgram | None:
        raise AssertionError("another one has told already")


def lines_of(finding: WrongResultLocation, text: str) -> list[str]:
    """The lines of the suspect ops."""
    places = [suspect.place for suspect in finding.suspects if suspect.place is not None]
    return [text.splitlines()[line - 1].strip() for _, line, _ in places]


@pytest.mark.parametrize("version", ["3.13.0", "3.4.0"])
def test_the_dispatch_is_named_and_cut_out(tmp_path: Path, version: str) -> None:
    """Tools from outside are asked only if nobody else can tell."""
    oracle, opt = oracle_for(tmp_path, POWER, version)
    oracle = replace(oracle, comparison=replace(oracle.comparison, outside=(Slow(),)))
    finding = WrongResultLocator(POWER, oracle, opt, lambda stage: None).run()
    assert finding.phase == CODE_GENERATION and finding.sure
    assert any(line.startswith("%p = linalg.generic") for line in lines_of(finding, POWER))
    assert finding.dispatch is not None and finding.dispatch.confirmed
    assert "math.powf" in finding.dispatch.text and "linalg.matmul" not in finding.dispatch.text
    assert len(finding.dispatch.inputs) == 2
    assert not finding.also_wrong and not finding.unjudged
    assert finding.compilations <= 8


@pytest.mark.parametrize("wrong", range(6))
@pytest.mark.parametrize("unknown", [(), (0,), (2, 3), (5,)])
def test_the_first_wrong_phase_is_found(wrong: int, unknown: tuple[int, ...]) -> None:
    phases = "abcdef"

    def flaw(phase: str) -> str | None:
        number = phases.index(phase)
        return None if number in unknown else "is wrong" if number >= wrong else ""

    known = [number for number in range(6) if number not in unknown]
    first = next((number for number in known if number >= wrong), None)
    before = [phases[number] for number in known if number < wrong]
    found = first_wrong(phases, flaw)
    assert found.phase == (phases[first] if first is not None else "")
    assert found.before == (before[-1] if before else "")


def test_each_iteration_of_a_loop_is_judged(locate: Callable[..., WrongResultLocation]) -> None:
    finding = locate(LOOP)
    assert finding.sure and finding.dispatch is not None
    assert finding.dispatches == 1 and finding.judged == 5
    assert finding.dispatch.inputs[0] != finding.dispatch.inputs[1]


def test_values_pass_through_a_fence_and_a_wrapper(tmp_path: Path) -> None:
    candidate = oracle_for(tmp_path, TORCH, "3.13.0")[0].comparison.candidate
    shown = traced(candidate, TORCH, "2x2xf32=1 2 3 4", "2x2xf32=1 0 0 2")
    assert [one.results for one in shown.executions] == [
        ("2x2xf32=[1 4][3 8]",),
        ("2x2xf32=[1 8][3 16]",),
    ]
    assert shown.executions[1].arguments[0] == shown.executions[0].results[0]
    assert len(shown.result.results) == 1


def traced(candidate: CompilerConfig, text: str, *inputs: str) -> DispatchRun:
    function = Function("f", (), ())
    runs = CountedRuns(Limits(60.0))
    shown = run_traced(candidate, DISPATCH_CALLS, text, function, inputs, runs)
    assert isinstance(shown, DispatchRun), shown
    assert runs.compilations == 2 and runs.executions == 1
    return shown


DETERMINANT = """\
func.func @f(%a: !torch.vtensor<[2,2],f32>) -> !torch.vtensor<[],f32> attributes \
{torch.onnx_meta.ir_version = 10 : si64, torch.onnx_meta.opset_version = 22 : si64} {
  %0 = torch.operator "onnx.Det"(%a) : (!torch.vtensor<[2,2],f32>) -> !torch.vtensor<[],f32>
  return %0 : !torch.vtensor<[],f32>
}
"""


@pytest.mark.slow
def test_a_front_end_is_wrong(tmp_path: Path) -> None:
    """It exchanges no rows, and its assertion is dropped on the way."""
    known = ("--input=2x2xf32=0 1 2 3", "--expected_output=f32=-2")
    path = tmp_path / "input.mlir"
    path.write_text(DETERMINANT)
    words = ["locate", str(path), "--iree", "3.13.0"]
    command = ["--json", "-", "--", "iree-compile", "--iree-hal-target-backends=llvm-cpu"]
    done = CliRunner().invoke(main, [*words, *command, "--", "iree-run-module", *known])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["phase"] == "input" and found["sure"] and found["dispatch"] is None
    assert "fails (assertion: " in found["how"]
