"""What idle workers run at the start and the end of a reduction, before it is asked for."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from oracles import Oracle
from reducer.ir import Module
from reducer.session import finishing
from reducer.session.context import Context
from reducer.session.foreseen import (
    after_halving,
    foresee_result,
    foresee_search,
    plan_result,
)
from reducer.toolchain import Toolchain
from reducer.transformations import BoundaryTypes
from reducer.transformations.delete_ops import DeleteOps
from tests.session.test_strategy import chain, context_of
from tests.support.predicate import PredicateOracle

PROGRAM = """\
func.func @main() {
  "t.op"() : () -> ()
  return
}
"""


def reported(oracle: Oracle, text: str) -> tuple[str, str]:
    return f"// In the report\n{text}", "repro.mlir"


def test_no_worker_runs_a_large_input_again_in_advance(tmp_path: Path) -> None:
    oracle = PredicateOracle(lambda text: '"t.op7"' in text)
    context, _ = context_of(oracle, tmp_path, 2600, jobs=4)
    foresee_search(context)
    context.full.fails(Module.parse(chain(3)))
    context.full.close()
    assert sum(text == context.document.text for text in oracle.texts) <= 1, "the input"


def reporting(context: Context) -> Context:
    """A context whose result is reported, too."""
    context.settings = replace(context.settings, reported=reported)
    return context


FORMS = [
    PROGRAM,
    f"// predicate out.mlir\n{PROGRAM}// script: interesting\n",
    f"// In the report\n{PROGRAM}",
]
"""The result as it is printed, confirmed and reported."""


def finish(context: Context) -> None:
    finishing.print_for_people(context)
    finishing.verify(context)
    context.full.close()
    assert context.is_verified
    assert context.reported is not None and context.reported.signature == context.first.signature


def test_the_result_is_printed_confirmed_and_reported_in_advance(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    oracle = PredicateOracle(lambda text: "t.op" in text)
    opt = iree_toolchain().opt
    context = reporting(context_of(oracle, tmp_path, text=PROGRAM, opt=opt, jobs=2)[0])
    assert context.full.fails(context.document)
    foresee_result(context, context.module)
    finish(context)
    assert sorted(oracle.texts[2:]) == sorted(FORMS), "after the input, in both forms"


def test_so_is_what_will_probably_be_the_result(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """Before it has been run itself."""
    oracle = PredicateOracle(lambda text: "t.op" in text)
    opt = iree_toolchain().opt
    context = reporting(context_of(oracle, tmp_path, text=PROGRAM, opt=opt, jobs=4)[0])
    plan = plan_result(context, context.module)
    assert plan is not None
    context.full.foresee(plan)
    finish(context)
    assert sorted(oracle.texts[1:]) == sorted(FORMS), "after the input"


def test_whether_it_always_fails_is_asked_right_after_halving(tmp_path: Path) -> None:
    oracle = PredicateOracle(lambda text: '"t.op7"' in text)
    context, _ = context_of(oracle, tmp_path, 20, jobs=4)
    module = context.module
    plan = after_halving(context, [DeleteOps(BoundaryTypes.of(module))])(module)
    assert plan is not None
    origins: list[str] = []
    while plan is not None and len(origins) < 3:
        ahead = next(plan.candidates(), None)
        origins.append(ahead.candidate.origin if ahead else "")
        plan = plan.if_accepted(0, ahead.candidate) if ahead else plan.if_rejected()
    context.full.close()
    assert origins[:2] == ["repeat", "repeat"]


def test_without_a_report_nothing_is_run_for_it(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    oracle = PredicateOracle(lambda text: "t.op" in text)
    opt = iree_toolchain().opt
    context, _ = context_of(oracle, tmp_path, text=PROGRAM, opt=opt, jobs=2)
    assert context.full.fails(context.document)
    foresee_result(context, context.module)
    finishing.print_for_people(context)
    finishing.verify(context)
    context.full.close()
    assert context.is_verified and context.reported is None
    assert len(oracle.texts) == 4
