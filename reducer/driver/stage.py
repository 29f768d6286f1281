"""Building blocks of the table of stages: stages, those under an early-stop command, repetition.

An internal error costs the part of the work in which it happens, and nothing else. Parts need
little of each other: without a stage, the next one goes on from the best result so far, and without
what only watches the search, such as the history, the search goes on alone. What ends a run for a
reason that can be told, such as a full disk or Ctrl-C, ends all of it.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from oracles.base import PluginError
from reducer.asking import Stopped
from reducer.driver.state import Context, EarlyStopDiverged
from reducer.errors import InternalError, ReducerError
from reducer.ir import Module, PlainText
from reducer.toolchain import ToolchainError

_MEANT = (
    *(ReducerError, OSError, MemoryError, sqlite3.Error, PluginError, ToolchainError),
    *(Stopped, EarlyStopDiverged),
)


def is_internal(error: Exception) -> bool:
    """Whether an error can only be a bug of this program."""
    return not isinstance(error, _MEANT)


class Attempts:
    """Collects, in `problems`, what could not be made beside the result, and why.

    `internal_errors` are those among the reasons, after those that were there before.
    """

    def __init__(self, internal_errors: list[InternalError]) -> None:
        self.internal_errors = internal_errors
        self.problems: list[str] = []

    @contextmanager
    def attempt(self, name: str) -> Iterator[None]:
        """Run the body of the `with`, which makes what `name` says; failure is not fatal."""
        try:
            yield
        except Exception as error:
            text = error.reason if isinstance(error, Stopped) else str(error)
            if is_internal(error):
                internal = InternalError.of(f"the {name}", error)
                self.internal_errors.append(internal)
                text = internal.text
            self.problems.append(f"could not write the {name}: {text}")


@contextmanager
def costs_only(part: str, tell: Callable[[InternalError], None]) -> Iterator[None]:
    """Run the body of the `with`, a part of the work; `tell` is told of an internal error in it."""
    try:
        yield
    except Exception as error:
        if not is_internal(error):
            raise
        tell(InternalError.of(part, error))


class Step(Protocol):
    """A part of a strategy."""

    def carry_out(self, context: Context) -> bool:
        """Run the step and return whether it changed anything.

        Raises:
            Stopped: the budget is spent, or the user interrupted the run.
            FlakyOracle: a candidate does not fail in the same way every time.
        """
        ...


def carry_out(steps: Sequence[Step], context: Context) -> bool:
    """Run the steps in order and return whether any of them changed anything."""
    progress = False
    for step in steps:
        progress |= step.carry_out(context)
    return progress


@dataclass(frozen=True)
class Stage:
    """A named stage: the name shown to the user, when it applies, and what it does.

    `run` returns whether it changed anything. An internal error costs this stage only. One that is
    not `shown` takes so few runs that nobody waits for it.
    """

    name: str
    when: Callable[[Context], bool]
    run: Callable[[Context], bool]
    shown: bool = True

    def carry_out(self, context: Context) -> bool:
        with costs_only(f"the stage “{self.name}”", context.go_on_without):
            if self.when(context):
                if self.shown:
                    context.show(self.name)
                return self.run(context)
        return False

    def only(self, condition: Callable[[Context], bool]) -> "Stage":
        """The same stage for programs of which a condition holds as well."""
        return replace(self, when=lambda context: self.when(context) and condition(context))


def always(context: Context) -> bool:
    """For a stage that applies to any program."""
    return True


def is_module(context: Context) -> bool:
    """For a stage that edits ops."""
    return isinstance(context.program.document, Module)


def is_text(context: Context) -> bool:
    """For a stage that edits lines."""
    return isinstance(context.program.document, PlainText)


@dataclass(frozen=True)
class StoppingEarly:
    """Runs stages under the command that stops earliest, as found by `find`, if that is sound.

    The full command confirms what the stages accept. If it does not fail on that, everything since
    the last confirmation is undone and the stages run again under the full command.
    """

    when: Callable[[Context], bool]
    find: Stage
    then: Sequence[Stage]

    def carry_out(self, context: Context) -> bool:
        if not self.when(context):
            return False
        before = context.program.document
        while not _provisionally(context, self._stop_early):
            if not context.judging.is_hasty:
                carry_out(self.then, context)
                break
        return context.program.document is not before

    def _stop_early(self, context: Context) -> bool:
        """Run the stages under a cheaper command; return whether there is one."""
        self.find.carry_out(context)
        if context.judging.provisional is not None:
            carry_out(self.then, context)
        return context.judging.provisional is not None


@dataclass(frozen=True)
class UnderShortLimits:
    """Runs a stage under the short limits of a hang, if there are any and they are sound."""

    stage: Stage

    def carry_out(self, context: Context) -> bool:
        before = context.program.document
        while context.judging.is_short:
            if _provisionally(context, self._carry_out):
                return context.program.document is not before
            context.program.is_located = False
        return self.stage.carry_out(context)

    def _carry_out(self, context: Context) -> bool:
        self.stage.carry_out(context)
        return True


def _provisionally(context: Context, run: Callable[[Context], bool]) -> bool:
    """Run stages whose results are provisional, and confirm what is left at the end.

    Returns:
        What `run` returns; False if the full command does not fail on the result, so that all since
        the last confirmation is undone.
    """
    program, judging = context.program, context.judging
    confirmed, located = program.confirmed, program.is_located
    judging.provisional = judging.probing if judging.is_hasty else None
    try:
        done = run(context)
        context.confirm()
    except EarlyStopDiverged:
        context.fall_back()
        if program.confirmed is confirmed:
            program.is_located = located
        return False
    except Stopped as stopped:
        context.confirm_in_the_end(interrupted=stopped.reason == "interrupted")
        raise
    finally:
        judging.provisional = None
    return done


@dataclass(frozen=True)
class Again:
    """Repeats steps as long as the stage before them changes anything."""

    after: Stage
    steps: Sequence[Step]

    def carry_out(self, context: Context) -> bool:
        progress = False
        while self.after.carry_out(context):
            carry_out(self.steps, context)
            progress = True
        return progress
