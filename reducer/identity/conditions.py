"""Go back to the last program that met a condition which is found to matter late.

A smaller program may show another bug in the same words: on other builds, in pretty form, or with
the constants of the input, it does otherwise than what it was made from, or it fails by luck only.
That is found out when a result is looked at; other files ask, each about one of these. What follows
is the same for all, so each tells it as a value, a `Loss`: the last of the accepted programs that
did as it should becomes the best again, and every candidate from then on must do so, as one more of
the conditions (see `search/conditions.py`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

from oracles.base import capabilities_of
from oracles.signature.stage import INPUT
from reducer.identity.builds import CrossCheck, Requirement
from reducer.identity.program import Judging, Milestone, Program
from reducer.ir import Module
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName, Refusal, Run
from reducer.search.judge import Judge
from reducer.transformations.degenerate import Counts
from reducer.transformations.required_constants import RequiredConstants


@dataclass(frozen=True)
class NotMoreDegenerate:
    """A candidate has no more small sizes than what was edited.

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
        floor = replace(base.derived(Counts.of), outputs=self.outputs, unused=self.unused)
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
    message. Builds where the original compiles distinguish the two, and so do builds where it fails
    and the smaller program does not.
    """

    cross_check: CrossCheck
    required: tuple[Requirement, ...]
    name: ClassVar = ConditionName.OTHER_BUILDS

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        assert run is not None
        for one in self.required:
            health = self.cross_check.health(one.build, candidate.text, cancel=run.cancel)
            if health is not one.health:
                return Refusal(self.name, f"{one.build.name}: {health}")
        return None


def a_pass_decides(program: Program, judging: Judging) -> bool:
    """Whether what a pass receives decides about the failure. Runs nothing.

    False if the parser or verifier rejects the program itself, if it is text, if only a script
    knows the failure, if that is intermittent, or if it takes a limit to end it.
    """
    target, query = judging.first.signature, judging.full.query
    return (
        isinstance(program.document, Module)
        and program.original is not None
        and capabilities_of(query.oracle).failures is not None
        and query.test is None
        and target.stage != INPUT
        and not target.kind.traits.costly
    )


def last_that(
    steps: Sequence[Milestone], holds: Callable[[Milestone], bool], *, known: int = -1
) -> int:
    """The number of the last step for which something holds, by bisection; `known` if for none.

    Args:
        known: a step for which it holds, by number.
    """
    lost = len(steps)
    while lost - known > 1:
        middle = (known + lost) // 2
        if holds(steps[middle]):
            known = middle
        else:
            lost = middle
    return known


def until_lost(
    steps: Sequence[Milestone], loses: Callable[[Module, Module], bool]
) -> Sequence[Milestone]:
    """The steps before the first that loses something the step before it has; none if none does."""
    for number, (step, after) in enumerate(pairwise(steps)):
        if loses(step.document, after.document):
            return steps[: number + 1]
    return ()


@dataclass(frozen=True)
class Loss:
    """Something that a result does no longer, although it was made from programs that do.

    Attributes:
        why: the reason to go back, as a sentence.
        steps: programs before the loss, oldest first; the last one is known to meet the condition.
        forbid: gives a view of a judge with the condition that forbids it.
        restored: is called once the reduction has gone back.
    """

    why: str
    steps: Sequence[Milestone]
    forbid: Callable[[Judge], Judge]
    restored: Callable[[], None] = lambda: None


def go_back(program: Program, judging: Judging, loss: Loss | None) -> str:
    """Return to the last program before a loss that fails with the condition.

    Returns:
        Why; '' if nothing was lost, or there is no such program.

    Raises:
        Stopped: see `Judge.judged`.
    """
    if loss is None:
        return ""
    for step in reversed(loss.steps):
        if (asked := _asked(judging, step, loss.forbid)) is not None:
            _return_to(program, judging, step, asked)
            loss.restored()
            return loss.why
    return ""


def _asked(judging: Judging, step: Milestone, switch_on: Callable[[Judge], Judge]) -> Judge | None:
    """A judge under which a step fails: with the present command, or with that of its time."""
    views = (switch_on(one) for one in (judging.full, as_now(judging, step.asked)))
    return next((view for view in views if view.fails(step.document)), None)


def as_now(judging: Judging, earlier: Judge) -> Judge:
    """An earlier judge under the conditions that hold by now."""
    return earlier.with_(conditions=judging.full.query.conditions)


def _return_to(program: Program, judging: Judging, step: Milestone, asked: Judge) -> None:
    """Make an earlier program the best again; `asked` judges all further candidates."""
    judging.full = asked
    program.return_to(step)
