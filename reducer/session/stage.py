"""What a plan is made of: stages, some of them under a command that stops early, some repeated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from reducer.search.evaluator import Stopped
from reducer.session.context import Context, EarlyStopDiverged


class Step(Protocol):
    """A part of a plan."""

    def carry_out(self, context: Context) -> bool:
        """Does it, and says whether that changed anything.

        Raises:
            Stopped: the budget is spent, or the user wants to stop.
            FlakyOracle: a candidate does not fail in the same way every time.
        """
        ...


def carry_out(steps: Sequence[Step], context: Context) -> bool:
    """Carries out steps in their order; whether any of them changed anything."""
    progress = False
    for step in steps:
        progress |= step.carry_out(context)
    return progress


@dataclass(frozen=True)
class Stage:
    """What is shown to people, when it applies, and what it does.

    `run` says whether it changed anything.
    """

    name: str
    when: Callable[[Context], bool]
    run: Callable[[Context], bool]

    def carry_out(self, context: Context) -> bool:
        if not self.when(context):
            return False
        context.show(self.name)
        return self.run(context)


@dataclass(frozen=True)
class StoppingEarly:
    """Stages under the command that stops earliest, which `find` looks for, if that is sound.

    The full command confirms what they accept. Where it does not fail on that, all since it last
    did is undone, and the stages are carried out under the full command.
    """

    when: Callable[[Context], bool]
    find: Stage
    then: Sequence[Stage]

    def carry_out(self, context: Context) -> bool:
        if not self.when(context):
            return False
        before = context.document
        if not self._stopping_early(context):
            carry_out(self.then, context)
        return context.document is not before

    def _stopping_early(self, context: Context) -> bool:
        """Whether the stages were carried out, and the full command fails on what they left."""
        context.early = context.impatient
        try:
            self.find.carry_out(context)
            if context.early is None:
                return False
            carry_out(self.then, context)
            context.confirm()
        except EarlyStopDiverged:
            context.fall_back()
            return False
        except Stopped as stopped:
            if stopped.reason == "budget":
                context.confirm_beyond_budget()
            raise
        finally:
            context.early = None
        return True


@dataclass(frozen=True)
class Again:
    """Steps that are carried out again whenever a stage before them changed anything."""

    after: Stage
    steps: Sequence[Step]

    def carry_out(self, context: Context) -> bool:
        progress = False
        while self.after.carry_out(context):
            carry_out(self.steps, context)
            progress = True
        return progress
