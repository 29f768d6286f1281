"""Whole reductions with a real compiler: input text and expected output text."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Kind, Limits, Oracle, ScriptOracle
from reducer.driver.records.record import Report
from reducer.errors import NotInteresting
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.fake_compilers import write_script
from tests.support.reducing import reduced_by

pytestmark = pytest.mark.iree

HIP = ("--iree-hal-target-device=hip", "--iree-rocm-target=gfx942")


@pytest.fixture
def reduce(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> Callable[..., tuple[Report, str]]:
    """Reduces a text with the default compiler; returns the report and the bare result."""

    def run(
        text: str, *flags: str, oracle: Oracle | None = None, jobs: int = 1
    ) -> tuple[Report, str]:
        toolchain = iree_toolchain()
        command = Command.parse(["iree-compile", *flags])
        asked = oracle or CompilerOracle(command, toolchain.compile, limits=Limits(memory=8 << 30))
        report = reduced_by(asked, tmp_path, text, name=f"out{jobs}", opt=toolchain.opt, jobs=jobs)
        return report, report.text

    return run


Reduce = Callable[..., tuple[Report, str]]


def test_a_diagnosed_failure(reduce: Reduce, corpus: Callable[[str], Case]) -> None:
    case = corpus("cat-zero-width")
    report, after = reduce(plant(case.input_text(), layers=20), *case.runs[0].flags)
    assert (
        after
        == """\
func.func @main() {
  %0 = torch.constant.int -1
  %1 = torch.prim.ListConstruct  : () -> !torch.list<vtensor>
  %2 = torch.aten.cat %1, %0 : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[3,0],f32>
  return
}
"""
    )
    assert report.verified
    assert report.one_minimal
    assert report.signature.kind is Kind.VERIFIER
    assert report.costs.calls <= 40


def test_invalid_ir_in_the_middle_of_a_large_module(
    reduce: Reduce, corpus: Callable[[str], Case]
) -> None:
    """The four lines of iree #20548 are found among more than 2,500 ops."""
    trigger = corpus("batch-matmul-20548").input_text()
    report, after = reduce(plant(trigger, layers=320), *HIP)
    assert report.input.ops > 2500
    assert after.splitlines()[1:] == [
        "  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x2x2xf32>, tensor<2x2x2x1xf32>) "
        "outs(%a : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>",
        "  return",
        "}",
    ]
    assert len(after) <= len(trigger)
    assert report.verified
    assert report.signature.stage == "input"


@pytest.mark.parametrize(("layers", "workers"), [(10, 2), (30, 1)])
def test_a_crash_without_any_location(
    reduce: Reduce, corpus: Callable[[str], Case], layers: int, workers: int
) -> None:
    """An input of 170 ops is halved before anything is looked for in the compiler's own IR."""
    case = corpus("matmul-k0-sigfpe")
    text = plant(case.input_text(), layers=layers)
    report, after = reduce(text, *case.runs[0].flags, jobs=workers)
    assert report.signature.kind is Kind.CRASH
    assert report.verified
    assert after.splitlines()[1] == (
        "  %0 = linalg.matmul ins(%a, %b : tensor<2x0xf32>, tensor<0x2xf32>) "
        "outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>"
    )


def test_text_that_is_no_mlir_is_cut_by_lines_and_brackets(reduce: Reduce) -> None:
    before = """\
func.func @good(%a: i32) -> i32 {
  return %a : i32
}
func.func @bad(%a: i32) -> i32 {
  %b = arith.addi %a, %a : i32
  %c = arith.no_such_thing %b, : i32
  return %c : i32
}
"""
    report, after = reduce(before, *HIP)
    assert report.signature.kind is Kind.INVALID_INPUT
    assert any("iree-opt cannot parse the input;" in note for note in report.notes)
    assert "no_such_thing" in after
    assert report.output.lines <= 3
    assert report.verified


def test_lines_are_counted_where_there_are_only_comments(reduce: Reduce, tmp_path: Path) -> None:
    """Not the ops of the empty module that they are in generic form, which cannot fail alike."""
    script = write_script(
        tmp_path / "t", 'grep -q so "$1" && { echo "error: no" >&2; exit 1; }\nexit 0\n'
    )
    report, after = reduce(
        "// expect\n// so\n", oracle=CompilerOracle(Command.parse(["t"]), script)
    )
    assert after.strip() == "// so"
    assert (report.input.ops, report.output.ops) == (2, 1)


def test_a_script_decides(
    reduce: Reduce, iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    script = tmp_path / "interesting.sh"
    script.write_text(f'#!/bin/sh\n{iree_toolchain().opt} "$1" | grep -q "arith.muli"\n')
    script.chmod(0o755)
    before = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %0, %a : i32
  %2 = arith.addi %1, %1 : i32
  return %2 : i32
}
"""
    report, after = reduce(before, oracle=ScriptOracle(script))
    assert (
        after
        == """\
func.func @main(%a: i32) {
  %0 = arith.muli %a, %a : i32
  return
}
"""
    )
    assert report.signature.kind is Kind.SCRIPT


@pytest.mark.parametrize(
    ("flag", "why"),
    [("--iree-hal-target-backends=vmvx", "does not fail"), ("--no-such-flag", "empty module")],
)
def test_what_does_not_fail_or_always_does_is_refused(reduce: Reduce, flag: str, why: str) -> None:
    with pytest.raises(NotInteresting, match=why):
        reduce("func.func @f() {\n  return\n}\n", flag)
