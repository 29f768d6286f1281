"""The boundary of a failure: for each thing that is left, the nearest change that makes it go away.

Every answer is a run of the compiler. A change that gives no valid program says nothing about the
failure, so it counts only where no other change was found.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import Limits, Oracle, Outcome
from reducer.errors import BadInput, NotInteresting
from reducer.inspection.changes import Mutation, ProgramFeature, program_features
from reducer.ir import NONE, Module
from reducer.search.candidate import Verdict
from reducer.search.evaluator import Evaluator
from reducer.session.conversions import Conversions, OptPrinter
from reducer.session.flags import removable
from reducer.session.sanity import SanityChecks
from reducer.session.temporary_evaluator import temporary_evaluator
from reducer.storage.journal import Journal
from reducer.transformations import BoundaryTypes

_SLOWDOWN_FACTOR, _MIN_SECONDS = (
    4,
    30.0,
)  # a changed program may take so many times as long, and seconds
_MAX_SECONDS = 600.0  # for the failing run, where the user set no limit


@dataclass(frozen=True)
class Fact:
    """One thing that is left, and what happens when it is changed.

    `kind` is `flag`, `op`, `attribute`, `size` or `element type`. `verdict` is that of the run
    with `change`: `not-interesting` where nothing fails, `other-failure`, `timeout`, `invalid`
    where no change gives a valid program, `same` where no change that was tried matters (`change`
    is then empty). `outcome` says how that run ended; `still` are nearer changes under which the
    failure stays.
    """

    kind: str
    subject: str
    now: str
    line: int | None
    change: str
    verdict: Verdict
    outcome: str
    still: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """The failure and its boundary. `compiler_seconds` is CPU time."""

    outcome: Outcome
    facts: list[Fact]
    calls: int
    compiler_seconds: float


class Explainer:
    """Asks about one program. Set `stop` to end it early."""

    def __init__(
        self,
        text: str,
        oracle: Oracle,
        opt: Path | None,
        show: Callable[[str], None],
        *,
        jobs: int = 1,
    ) -> None:
        self.text = text
        self.oracle = oracle
        self.opt = opt
        self.show = show
        self.jobs = jobs
        self.stop = threading.Event()

    def run(self) -> Explanation:
        """Runs the program and everything that is near it.

        Raises:
            NotInteresting: it does not fail, or not when it is printed in generic form.
            BadInput: it cannot be printed in generic form.
            Stopped: the user wants to stop.
        """
        with temporary_evaluator(self.oracle, self.stop) as (evaluator, journal):
            return self._run(evaluator, journal)

    def _run(self, evaluator: Evaluator, journal: Journal) -> Explanation:
        limits = self.oracle.limits
        evaluator.limits = Limits(limits.seconds or _MAX_SECONDS, limits.memory)
        normaliser = OptPrinter(self.opt, evaluator.limits) if self.opt else None
        conversions = Conversions(normaliser, journal, self.show)
        module = conversions.module(self.text)
        self.show("run the program")
        sanity = SanityChecks(evaluator, self.text, module.op_count if module else 0)
        outcome = sanity.run_input()
        if module is None:
            raise BadInput("no tool of the compiler can read the program, so nothing is changed")
        if not sanity.survives_printing(module):
            raise NotInteresting("the failure is gone when the program is printed in generic form")
        longest = limits.seconds or max(_MIN_SECONDS, _SLOWDOWN_FACTOR * outcome.seconds)
        evaluator.limits = Limits(longest, limits.memory)
        facts = self._flags(evaluator)
        self.show("change what is left, one thing at a time")
        lines = self._lines(conversions, module)
        facts += self._probe_features(evaluator, module, lines)
        seconds = evaluator.costs.compiler_seconds + conversions.seconds
        return Explanation(outcome, facts, evaluator.costs.calls, seconds)

    def _lines(self, conversions: Conversions, module: Module) -> dict[int, int]:
        """The line of each op in the program as it was given."""
        places = conversions.locations(self.text, module)
        return {op: line for (_, line, _), ops in reversed(places.items()) for op in ops}

    def _flags(self, evaluator: Evaluator) -> list[Fact]:
        """What each flag of the command is needed for."""
        command = self.oracle.command
        facts: list[Fact] = []
        for group in removable(command) if command else ():
            assert command is not None
            words = " ".join(command.argv[number] for number in group)
            with evaluator.using_oracle(self.oracle.with_command(command.without(group))):
                outcome = evaluator.run(self.text, 1)
            verdict = evaluator.judge(outcome)
            facts.append(Fact("flag", words, "", None, "dropped", verdict, outcome.signature.text))
        return facts

    def _probe_features(
        self, evaluator: Evaluator, module: Module, lines: dict[int, int]
    ) -> list[Fact]:
        prober = _FeatureProber(evaluator, module.op_count, lines)
        with ThreadPoolExecutor(self.jobs, thread_name_prefix="explain") as pool:
            try:
                return list(
                    pool.map(prober.probe, program_features(module, BoundaryTypes.of(module)))
                )
            except BaseException:
                self.stop.set()  # the other workers need not go on
                raise


class _FeatureProber:
    """Answers questions about one module, each by runs of its own; safe to use from threads."""

    def __init__(self, evaluator: Evaluator, ops: int, lines: dict[int, int]) -> None:
        self.evaluator = evaluator
        self.ops = ops
        self.lines = lines

    def probe(self, feature: ProgramFeature) -> Fact:
        """Tries the changes until one makes the failure go away."""
        still: list[str] = []
        invalid: Fact | None = None
        for change in feature.changes:
            fact = self._try(feature, change)
            if fact.verdict is Verdict.SAME:
                still.append(change.label)
            elif fact.verdict is Verdict.INVALID:
                invalid = invalid or fact
            else:
                return self._boundary(feature, replace(fact, still=tuple(still)))
        if still or invalid is None:
            verdict = Verdict.SAME if still else Verdict.INVALID
            return replace(self._fact(feature, "", verdict, ""), still=tuple(still))
        return invalid

    def _boundary(self, feature: ProgramFeature, fact: Fact) -> Fact:
        """The same with the value that is nearest to one with which it fails."""
        if feature.at is None:
            return fact
        goes = int(fact.change)
        numbers = [int(value) for value in (feature.now, *fact.still) if value.isdecimal()]
        stays = min(numbers, key=lambda number: abs(number - goes), default=goes)
        while abs(stays - goes) > 1:
            middle = (stays + goes) // 2
            nearer = self._try(feature, feature.at(middle))
            if nearer.verdict is Verdict.INVALID:
                break
            if nearer.verdict is Verdict.SAME:
                stays = middle
            else:
                goes, fact = middle, nearer
        changed = numbers and str(stays) != feature.now
        return replace(fact, still=(str(stays),) if changed else ())

    def _try(self, feature: ProgramFeature, change: Mutation) -> Fact:
        """The first way to write a change that gives a valid program."""
        fact = self._fact(feature, change.label, Verdict.INVALID, "")
        for text in change.texts:
            outcome = self.evaluator.run(text, self.ops)
            verdict = self.evaluator.judge(outcome)
            fact = self._fact(feature, change.label, verdict, outcome.signature.text)
            if verdict is not Verdict.INVALID:
                break
        return fact

    def _fact(self, feature: ProgramFeature, change: str, verdict: Verdict, outcome: str) -> Fact:
        line = self.lines.get(feature.op) if feature.op != NONE else None
        return Fact(feature.kind, feature.subject, feature.now, line, change, verdict, outcome)
