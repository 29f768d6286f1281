"""The conditions that need to know more than a search does: other builds, the input, the printer.

A smaller program may show another bug in the same words. What tells the two apart is found out when
a result is looked at (see `going_back`); from then on, every candidate must meet it.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from oracles.run.limits import Cancelled
from oracles.signature.comparison import shows
from reducer.conversions import Conversions
from reducer.identity.builds import CrossCheck, HealthCheck, Requirement
from reducer.ir import Module
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName, Refusal, Run
from reducer.search.evaluator import Evaluator
from reducer.transformations.degenerate import Counts
from reducer.transformations.required_constants import RequiredConstants


@dataclass(frozen=True)
class NotMoreDegenerate:
    """A candidate has no more small sizes, and shapes without dimensions, than what was edited.

    `outputs` and `unused` are how many degenerate parts of other kinds it may have.
    """

    outputs: int
    unused: int
    name: ClassVar = ConditionName.ORDINARY

    @staticmethod
    def than(counts: Counts) -> "NotMoreDegenerate":
        return NotMoreDegenerate(counts.outputs, counts.unused)

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        module, base = candidate.document, candidate.base
        if not isinstance(module, Module) or not isinstance(base, Module):
            return None
        before = base.derived(Counts.of_shapes)
        floor = Counts(before.sizes, self.outputs, self.unused, before.ranks)
        return None if floor.admits(module) else Refusal(self.name)


@dataclass(frozen=True)
class KeepsConstants:
    """No op of a candidate has lost the constants and attributes that a conversion may require."""

    told: RequiredConstants
    name: ClassVar = ConditionName.CONSTANTS

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        module = candidate.document
        is_kept = not isinstance(module, Module) or self.told.admits(module)
        return None if is_kept else Refusal(self.name)


@dataclass(frozen=True)
class SameOnOtherBuilds:
    """What fails also does elsewhere what the input does there: it compiles, or fails alike.

    As a program shrinks it may come to break a rule, or another part of the compiler, with the same
    message. Places where the original compiles distinguish the two, and so do places where it fails
    and the smaller program does not.
    """

    elsewhere: CrossCheck
    required: tuple[Requirement, ...]
    name: ClassVar = ConditionName.OTHER_BUILDS

    @staticmethod
    def of(check: HealthCheck | None) -> "tuple[SameOnOtherBuilds, ...]":
        """The condition that holds at present, if there is one."""
        if check is None or not check.required:
            return ()
        return (SameOnOtherBuilds(check.elsewhere, check.required),)

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        assert run is not None
        for one in self.required:
            health = self.elsewhere.health(one.place, candidate.text, cancel=run.cancel)
            if health is not one.health:
                return Refusal(self.name, f"{one.place.name}: {health}")
        return None


@dataclass(frozen=True)
class FailsAsPrinted:
    """What fails in generic form also fails in its pretty form, which `evaluator` runs."""

    evaluator: Evaluator
    conversions: Conversions
    name: ClassVar = ConditionName.PRETTY_FORM

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        assert run is not None
        pretty, target = self.conversions.pretty(candidate.text), self.evaluator.target
        if pretty is None or target is None:
            return Refusal(self.name, "cannot be printed")
        asked = self.evaluator.by_failure().with_(is_observed=False)
        printed = asked.run(pretty, pretty.count("\n"), run.cancel)
        if printed.cancelled:
            raise Cancelled
        return None if shows(target, printed) else Refusal(self.name, printed.signature.text)
