"""Compile one module, run it, and have its results judged."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path

from oracles.profiles import RUNTIME
from oracles.run.limits import End, Limits
from oracles.signature.diagnostics import Diagnostic
from oracles.signature.kind import Kind
from oracles.signature.outcome import Outcome, Signature
from reducer.miscompile.oracle.comparison import Comparison, ComparisonPlan, Judges
from reducer.miscompile.oracle.execution import (
    CANNOT,
    CandidateProgram,
    Compiled,
    ExecutionResult,
    RunContext,
    RunFailure,
)
from reducer.miscompile.oracle.judge_input import InputJudge
from reducer.miscompile.oracle.mismatch import Mismatch, described, signature_of
from reducer.miscompile.oracle.program_pool import (
    FIRST_GARBAGE,
    SECOND_GARBAGE,
    ProgramPool,
    Question,
)
from reducer.miscompile.oracle.result_judge import Finding, Judgement
from reducer.miscompile.values.compare import gravest
from reducer.miscompile.values.declared_functions import declared_functions, hidden_functions
from reducer.miscompile.values.inputs import (
    SEEDS,
    STYLES,
    Trial,
    borders_of,
    obstacle_to,
    trials,
)
from reducer.miscompile.values.programs import Function
from reducer.miscompile.values.user_inputs import InputSpec, focus_of


class Remarks:
    """Remarks in order; one that holds for several inputs is told once, with their number."""

    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}

    def add(self, text: str, where: str = "") -> None:
        """Add a remark; `where` says for which input it holds, '' if it does for all."""
        places = self._places.setdefault(text, [])
        if where and where not in places:
            places.append(where)

    @property
    def lines(self) -> list[str]:
        """One line for each remark."""
        return [f"{text}{_shown(places)}" for text, places in self._places.items()]


def _shown(places: Sequence[str]) -> str:
    if not places:
        return ""
    return f" (on {places[0]})" if len(places) == 1 else f" (on {len(places)} inputs)"


RUN_SECONDS = 60.0
"""How long a compiled program may run before it counts as hanging, if the user set no limit."""

_SLOWER = 20.0  # times as long as for the input, and at least these seconds, is too long
_LEAST_SECONDS = 5.0

_SMALL = 64
"""Lines of a program; a larger one runs with the inputs that showed the difference only."""

_FINITE_MATH = re.compile(r"fastmath<[^>]*\b(?:fast|nnan|ninf)\b")
_ENDS = {End.TIMEOUT: Kind.TIMEOUT, End.MEMORY: Kind.MEMORY, End.CANCELLED: Kind.CANCELLED}
_HANGS = "the program does not end"


class DifferentialRun:
    """One module, compiled and compared in a private folder."""

    def __init__(
        self,
        comparison: Comparison,
        text: str,
        folder: Path,
        context: RunContext,
        run_seconds: float = RUN_SECONDS,
    ) -> None:
        self.comparison = comparison
        self.text = text
        self.folder = folder
        self.context = context
        self.run_seconds = run_seconds
        self.result_judge = InputJudge(
            comparison, ProgramPool(text, folder, context, comparison.answers)
        )
        self.remarks = Remarks()
        self.mismatch: Mismatch | None = None
        """What is wrong, if anything is."""
        self.candidate: CandidateProgram | None = None
        """The program under test, once it is compiled."""
        self._called: list[Function] | None = None  # those of the program that are called
        self._ended: End = End.EXITED
        self._device_available = True
        self._was_right = False
        self._is_disputed = False
        self._last_seconds = 0.0  # of a run of the candidate
        self._tried: set[tuple[str, tuple[str, ...]]] = set()

    def judge(self, plan: ComparisonPlan | None) -> tuple[ComparisonPlan, Outcome]:
        """Judge the module as the plan specifies, or as the input if there is none yet."""
        return self.make_plan() if plan is None else self.run_with_plan(plan)

    def make_plan(self, *, varied: bool = False) -> tuple[ComparisonPlan, Outcome]:
        """Search for inputs that show a difference, and settle who judges candidates.

        `varied` is the order of the `trials`. A zero with the other sign counts only if no other
        defect shows with any of them.
        """
        lesser: tuple[ComparisonPlan, Mismatch] | None = None
        candidate = self._build()
        if isinstance(candidate, Outcome):
            return ComparisonPlan(None), candidate
        for trial in self._trials(candidate, varied=varied):
            for question, result in self._calls(trial, candidate, is_input=True):
                before = self.context.seconds
                finding = self.result_judge.judge_input(question, result, trial)
                if finding.is_final:
                    self._was_right, self._is_disputed = False, True
                    self.remarks.add(finding.remark)
                    return ComparisonPlan(None), self._outcome(None)
                self.mismatch = self._mismatch(finding, result, candidate, trial, finding.judges)
                if self.mismatch is not None:
                    judges = replace(
                        finding.judges,
                        run_seconds=self._patience(finding.judges, result),
                        judge_seconds=_patience(self.context.seconds - before),
                        hangs=result.failure == _HANGS,
                    )
                    focused = replace(trial, focus=self._focus(self.mismatch))
                    device = self._cheaper_device(candidate, question, result)
                    plan = ComparisonPlan(focused, judges, device)
                    if not judges.signs:
                        return plan, self._outcome(self.mismatch)
                    lesser = lesser or (plan, self.mismatch)
                if result.failure == _HANGS:  # each further input would take as long
                    return ComparisonPlan(None), self._outcome(None)
            if not self._device_available or self._ended is not End.EXITED:
                break
        if lesser is not None and self._ended is End.EXITED:
            plan, self.mismatch = lesser
            return plan, self._outcome(self.mismatch)
        return ComparisonPlan(None), self._outcome(None)

    def _trials(self, candidate: CandidateProgram, *, varied: bool) -> Iterator[Trial]:
        """What to try; in the end, what the evaluator finds if nobody has given inputs."""
        given = self.comparison.user_inputs
        has_sizes = any(map(_has_sizes, self._functions(candidate)))
        yield from trials(given, varied=varied, has_sizes=has_sizes, borders=borders_of(self.text))
        if not given and (words := candidate.telling_inputs(self.text, self.context)):
            yield Trial(STYLES[-1], user_inputs=tuple(map(InputSpec.parse, words)), has_sizes=False)

    def run_with_plan(self, plan: ComparisonPlan) -> tuple[ComparisonPlan, Outcome]:
        """Compare as the plan specifies."""
        if plan.trial is None:
            return plan, self._outcome(None)
        first = plan.trial.seed  # the seed that showed the defect
        seeds = sorted(range(SEEDS), key=lambda seed: seed != first)
        if self.text.count("\n") > _SMALL:
            seeds = seeds[:1]
        tried = list(map(plan.trial.with_seed, seeds))
        if self._means_nothing(tried, plan.judges):
            return plan, self._outcome(None)
        candidate = self._build()
        if isinstance(candidate, Outcome):
            return plan, candidate
        if plan.device and isinstance(candidate, Compiled):
            candidate = replace(candidate, device=plan.device)
        self.run_seconds = plan.judges.run_seconds or self.run_seconds
        for trial in tried:
            for question, result in self._calls(trial, candidate):
                if result.failure == _HANGS and not plan.judges.hangs:
                    return plan, self._outcome(None)  # another failure, if it is one at all
                with self._at_most(plan.judges.judge_seconds):
                    found = self.result_judge.judge_candidate(question, result, trial, plan.judges)
                self.mismatch = self._mismatch(found, result, candidate, trial, plan.judges)
                if self.mismatch is not None:
                    return plan, self._outcome(self.mismatch)
        return plan, self._outcome(None)

    def confirmed(self, plan: ComparisonPlan, found: Mismatch, before: Outcome) -> Outcome:
        """Ask only the confirmers about results that the judge alone has found wrong.

        The outcome has the cost of both.
        """
        with self._at_most(plan.judges.judge_seconds):
            doubt = self.result_judge.unconfirmed(found.case, found.result, plan.judges)
        if doubt:
            self.remarks.add(doubt)
            self._is_disputed = True
        after = self._outcome(None if doubt else found)
        return replace(
            after,
            seconds=before.seconds + after.seconds,
            cpu_seconds=before.cpu_seconds + after.cpu_seconds,
            peak_memory=max(before.peak_memory, after.peak_memory),
        )

    def _means_nothing(self, tried: Sequence[Trial], judges: Judges) -> bool:
        """Whether a candidate gives no results, or none that are defined, says the evaluator.

        That takes a small part of the time in which it is compiled.
        """
        what = self.comparison
        if what.candidate.is_pipeline or judges.judge != what.evaluator:
            return False
        declared = declared_functions(self.text, what.function)
        functions = [one for one in declared if what.function in (None, one.name)]
        for trial, function in product(tried, functions):
            inputs = trial.inputs(function)
            if inputs is None or obstacle_to(function):
                return False
            if function.has_results:
                with self._at_most(judges.judge_seconds):
                    why = self.result_judge.why_meaningless(Question(self.text, function, inputs))
                if not why:
                    return False
                self.remarks.add(f"the program {why}", str(trial))
            else:
                self.remarks.add(f"@{function.name} cannot be judged: it has no results")
        return bool(functions)

    def get_second_opinion(self, plan: ComparisonPlan, others: Judges) -> Outcome:
        """The outcome of the plan, with what somebody says who was not asked before."""
        if self.mismatch is not None:
            involved = plan.judges.sides | others.sides
            if not self.remarks.lines:  # it was judged as a candidate
                self.remarks.add(plan.judges.summary)
            self.remarks.add(
                self.result_judge.second_opinion(self.mismatch.case, self.mismatch.result, involved)
            )
        return self._outcome(self.mismatch)

    def _build(self) -> CandidateProgram | Outcome:
        target = self.folder / f"candidate{RUNTIME.suffix}"
        outcome, candidate = self.comparison.candidate.compile(self.text, target, self.context)
        if not outcome.succeeded:
            return outcome
        if not candidate.path.is_file():
            self.remarks.add("the command writes no compiled program")
            return self._outcome(None)
        self.candidate = candidate
        return candidate

    # ---- runs of the candidate -----------------------------------------------------------------

    def _calls(
        self,
        trial: Trial,
        candidate: CandidateProgram,
        *,
        is_input: bool = False,
    ) -> Iterator[tuple[Question, ExecutionResult]]:
        """The calls of a trial that were not made before, with what the candidate gives.

        If the candidate is the input, calls of which nothing can be learned are left out.
        """
        finite_only = bool(_FINITE_MATH.search(self.text))
        for function in self._functions(candidate):
            inputs = trial.inputs(function)
            why = obstacle_to(function)
            if inputs is None or why or not function.has_results:
                why = why or "it has no results"
                self.remarks.add(f"@{function.name} cannot be judged: {why}")
                continue
            call = (function.name, tuple(inputs))
            if call in self._tried:  # it does not depend on the trial
                continue
            self._tried.add(call)
            question = Question(
                self.text,
                function,
                inputs,
                self.comparison.tolerance,
                finite_only,
            )
            settled = self.result_judge.judge_unrun(question, trial) if is_input else None
            if settled is not None:
                self._note(settled, trial)
                continue
            result = self._run(candidate, question, FIRST_GARBAGE)
            if result.failed and result.failed.no_device:
                self._device_available = False
                self.remarks.add(
                    f"the program cannot run on --device={candidate.device} on this machine "
                    f"({result.failure}); to look for a pattern in its IR instead, use --ir-after"
                )
                return
            if result.failure == CANNOT and result.unsupported:
                self._is_disputed = True
                self.remarks.add(f"what is left of it cannot be run: {result.unsupported[0]}")
            elif self._ended is End.EXITED:
                yield question, result

    def _functions(self, candidate: CandidateProgram) -> list[Function]:
        """The functions to call, looked up once."""
        if self._called is None:
            self._called = self._look_up(candidate)
        return self._called

    def _look_up(self, candidate: CandidateProgram) -> list[Function]:
        wanted = self.comparison.function
        found = candidate.functions(self.text, wanted)
        if wanted is not None:
            found = [function for function in found if function.name == wanted]
        if not found:
            self.remarks.add(f"no such function: {wanted}" if wanted else self._nothing_to_call())
        return found

    def _nothing_to_call(self) -> str:
        """Why there is no function to call."""
        hidden = hidden_functions(self.text) if self.comparison.candidate.is_pipeline else []
        if not hidden:
            return "no function to call"
        call = f"-- {RUNTIME.program} {RUNTIME.function_flag}={hidden[-1]}"
        return f"no function is public; `{call}` after the command calls one that is not"

    def _run(
        self, candidate: CandidateProgram, question: Question, garbage: int
    ) -> ExecutionResult:
        """Run the candidate. If it does not end in the time it has, that is its failure.

        Under a lower limit it may only be slow.
        """
        before = self.context.seconds
        with self._at_most(self.run_seconds):
            enough = self.context.limits.seconds == self.run_seconds
            result = candidate.call(
                question.function, question.inputs, self.context, garbage=garbage
            )
        self._last_seconds = self.context.seconds - before
        if result.end is End.TIMEOUT and enough:
            said = f"{_HANGS} within {self.run_seconds:g} s"
            return ExecutionResult(
                failure=_HANGS, failed=RunFailure(_HANGS, said, _HANGS, is_hang=True)
            )
        if result.end is not End.EXITED:
            self._ended = result.end
        return result

    @contextmanager
    def _at_most(self, seconds: float | None) -> Iterator[None]:
        """Lower the time limit of runs."""
        limits = self.context.limits
        self.context.limits = limits.at_most(Limits(seconds))
        try:
            yield
        finally:
            self.context.limits = limits

    def _cheaper_device(
        self, candidate: CandidateProgram, question: Question, result: ExecutionResult
    ) -> str:
        """A device of the same machine that starts sooner, if it gives the same wrong results.

        What is wrong is seldom wrong because of several threads.
        """
        if not isinstance(candidate, Compiled) or result.failure:
            return ""
        if candidate.device != RUNTIME.device_of(frozenset()):
            return ""
        cheap = replace(candidate, device=RUNTIME.reference_device)
        given = cheap.call(question.function, question.inputs, self.context, garbage=FIRST_GARBAGE)
        return cheap.device if question.agree(given, result) else ""

    def _patience(self, judges: Judges, result: ExecutionResult) -> float:
        """How long the programs of candidates may run: if that of the input hangs, by the judge's
        time.
        """
        hangs = result.failure == _HANGS and judges.judge is not None
        judge = self.result_judge.pool.seconds(judges.judge) if hangs and judges.judge else None
        return min(self.run_seconds, _patience(self._last_seconds if judge is None else judge))

    # ---- verdicts ------------------------------------------------------------------------------

    def _mismatch(
        self,
        found: Finding,
        result: ExecutionResult,
        candidate: CandidateProgram,
        trial: Trial,
        judges: Judges,
    ) -> Mismatch | None:
        """The wrong results, if they are wrong each time the program runs."""
        if found.judgement is Judgement.RIGHT:
            self._was_right = True
            if found.remark:
                self.remarks.add(found.remark)
            return None
        if found.judgement is not Judgement.WRONG or found.case is None:
            self._note(found, trial)
            return None
        case = found.case
        if case.agrees(self._run(candidate, case, SECOND_GARBAGE)):
            self.remarks.add("the results are wrong only in some runs")
            self._is_disputed = True
            return None
        if found.remark:
            self.remarks.add(found.remark)
        signature = signature_of(result, case, judges)
        return Mismatch(case, result, signature, described(result, case, judges))

    def _note(self, found: Finding, trial: Trial) -> None:
        """Remember why nothing is known to be right or wrong."""
        self._is_disputed |= found.judgement is Judgement.UNDECIDED
        self.remarks.add(found.remark, str(trial))

    def _focus(self, mismatch: Mismatch) -> tuple[tuple[int, int], ...]:
        """Where the result is wrong."""
        if mismatch.result.failure:
            return ()
        return focus_of(gravest(mismatch.case.mismatches(mismatch.result)))

    def _outcome(self, mismatch: Mismatch | None) -> Outcome:
        signature = mismatch.signature if mismatch else Signature(self._kind_without_mismatch())
        if self._ended is not End.EXITED or (self.context.cancel and self.context.cancel.is_set()):
            ended = End.CANCELLED if self._ended is End.EXITED else self._ended
            signature = Signature(_ENDS[ended])
            mismatch = None
        remarks = [Diagnostic("", 0, 0, "remark", line) for line in self.remarks.lines]
        errors = [Diagnostic("", 0, 0, "error", mismatch.text)] if mismatch else []
        failed = mismatch.result.failed if mismatch else None
        diagnostics = (*errors, *remarks)
        return Outcome(
            kind=signature.kind,
            signature=signature,
            exit_code=failed.exit_code if failed else 0,
            seconds=self.context.seconds,
            cpu_seconds=self.context.cpu_seconds,
            peak_memory=self.context.peak_memory,
            diagnostics=diagnostics,
            stderr="\n".join(one.message for one in diagnostics),
        )

    def _kind_without_mismatch(self) -> Kind:
        """Success only if some results were right, and none were in dispute."""
        return Kind.SUCCESS if self._was_right and not self._is_disputed else Kind.UNDECIDED


def _has_sizes(function: Function) -> bool:
    """Whether an argument has a size, which another argument may then be."""
    return any(one is None or one.shape is not None for one in function.inputs)


def _patience(seconds: float) -> float:
    """How long something may take for a candidate that took so long for the input."""
    return max(_LEAST_SECONDS, _SLOWER * seconds)
