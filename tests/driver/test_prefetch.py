"""What idle workers run at the start and the end of a reduction, before it is asked for."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Limits, Oracle, Outcome, ScriptOracle
from reducer.driver.prefetch import (
    after_halving,
    plan_result,
    prefetch_result,
    prefetch_search,
    prepare_input,
)
from reducer.driver.stages import finishing, shrinking
from reducer.driver.state import Context
from reducer.identity import sanity
from reducer.ir import Module, PlainText
from reducer.report import gather
from reducer.report.trying import ScriptRuns
from reducer.search.plan import Errand
from reducer.toolchain import Toolchain
from tests.driver.test_table import chain, context_of
from tests.search.test_speculation import Steps
from tests.support.predicate import Endless, PredicateOracle

PROGRAM = """\
func.func @main() {
  "t.op"() : () -> ()
  return
}
"""


class InTheReport:
    """What a report runs."""

    def __init__(self) -> None:
        self.scripts: list[str] = []  # the programs whose script was run

    def program(self, oracle: Oracle, text: str) -> tuple[str, str]:
        return f"// In the report\n{text}", "repro.mlir"

    def script(self, oracle: Oracle, text: str, outcome: Outcome) -> Errand:
        def run(cancel: threading.Event, limits: Limits) -> Outcome:
            self.scripts.append(text)
            return outcome

        return Errand(f"script {text}", run)


def test_no_worker_runs_a_large_input_again_in_advance(tmp_path: Path) -> None:
    oracle = PredicateOracle(lambda text: '"t.op7"' in text)
    context, _ = context_of(oracle, tmp_path, 2600, jobs=4)
    prefetch_search(context)
    context.judging.full.fails(Module.parse(chain(3)))
    context.judging.full.close()
    assert sum(text == context.program.document.text for text in oracle.texts) <= 1, "the input"


def reporting(context: Context) -> InTheReport:
    """Have the result of a context reported, too."""
    in_report = InTheReport()
    context.settings = replace(context.settings, reported=in_report)
    return in_report


FORMS = [
    PROGRAM,
    f"// predicate out.mlir\n{PROGRAM}// script: interesting\n",
    f"// In the report\n{PROGRAM}",
]
"""The result as it is printed, confirmed and reported."""


def finish(context: Context) -> None:
    finishing.print_for_people(context)
    finishing.verify(context)
    context.judging.full.close()
    assert context.found.printed.is_verified


def foresee_and_finish(context: Context) -> None:
    assert context.judging.full.fails(context.program.document)
    prefetch_result(context, context.program.module)
    finish(context)


def assert_reported(context: Context) -> None:
    assert (
        context.found.printed.reported is not None
        and context.found.printed.reported.signature == context.judging.first.signature
    )


def test_the_result_is_printed_confirmed_and_reported_in_advance(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    oracle = PredicateOracle(lambda text: "t.op" in text)
    opt = iree_toolchain().opt
    context = context_of(oracle, tmp_path, text=PROGRAM, opt=opt, jobs=2)[0]
    context.found.is_repeated = True
    reporting(context)
    foresee_and_finish(context)
    assert_reported(context)
    assert sorted(oracle.texts[2:]) == sorted(FORMS), "after the input, in both forms"


def test_so_is_what_will_probably_be_the_result(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """Before it has been run itself."""
    oracle = PredicateOracle(lambda text: "t.op" in text)
    opt = iree_toolchain().opt
    context = context_of(oracle, tmp_path, text=PROGRAM, opt=opt, jobs=4)[0]
    context.found.is_repeated = True
    reporting(context)
    plan = plan_result(context, context.program.module)
    assert plan is not None
    context.judging.full.foresee(plan)
    finish(context)
    assert_reported(context)
    assert sorted(oracle.texts[1:]) == sorted(FORMS), "after the input"


def test_a_result_that_will_be_run_again_is_so_in_advance(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    everything = threading.Event()

    def fails(text: str) -> bool:
        if oracle.texts.count(text) == 3:
            everything.set()
        return "t.op" in text

    oracle = PredicateOracle(fails)
    opt = iree_toolchain().opt
    context, _ = context_of(oracle, tmp_path, text=PROGRAM, opt=opt, jobs=4)
    assert context.judging.full.fails(context.program.document)
    prefetch_result(context, context.program.module)
    assert everything.wait(60.0)
    shrinking.run_again(context)
    context.judging.full.close()
    assert context.found.is_repeated
    assert oracle.texts.count(context.program.module.text) == 3


def test_the_input_runs_before_it_is_parsed(tmp_path: Path) -> None:
    begun = threading.Event()

    def fails(text: str) -> bool:
        begun.set()
        return True

    oracle = PredicateOracle(fails)
    context, _ = context_of(oracle, tmp_path, 20, jobs=2)
    begun.clear()
    prepare_input(context.judging.full, replace(context.settings, text="as it was written"))
    assert begun.wait(60.0)
    context.judging.full.close()
    assert oracle.texts[-1] == "as it was written"


def test_nothing_goes_on_while_the_search_waits_for_a_repetition(tmp_path: Path) -> None:
    """Both run at once, although all workers were busy with what may be needed later."""

    both, repeated, others = threading.Barrier(2), PlainText("repeated"), ("one", "two")

    def fails(text: str) -> bool:
        if text == repeated.text:
            both.wait(30.0)
        return True

    oracle = Endless(others, fails)
    context, _ = context_of(oracle, tmp_path, 20, jobs=2)
    context.judging.full.foresee(Steps((others,)))
    sanity.repeat(context.judging.full, repeated, PlainText("a much larger one\n" * 10))
    context.judging.full.close()
    assert oracle.texts.count("repeated") == 2


def test_whether_it_always_fails_is_asked_right_after_halving(tmp_path: Path) -> None:
    oracle = PredicateOracle(lambda text: '"t.op7"' in text)
    context, _ = context_of(oracle, tmp_path, 20, jobs=4)
    module = context.program.module
    plan = after_halving(context, lambda module: None)(module)
    assert plan is not None
    origins: list[str] = []
    while plan is not None:
        found = next(plan.candidates(), None)
        if found is not None:
            origins.append(found.candidate.origin)
            plan = plan.if_accepted(found.place, found.candidate, [])
        else:
            plan = plan.if_refused([])
    context.judging.full.close()
    assert origins == ["repeat", "repeat"]


def test_without_a_report_nothing_is_run_for_it(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    oracle = PredicateOracle(lambda text: "t.op" in text)
    opt = iree_toolchain().opt
    context, _ = context_of(oracle, tmp_path, text=PROGRAM, opt=opt, jobs=2)
    context.found.is_repeated = True
    foresee_and_finish(context)
    assert context.found.printed.reported is None
    assert len(oracle.texts) == 4


@pytest.mark.parametrize("jobs", [1, 8])
@pytest.mark.parametrize("says", [False, True], ids=["silent", "talking"])
def test_a_silent_test_is_not_asked_again_for_the_report(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path, says: bool, jobs: int
) -> None:
    """All that the report needs to know is how it exits, and the report's script shows that."""
    count, script = tmp_path / "count", tmp_path / "test.sh"
    talking = "echo found >&2" if says else ""
    script.write_text(f'#!/bin/sh\necho "${{1##*/}}" >>{count}\n{talking}\ngrep -q t.op "$1"\n')
    script.chmod(0o755)
    opt = iree_toolchain().opt
    context = context_of(ScriptOracle(script), tmp_path, text=PROGRAM, opt=opt, jobs=jobs)[0]
    in_report = reporting(context)
    foresee_and_finish(context)
    ahead = jobs > 1
    assert bool(in_report.scripts) == (ahead and not says)
    assert (context.found.printed.reported is not None) == (ahead or not says)
    assert ("repro.mlir" in count.read_text().split()) == (ahead and says)


def test_the_script_of_the_report_is_run_to_its_end_and_once(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """Although the reduction ends meanwhile, and its idle workers with it."""
    count, script = tmp_path / "count", tmp_path / "test.sh"
    script.write_text(
        "#!/bin/sh\n"
        "case $1 in repro.mlir)\n"
        f"    echo begun >>{count}; sleep 0.2; echo done >>{count} ;;\n"
        "esac\n"
        'grep -q t.op "$1"\n'
    )
    script.chmod(0o755)
    scripts, oracle = ScriptRuns(), ScriptOracle(script)
    opt = iree_toolchain().opt
    context, _ = context_of(oracle, tmp_path, text=PROGRAM, opt=opt, jobs=8)
    context.settings = replace(context.settings, reported=scripts)
    foresee_and_finish(context)
    assert count.read_text().split() == ["begun", "done"]
    facts = gather(context.found.printed.result or "", oracle, ahead=context.found.printed.reported)
    assert scripts.verified(facts, None) == (facts, 0)
    assert count.read_text().split() == ["begun", "done"]
