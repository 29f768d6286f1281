"""Why a candidate is refused: the conditions it must meet to become the best, in their order.

A candidate is refused by the first condition that it does not meet. The first ones cost no run: an
edit that failed in the same surroundings, text that cannot be parsed, a program that is not smaller
or that a rule forbids, and IR that the verifier rejects. The others need the outcome of a run: that
the failure is the same, and what else tells that the bug is.

A condition is an immutable value. Which ones hold is part of a search's `Query`, so that a stage
switches one on by going on with another judge (`Runs.under`), and a milestone remembers those
that it met. What needs to know compilers or sessions is defined there, and only named here.

Nothing else refuses. To add a condition, name it in `ConditionName`, where its place in the order
is, and put a value with this name into the list.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol

from oracles import Oracle, Outcome, Signature
from oracles.signature.comparison import shows
from reducer.search.candidate import Candidate, Verdict, is_nothing, size_key
from reducer.search.sequential import Rate


class ConditionName(StrEnum):
    """The conditions in their order, each by what it refuses, as people read it."""

    FAILED_BEFORE = "failed before"  # the same edit in the same surroundings
    SYNTAX = "syntax"  # text that cannot be parsed
    SMALLER = "not smaller"
    NOT_EMPTY = "empty"
    ORDINARY = "more degenerate"
    CONSTANTS = "lost constant"  # or attribute, which a conversion may require
    OWN_SHAPES = "own shapes"  # it has others than the input
    VERIFIER = "verifier"  # a tool that only parses and verifies rejects it
    # From here on, the condition asks about the outcome of a run.
    ACCEPTED = "invalid"
    IN_TIME = "timeout"
    FAILS = "passes"
    SAME_FAILURE = "other failure"
    OTHER_BUILDS = "other builds"  # there it does not do what the input does
    PRETTY_FORM = "pretty form"  # which does not fail
    FREQUENCY = "too rare"  # it fails in too few of its runs
    FULL_COMMAND = "full command"  # it only fails under one that stops early
    NEEDS_INPUT = "needs no input"  # the command that is tried fails on an empty module, too


_PLACES = {name: place for place, name in enumerate(ConditionName)}
_VERIFIER = _PLACES[ConditionName.VERIFIER]  # the last before a run


@dataclass(frozen=True)
class Refusal:
    """The condition that a candidate does not meet, and how it does not."""

    condition: ConditionName
    reason: str = ""


@dataclass(frozen=True)
class Refused:
    """A candidate that was refused, by the edit that made it. `ops` is None if nothing was made."""

    origin: str
    refusal: Refusal
    ops: int | None = None


@dataclass(frozen=True)
class Judgment:
    """What was found about a candidate that was run: it becomes the best unless it is refused.

    `outcome` is a success if the failure is not the wanted one for more than its message.
    """

    verdict: Verdict
    outcome: Outcome
    refusal: Refusal | None = None


@dataclass(frozen=True)
class Run:
    """What a run of a candidate has shown; `cancel` ends further runs that a condition needs."""

    outcome: Outcome
    cancel: threading.Event


class Condition(Protocol):
    """One condition. It may remember what it learns elsewhere, but a check has no other effect."""

    @property
    def name(self) -> ConditionName: ...

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        """Why a candidate is refused; None if it is not.

        `run` is None before the candidate is run. After that, only its text is sure to be known,
        and the oracle that ran it.

        Raises:
            Stopped: a run that this needs was cancelled.
        """
        ...


# ---- beside the list: they hold in every search --------------------------------------------------


FAILED_BEFORE = Refusal(ConditionName.FAILED_BEFORE)
"""Of an edit, from which nothing is made."""


def unreadable(why: str = "") -> Refusal:
    """Of a text that an edit has made, or of a program that would be edited further."""
    return Refusal(ConditionName.SYNTAX, why)


def too_rare(rate: Rate) -> Refusal:
    """Of a program that a test of several runs has decided about."""
    return Refusal(ConditionName.FREQUENCY, f"fails in {rate}")


def other_in_full(outcome: Outcome) -> Refusal:
    """Of a program that a command had accepted which stops early, or sooner."""
    return Refusal(ConditionName.FULL_COMMAND, outcome.signature.text)


NEEDS_NO_INPUT = Refusal(ConditionName.NEEDS_INPUT)
"""Of a command that is tried."""


# ---- before a run ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Smaller:
    """A candidate is smaller than what it is made from (see `SizeKey`), so that the search ends."""

    name: ClassVar = ConditionName.SMALLER

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        base = candidate.base
        if base is None or size_key(candidate.document) < size_key(base):
            return None
        return Refusal(self.name)


@dataclass(frozen=True)
class NotEmpty:
    """The empty module fails otherwise, or no reduction would have started."""

    name: ClassVar = ConditionName.NOT_EMPTY

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        return Refusal(self.name) if is_nothing(candidate.document) else None


class Screen(Protocol):
    """Predicts which texts a compiler would reject as invalid."""

    def passes(self, texts: Sequence[str], base: str) -> list[bool]:
        """For each text, whether it is worth a run.

        `base` is a text that the compiler accepts. If the screen rejects it, the screen knows less
        than the compiler, and all texts are worth a run.
        """
        ...


@dataclass(frozen=True)
class Verifier:
    """A cheap tool does not reject a candidate that was made from a program which it accepts.

    It is asked about many candidates at once, and only where that pays (see `screening`).
    """

    screen: Screen
    name: ClassVar = ConditionName.VERIFIER
    refusal: ClassVar = Refusal(name)

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        base = candidate.base
        if base is None or self.screen.passes([candidate.text], base.text)[0]:
            return None
        return self.refusal


# ---- after a run -------------------------------------------------------------------------------


REFUSED_AS = {
    Verdict.INVALID: ConditionName.ACCEPTED,
    Verdict.TIMEOUT: ConditionName.IN_TIME,
    Verdict.NOT_INTERESTING: ConditionName.FAILS,
    Verdict.OTHER_FAILURE: ConditionName.SAME_FAILURE,
}
"""The conditions as which `SameFailure` refuses an outcome, by its verdict."""


@dataclass(frozen=True)
class SameFailure:
    """The outcome shows the target signature. While that is unknown, each outcome does.

    `said` gives what of an outcome is compared, if that is not its signature.
    """

    target: Signature | None = None
    said: Callable[[Outcome], Signature] | None = None
    name: ClassVar = ConditionName.SAME_FAILURE

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        assert run is not None
        verdict = self.verdict(run.outcome)
        if verdict is Verdict.SAME:
            return None
        told = verdict in (Verdict.OTHER_FAILURE, Verdict.INVALID)
        return Refusal(REFUSED_AS[verdict], run.outcome.signature.text if told else "")

    def verdict(self, outcome: Outcome) -> Verdict:
        """Classify an outcome: same failure, another failure, no failure, or rejected input."""
        if outcome.cancelled:
            return Verdict.CANCELLED
        said = outcome if self.said is None else replace(outcome, signature=self.said(outcome))
        if self.target is None or shows(self.target, said):
            return Verdict.SAME
        if outcome.succeeded or outcome.kind.traits.undecided:
            return Verdict.NOT_INTERESTING
        if outcome.kind.traits.out_of_time:
            return Verdict.TIMEOUT
        if outcome.kind.traits.rejected or outcome.signature.stage == "input":
            return Verdict.INVALID
        return Verdict.OTHER_FAILURE


@dataclass(frozen=True)
class OfCommand:
    """The command that is tried with a program may take the place of the search's own.

    `refuse` says why one that fails in the same way may not.
    """

    name: ConditionName
    refuse: Callable[[Oracle], Refusal | None]

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        assert candidate.oracle is not None
        return self.refuse(candidate.oracle)


# ---- the list ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Conditions:
    """The conditions that hold for a search, one of each name, in their order."""

    listed: tuple[Condition, ...] = (Smaller(), NotEmpty(), SameFailure())

    def under(self, *conditions: Condition) -> "Conditions":
        """The same with these conditions, in place of those with their names."""
        kept = {one.name: one for one in (*self.listed, *conditions)}
        return Conditions(tuple(sorted(kept.values(), key=_place)))

    def without(self, *names: ConditionName) -> "Conditions":
        """The same without the conditions of these names."""
        return Conditions(tuple(one for one in self.listed if one.name not in names))

    def get(self, name: ConditionName) -> Condition | None:
        """The condition of a name, if it holds."""
        return next((one for one in self.listed if one.name is name), None)

    @property
    def same_failure(self) -> SameFailure:
        found = self.get(ConditionName.SAME_FAILURE)
        assert isinstance(found, SameFailure)
        return found

    @property
    def screen(self) -> Screen | None:
        """What is asked about many candidates at once."""
        found = self.get(ConditionName.VERIFIER)
        return found.screen if isinstance(found, Verifier) else None

    def before_a_run(self, candidate: Candidate[Any]) -> Refusal | None:
        """Why a candidate is not worth a run; the screen is asked about many at once."""
        single = [one for one in self.listed if _place(one) < _VERIFIER]
        return _first_refusal(single, candidate, None)

    def after_a_run(
        self, candidate: Candidate[Any], run: Run, *, is_decided: bool = True
    ) -> Refusal | None:
        """Why a candidate does not become the best.

        While a test of several runs `is_decided` not, what comes after its verdict is not asked.
        """
        end = len(_PLACES) if is_decided else _PLACES[ConditionName.FREQUENCY]
        asking = [one for one in self.listed if _VERIFIER < _place(one) < end]
        return _first_refusal(asking, candidate, run)


def _place(condition: Condition) -> int:
    return _PLACES[condition.name]


def _first_refusal(
    conditions: Iterable[Condition], candidate: Candidate[Any], run: Run | None
) -> Refusal | None:
    refusals = (one.check(candidate, run) for one in conditions)
    return next((refusal for refusal in refusals if refusal is not None), None)
