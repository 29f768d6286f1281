"""A compiler that prints little, or points to the wrong place, costs calls but not the result."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Kind, Limits
from reducer.driver.records.record import Report
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.in_process import Answer, Programs, Run, passing_on
from tests.support.reducing import reduced_by

pytestmark = pytest.mark.iree

PLACE = r"input\.mlir:\d+:\d+"
WRONG_PLACE, NO_PLACE = (PLACE, "input.mlir:5:10"), (PLACE, "<unknown>:0")
NO_STACK = (r"(?m)^( *#?\d+[. ]|Stack dump).*\n", "")

CAT = """\
func.func @main() {
  %0 = torch.constant.int -1
  %1 = torch.prim.ListConstruct  : () -> !torch.list<vtensor>
  %2 = torch.aten.cat %1, %0 : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[3,0],f32>
  return
}
"""
MATMUL = """\
func.func @main(%a: tensor<2x0xf32>, %b: tensor<0x2xf32>, %c: tensor<2x2xf32>) \
-> tensor<2x2xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<2x0xf32>, tensor<0x2xf32>) \
outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
"""


def reduce(
    case: Case, edit: tuple[str, str], toolchain: Toolchain, folder: Path, programs: Programs
) -> tuple[Report, str]:
    """Reduce a case planted in a module, with the compiler's output edited."""
    real = passing_on(toolchain.compile)

    def edited(run: Run) -> Answer:
        answer = real(run)
        return replace(answer, stderr=re.sub(*edit, answer.stderr))

    compiler = programs.add(folder / "bin" / "iree-compile", edited, content=repr(edit))
    (compiler.parent / "iree-opt").symlink_to(toolchain.opt)
    command = Command.parse(["iree-compile", *case.runs[0].flags])
    limits = Limits(120.0, 8 << 30)
    oracle = CompilerOracle(command, compiler, limits=limits)
    report = reduced_by(oracle, folder, plant(case.input_text(), layers=12), opt=toolchain.opt)
    return report, report.text


@pytest.mark.parametrize(
    ("name", "edits", "kind", "wanted"),
    [
        ("cat-zero-width", [WRONG_PLACE, NO_PLACE], Kind.VERIFIER, CAT),
        ("matmul-k0-sigfpe", [NO_STACK], Kind.CRASH, MATMUL),
    ],
    ids=["place", "stack"],
)
def test_the_same_reproducer_in_the_end(
    name: str,
    edits: list[tuple[str, str]],
    kind: Kind,
    wanted: str,
    corpus: Callable[[str], Case],
    iree_toolchain: Callable[..., Toolchain],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As from the compiler's own output, for which see `test_reduction`."""
    programs = Programs(monkeypatch)
    for edit in edits:
        folder = tmp_path_factory.mktemp("reduction")
        report, found = reduce(corpus(name), edit, iree_toolchain(), folder, programs)
        assert found == wanted
        assert report.verified
        assert report.failure.kind == kind
        assert report.signature.frames == () or edit != NO_STACK
