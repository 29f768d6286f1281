"""Explain a failure: for each feature of the program, the nearest change that makes it go away.

Every answer is a run of the compiler. A change that yields no valid program reveals nothing about
the failure, so it is only reported if no other change was found.
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
from reducer.search.query import RunLimits
from reducer.session.conversions import Conversions, OptPrinter
from reducer.session.flags import removable
from reducer.session.sanity import SanityChecks
from reducer.session.temporary_evaluator import temporary_evaluator
from reducer.storage.journal import Journal
from reducer.transformations import BoundaryTypes

_SLOWDOWN_FACTOR, _MIN_SECONDS = (
    4,
    30.0,
)  # the limit for a changed program: a multiple of the original run time, but at least this
_MAX_SECONDS = 600.0  # limit for the failing run, if the user set none


@dataclass(frozen=True)
class Fact:
    """One feature of the program or command, and the effect of changing it.

    `kind` is `flag`, `op`, `attribute`, `size` or `element type`. `verdict` is the verdict on the
    program with `change`: `not-interesting` if it does not fail, `other-failure`, `timeout`,
    `invalid` if no change yields a valid program, or `same` if no change that was tried makes a
    difference (`change` is then empty). `outcome` describes that run; `still` lists nearer changes
    that keep the failure.
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
    """The failure and the facts about its boundary. `compiler_seconds` is CPU time."""

    outcome: Outcome
    facts: list[Fact]
    calls: int
    compiler_seconds: float


class Explainer:
    """Explains the failure of one program. Set `stop` to end it early."""

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
        """Run the program and its variations.

        Raises:
            NotInteresting: it does not fail, or no longer fails in generic form.
            BadInput: it cannot be printed in generic form.
            Stopped: the user wants to stop.
        """
        with temporary_evaluator(self.oracle, self.stop) as (evaluator, journal):
            return self._run(evaluator, journal)

    def _run(self, evaluator: Evaluator, journal: Journal) -> Explanation:
        given = self.oracle.limits
        limits = Limits(given.seconds or _MAX_SECONDS, given.memory)
        evaluator = evaluator.with_(limits=RunLimits(limits))
        printer = OptPrinter(self.opt, limits) if self.opt else None
        conversions = Conversions(printer, journal, self.show)
        module = conversions.module(self.text)
        self.show("run the program")
        sanity = SanityChecks(evaluator, self.text, module.op_count if module else 0)
        outcome = sanity.run_input()
        if module is None:
            raise BadInput("the compiler's opt tool cannot parse the program")
        evaluator = evaluator.with_(target=outcome.signature)
        if not evaluator.fails(module):
            raise NotInteresting("the failure disappears when the program is in generic form")
        longest = given.seconds or max(_MIN_SECONDS, _SLOWDOWN_FACTOR * outcome.seconds)
        evaluator = evaluator.with_(limits=RunLimits(Limits(longest, given.memory)))
        facts = self._flags(evaluator)
        self.show("change one part at a time")
        lines = self._lines(conversions, module)
        facts += self._probe_features(evaluator, module, lines)
        seconds = evaluator.costs.compiler_seconds + conversions.seconds
        return Explanation(outcome, facts, evaluator.costs.calls, seconds)

    def _lines(self, conversions: Conversions, module: Module) -> dict[int, int]:
        """The line of each op in the original text."""
        places = conversions.locations(self.text, module)
        return {op: line for (_, line, _), ops in reversed(places.items()) for op in ops}

    def _flags(self, evaluator: Evaluator) -> list[Fact]:
        """The effect of dropping each flag of the command."""
        command = self.oracle.command
        facts: list[Fact] = []
        for group in removable(command) if command else ():
            assert command is not None
            words = " ".join(command.argv[number] for number in group)
            without = evaluator.with_(oracle=self.oracle.with_command(command.without(group)))
            outcome = without.run(self.text, 1)
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
                self.stop.set()  # end the other workers too
                raise


class _FeatureProber:
    """Probes the features of one module with separate runs of the compiler. Thread-safe."""

    def __init__(self, evaluator: Evaluator, ops: int, lines: dict[int, int]) -> None:
        self.evaluator = evaluator
        self.ops = ops
        self.lines = lines

    def probe(self, feature: ProgramFeature) -> Fact:
        """Try the changes of a feature until one makes the failure go away."""
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
        """Refine `fact` by bisection to the value nearest to one that still fails."""
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
        """Run the first variant of a change that is a valid program."""
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
