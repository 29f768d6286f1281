"""Explain a failure: for each feature of the program, the nearest change that makes it go away.

Every answer is a run of the compiler. A change that yields no valid program reveals nothing about
the failure, so it is only reported if no other change was found.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from oracles import Limits, Oracle, Outcome
from reducer.asking import Cost
from reducer.conversions import Conversions, OptPrinter
from reducer.driver.stages.command_parts import CommandParts
from reducer.errors import BadInput, NotInteresting
from reducer.explain.changes import Mutation, ProgramFeature, program_features
from reducer.explain.locator import temporary_evaluator
from reducer.identity.advice import unread_by
from reducer.identity.sanity import SanityChecks
from reducer.ir import NONE, Module, PlainText
from reducer.ir.flow import distances
from reducer.locate import ops_of_diagnostics
from reducer.locate.locations import Location
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import SameFailure
from reducer.search.inquiry import Questions, inquire
from reducer.search.judge import Judge
from reducer.search.query import RunLimits
from reducer.storage.journal import Journal
from reducer.transformations import BoundaryTypes
from reducer.units import duration, plural

_SLOWDOWN_FACTOR, _MIN_SECONDS = (
    4,
    30.0,
)  # the limit for a changed program: a multiple of the original run time, but at least this
MAX_SECONDS = 600.0  # limit for the failing run, if the user set none

MOST_PARTS = 150
"""A result of a reduction has fewer."""

_MOST_RUNS = 10  # that a part usually takes: its changes, and a bisection between two sizes


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

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "verdict": str(self.verdict)}


@dataclass(frozen=True)
class Explanation:
    """The failure and the facts about its boundary.

    Attributes:
        left_out: the number of parts that were not changed, since there are too many.
        cost: of all programs that were run.
    """

    outcome: Outcome
    facts: list[Fact]
    left_out: int
    cost: Cost

    def to_json(self) -> dict[str, Any]:
        """The fields of `explain --json`."""
        signature = self.outcome.signature
        return {
            "kind": str(signature.kind),
            "signature": signature.text,
            "bucket": signature.bucket,
            "left_out": self.left_out,
            "facts": [fact.to_json() for fact in self.facts],
            "calls": self.cost.calls,
            **self.cost.times(),
        }


class Explainer:
    """Explains the failure of one program. Set `stop` to end it early.

    Only `most` parts are changed, those nearest to the op at fault first; all if it is 0.
    """

    def __init__(
        self,
        text: str,
        oracle: Oracle,
        opt: Path | None,
        show: Callable[[str], None],
        *,
        jobs: int = 1,
        most: int = MOST_PARTS,
    ) -> None:
        self.text = text
        self.oracle = oracle
        self.opt = opt
        self.show = show
        self.jobs = jobs
        self.most = most
        self.stop = threading.Event()

    def run(self) -> Explanation:
        """Run the program and its variations.

        Raises:
            NotInteresting: it does not fail, or no longer fails in generic form.
            BadInput: it cannot be printed in generic form.
            Stopped: the user wants to stop.
        """
        with temporary_evaluator(self.oracle, self.stop) as (judge, journal):
            return self._run(judge, journal)

    def _run(self, judge: Judge, journal: Journal) -> Explanation:
        given = self.oracle.limits
        limits = Limits(given.seconds or MAX_SECONDS, given.memory)
        judge = judge.with_(limits=RunLimits(limits))
        printer = OptPrinter(self.opt, limits) if self.opt else None
        conversions = Conversions(printer, journal, self.show)
        module = conversions.module(self.text)
        self.show("run the program")
        sanity = SanityChecks(judge, self.text, module.op_count if module else 0)
        begun = sanity.run_input()
        outcome, judge = begun.outcome, begun.judge
        if begun.spread:
            self.show(begun.spread)
        if module is None:
            raise BadInput(unread_by(self.opt, outcome))
        judge = judge.under(SameFailure(outcome.signature))
        if not judge.fails(module):
            raise NotInteresting("the failure disappears when the program is in generic form")
        longest = given.seconds or max(_MIN_SECONDS, _SLOWDOWN_FACTOR * outcome.seconds)
        judge = judge.with_(limits=RunLimits(replace(judge.limits, seconds=longest)))
        facts = self._flags(judge)
        places = conversions.locations(self.text, module)
        lines = {op: line for (_, line, _), ops in reversed(places.items()) for op in ops}
        features = list(program_features(module, BoundaryTypes.of(module)))
        parts = _nearest_first(features, _at_fault(outcome, places, module), module)
        parts = parts[: self.most or None]
        least = len(parts) * outcome.seconds / self.jobs
        self.show(
            f"change {plural(len(parts), 'part')}, one at a time: {len(parts):,} to "
            f"{_MOST_RUNS * len(parts):,} runs, {duration(least)} or more"
        )
        facts += self._probe(judge, parts, lines)
        judge.costs.add(conversions.cost.calls, conversions.cost.cpu_seconds)
        return Explanation(outcome, facts, len(features) - len(parts), judge.costs)

    def _flags(self, judge: Judge) -> list[Fact]:
        """The effect of dropping each flag of the command."""
        parts = CommandParts(self.oracle.command) if self.oracle.command else None
        facts: list[Fact] = []
        for group in parts.groups if parts else ():
            assert parts is not None
            words = " ".join(part.text for part in group)
            without = judge.with_(oracle=self.oracle.with_command(parts.without(group)))
            outcome = without.run(self.text, 1)
            verdict = judge.verdict_of(outcome)
            facts.append(Fact("flag", words, "", None, "dropped", verdict, outcome.signature.text))
        return facts

    def _probe(
        self, judge: Judge, parts: Sequence[ProgramFeature], lines: dict[int, int]
    ) -> list[Fact]:
        base = PlainText(self.text)

        def probe(feature: ProgramFeature) -> Fact:
            line = lines.get(feature.op) if feature.op != NONE else None
            return inquire(judge, base, partial(_effect, feature, line), _program)

        with ThreadPoolExecutor(self.jobs, thread_name_prefix="explain") as pool:
            try:
                return list(pool.map(probe, parts))
            except BaseException:
                self.stop.set()  # end the other workers too
                raise


def _at_fault(outcome: Outcome, places: dict[Location, list[int]], module: Module) -> list[int]:
    """The ops that a diagnostic points to, or else those that the failure names."""
    pointed = ops_of_diagnostics(outcome.diagnostics, places, module)
    named = [op for op, name in enumerate(module.t.name) if name == outcome.signature.op]
    return pointed or named


def _nearest_first(
    features: Sequence[ProgramFeature], at_fault: Sequence[int], module: Module
) -> list[ProgramFeature]:
    """The features in order of their distance from the ops at fault, along definitions and uses.

    Those of the whole program, such as its functions' types, come first. Without an op at fault,
    and among those equally far away, the order stays.
    """
    if not at_fault:
        return list(features)
    far = len(module)
    distance = distances(module, at_fault)
    return sorted(features, key=lambda one: -1 if one.op == NONE else distance.get(one.op, far))


def _program(text: str) -> Candidate[PlainText]:
    return Candidate(PlainText(text), "explain")


def _effect(feature: ProgramFeature, line: int | None) -> Questions[str, Fact]:
    """Try the changes of a feature until one makes the failure go away.

    Where a value is changed so that the program compiles, that says more than another failure.
    """
    unchanged = Fact(feature.kind, feature.subject, feature.now, line, "", Verdict.INVALID, "")
    still: list[str] = []
    invalid: Fact | None = None
    other: Fact | None = None
    for change in feature.changes:
        fact = yield from _changed(unchanged, change)
        if fact.verdict is Verdict.SAME:
            still.append(change.label)
        elif fact.verdict is Verdict.INVALID:
            invalid = invalid or fact
        elif fact.verdict is Verdict.NOT_INTERESTING or feature.kind == "op":
            return (yield from _nearest(feature, replace(fact, still=tuple(still))))
        else:
            other = other or fact
    if other is not None:
        return (yield from _nearest(feature, replace(other, still=tuple(still))))
    if still or invalid is None:
        verdict = Verdict.SAME if still else Verdict.INVALID
        return replace(unchanged, verdict=verdict, still=tuple(still))
    return invalid


def _nearest(feature: ProgramFeature, fact: Fact) -> Questions[str, Fact]:
    """Refine a fact by bisection to the value nearest to one that still fails."""
    if feature.at is None:
        return fact
    goes = int(fact.change)
    numbers = [int(value) for value in (feature.now, *fact.still) if value.isdecimal()]
    stays = near = min(numbers, key=lambda number: abs(number - goes), default=goes)
    while abs(near - goes) > 1:
        middle = (near + goes) // 2
        nearer = yield from _changed(fact, feature.at(middle))
        if nearer.verdict is Verdict.INVALID:
            break
        if nearer.verdict is fact.verdict:
            goes, fact = middle, nearer
            continue
        near = middle
        if nearer.verdict is Verdict.SAME:
            stays = middle
    changed = numbers and str(stays) != feature.now
    return replace(fact, still=(str(stays),) if changed else ())


def _changed(fact: Fact, change: Mutation) -> Questions[str, Fact]:
    """What the first variant of a change that is a valid program does."""
    fact = replace(fact, change=change.label, verdict=Verdict.INVALID, outcome="")
    for text in change.texts:
        reply = yield [text]
        said = reply.refused[-1].said if reply.refused else ""
        fact = replace(fact, verdict=reply.verdict, outcome=said)
        if reply.verdict is not Verdict.INVALID:
            break
    return fact
