"""Each stage makes the program or its command smaller, or says where it fails, or what else does.

What it leaves still has the failure of the input, under the command that is left.

This file: from a crash in the middle of the pipeline to a small program, with a real compiler.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Kind, Level, Limits, ProcessResult, run_process
from reducer.asking import Budget
from reducer.conversions import Conversions, OptPrinter
from reducer.driver.records.record import Report
from reducer.driver.stages import levels, shrinking
from reducer.driver.stages.levels import CUT_ORIGIN, cut_before_pass
from reducer.ir import Module
from reducer.search.candidate import Candidate
from reducer.search.conditions import SameFailure
from reducer.search.judge import Judge, Stopped
from reducer.search.state import SearchState
from reducer.storage.journal import Journal
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.reducing import reduced_by

pytestmark = pytest.mark.iree

CRASH = "ds_real61_both_dyn"  # the expert's program for 3.8.0 crashes in dispatch creation
IN_CODE_GENERATION = "complex-dot2-hip-segv"
WITH_A_MESSAGE = "treshape-index-abi"
LAYERS = 12


class Work:
    """A case planted in a few layers, run once."""

    def __init__(
        self,
        case: Case,
        wheel: str,
        toolchain: Toolchain,
        journal: Journal,
        level: Level,
        jobs: int = 1,
    ) -> None:
        (run,) = (run for run in case.runs if run.wheel == wheel)
        text = plant((case.folder / (run.expert or "expert.mlir")).read_text(), LAYERS)
        oracle = CompilerOracle(
            Command.parse(["iree-compile", *run.flags]),
            toolchain.compile,
            limits=Limits(120.0),
            level=level,
        )
        judge = Judge(oracle, journal, jobs=jobs)
        self.conversions = Conversions(OptPrinter(toolchain.opt, Limits(60.0)), journal, print)
        module = self.conversions.module(text)
        assert module is not None
        self.module = module
        target = judge.run(module.text, module.op_count).signature
        self.judge = judge.under(SameFailure(target))
        self.accepted: list[Candidate[Module]] = []
        self.state = self.state_with(self.judge)

    def state_with(self, judge: Judge) -> SearchState[Module]:
        return SearchState(self.module, Module.parse, judge, self.accepted.append)


@pytest.fixture
def work(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> Callable[..., Work]:
    journal = Journal.open(tmp_path / "journal", identity={})

    def make(name: str, wheel: str, level: Level = Level.NORMAL) -> Work:
        return Work(corpus(name), wheel, iree_toolchain(wheel), journal, level)

    return make


def test_a_crash_in_mid_pipeline_is_cut_before_its_pass(
    work: Callable[..., Work],
    corpus: Callable[[str], Case],
    iree_toolchain: Callable[..., Toolchain],
    tmp_path: Path,
) -> None:
    job = work(CRASH, "3.8.0")
    assert job.judge.target is not None and job.judge.target.kind is Kind.CRASH
    target = job.judge.target
    assert cut_before_pass(job.state, job.conversions)

    (accepted,) = job.accepted
    assert accepted.origin == CUT_ORIGIN
    assert accepted.document is job.state.document
    assert "flow.dispatch" not in accepted.text
    assert accepted.document.op_count <= job.module.op_count / 4
    outcome = job.judge.oracle.run(accepted.text)
    assert outcome.signature == target == job.judge.target
    assert job.judge.costs.by_verdict["probe"] >= 2

    spent = job.judge.costs.calls
    again = work(CRASH, "3.8.0")  # with the same journal
    assert cut_before_pass(again.state, again.conversions)
    assert again.state.document.text == job.state.document.text
    assert again.judge.costs.calls == 0 < spent
    job.judge.close()
    again.judge.close()

    # Workers change nothing.
    with Journal.open(tmp_path / "other", identity={}) as journal:
        toolchain = iree_toolchain("3.8.0")
        several = Work(corpus(CRASH), "3.8.0", toolchain, journal, Level.NORMAL, jobs=2)
        assert cut_before_pass(several.state, several.conversions)
        assert several.state.document.text == job.state.document.text
        several.judge.close()


def test_the_pass_is_asked_in_the_same_words_and_by_the_same_runner(
    work: Callable[..., Work],
) -> None:
    job = work(CRASH, "3.8.0", Level.LOOSE)
    programs: list[str] = []

    def run(argv: Sequence[str], **how: Any) -> ProcessResult:
        programs.append(Path(argv[0]).name)
        return run_process(argv, **how)

    assert isinstance(job.judge.oracle, CompilerOracle)
    judge = job.judge.with_(oracle=replace(job.judge.oracle, runner=run))
    assert cut_before_pass(job.state_with(judge), job.conversions)
    assert {"iree-compile", "iree-opt"} <= set(programs)
    job.judge.close()


def test_a_pass_that_does_not_fail_on_our_print_is_left_alone(
    work: Callable[..., Work], monkeypatch: pytest.MonkeyPatch
) -> None:
    job = work(CRASH, "3.8.0")
    monkeypatch.setattr(job.conversions, "module", lambda text: job.module)
    before = job.judge.costs.by_verdict.copy()
    assert not cut_before_pass(job.state, job.conversions)
    spent = Counter(job.judge.costs.by_verdict)
    spent.subtract(before)
    assert spent.total() - spent["probe"] == 2, "the phase, and the print"
    job.judge.close()


def test_a_budget_that_ends_the_search_for_the_pass_says_nothing_of_it(
    work: Callable[..., Work],
) -> None:
    job = work(CRASH, "3.8.0")
    budget = Budget(calls=job.judge.costs.calls + 2)
    with pytest.raises(Stopped, match="budget"):
        cut_before_pass(job.state_with(job.judge.with_(budget=budget)), job.conversions)
    assert job.judge.costs.calls == budget.calls
    assert cut_before_pass(job.state, job.conversions)
    job.judge.close()


@pytest.mark.parametrize("name", [IN_CODE_GENERATION, WITH_A_MESSAGE])
def test_what_fails_elsewhere_or_tells_its_op_is_left_alone(
    work: Callable[..., Work], name: str
) -> None:
    job = work(name, "3.13.0")
    before = job.judge.costs.calls
    assert not cut_before_pass(job.state, job.conversions)
    assert job.accepted == []
    assert job.judge.costs.calls - before <= 1
    job.judge.close()


@pytest.fixture
def reduce(
    corpus: Callable[[str], Case],
    iree_toolchain: Callable[..., Toolchain],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Report]:
    """A whole reduction of the crash that goes through the pass, even if there is little to cut."""
    monkeypatch.setattr(shrinking, "_WORTH_GOING_DOWN", 1)
    monkeypatch.setattr(levels, "_WORTH_ANOTHER_DIALECT", 1)
    case, toolchain = corpus(CRASH), iree_toolchain("3.8.0")
    (run,) = (run for run in case.runs if run.wheel == "3.8.0")
    oracle = CompilerOracle(Command.parse(["iree-compile", *run.flags]), toolchain.compile)

    def make(name: str, **options: Any) -> Report:
        return reduced_by(
            oracle,
            tmp_path,
            (case.folder / str(run.expert)).read_text(),
            name=name,
            opt=toolchain.opt,
            **options,
        )

    return make


@pytest.mark.slow
def test_a_reduction_through_the_pass_resumes_to_the_same_program(
    reduce: Callable[..., Report],
) -> None:
    """Also with more workers."""
    whole = reduce("whole")
    assert whole.verified and whole.one_minimal
    assert whole.output.ops is not None and whole.output.ops <= 6
    assert whole.candidates.by_verdict["probe"] >= 2
    cut_short = reduce("stopped", max_calls=whole.costs.calls // 4)
    assert cut_short.status == "budget"
    resumed = reduce("stopped", jobs=2)
    assert resumed.text.replace("stopped.mlir", "whole.mlir") == whole.text
