"""What idle workers run at the start and the end of a reduction, before it is asked for."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from oracles import Oracle
from reducer.ir import Module
from reducer.session import finishing
from reducer.session.foreseen import foresee_result, foresee_search
from reducer.toolchain import Toolchain
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


def test_the_result_is_printed_confirmed_and_reported_in_advance(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    oracle = PredicateOracle(lambda text: "t.op" in text)
    opt = iree_toolchain().opt
    context, _ = context_of(oracle, tmp_path, text=PROGRAM, opt=opt, jobs=2)
    context.settings = replace(context.settings, reported=reported)
    assert context.full.fails(context.document)
    foresee_result(context, context.module)
    finishing.print_for_people(context)
    finishing.verify(context)
    context.full.close()
    assert context.is_verified
    assert context.reported is not None and context.reported.signature == context.first.signature
    above, below = "// predicate out.mlir\n", "// script: interesting\n"
    printed = [PROGRAM, f"{above}{PROGRAM}{below}", f"// In the report\n{PROGRAM}"]
    assert sorted(oracle.texts[2:]) == sorted(printed), "after the input, in both forms"


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
