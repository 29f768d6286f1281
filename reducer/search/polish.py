"""Alternate transformations and tunings until none makes progress."""

from collections.abc import Callable, Sequence
from typing import Any, Generic

from oracles.base import outcome_digest
from reducer.ir import D
from reducer.search.descend import descend
from reducer.search.schedule import FailedValues, Schedule
from reducer.search.state import SearchState
from reducer.search.sweep import sweep
from reducer.transformations import Transformation, Tuning


def reduce_to_fixpoint(
    state: SearchState[D],
    transformations: Sequence[Transformation[D]],
    on_phase: Callable[[str], None],
) -> None:
    """Sweep until every transformation has failed at every single site of the same document.

    The result is 1-minimal with respect to these transformations. At first, a failed edit is only
    retried if something near it has changed; once that makes no more progress, all edits are.

    Args:
        on_phase: is called with the name of each transformation before it is tried.
    """
    fixpoint = Fixpoint(state, on_phase)
    while fixpoint.over(transformations) or fixpoint.over(transformations, again=True):
        transformations = fixpoint.schedule.order(transformations)


class Fixpoint(Generic[D]):
    """Sweeps on the way to a fixpoint, with a shared schedule."""

    def __init__(self, state: SearchState[D], on_phase: Callable[[str], None]) -> None:
        self.state = state
        self.schedule = Schedule()
        self._on_phase = on_phase
        self._failed_on: dict[str, str] = {}  # transformation -> document on which no edit worked
        self._swept: set[str] = set()

    def over(self, transformations: Sequence[Transformation[D]], *, again: bool = False) -> bool:
        """Sweep with each transformation; return whether any made progress."""
        before = self._digest()
        for transformation in transformations:
            if self._failed_on.get(transformation.name) != self._digest():
                self.state.checkpoint()
                self._on_phase(transformation.name)
                # After a success, only edits near the change are worth trying again.
                again_now = again
                while self._sweep(transformation, again_now):
                    again_now = False
        return self._digest() != before

    def _sweep(self, transformation: Transformation[D], again: bool) -> bool:
        name = transformation.name
        fine = name in self._swept
        swept = sweep(self.state, transformation, fine=fine, schedule=self.schedule, again=again)
        self._swept.add(name)
        if not swept.progress and not swept.deferred:
            self._failed_on[name] = self._digest()
        return swept.progress

    def _digest(self) -> str:
        return outcome_digest(self.state.document.text)


def polish(
    state: SearchState[D],
    transformations: Sequence[Transformation[D]],
    tunings: Sequence[Tuning[D, Any]],
    on_phase: Callable[[str], None],
    last: Sequence[Transformation[D]] = (),
    audit: Callable[[], bool] = lambda: False,
) -> None:
    """Alternate removing and simplifying until both have reached a common fixpoint.

    The result is 1-minimal: no transformation at any single site, and no next simpler value of any
    single parameter, keeps the failure. Failed edits are deferred until the values are as simple as
    possible, when there are fewer sites and runs are cheaper.

    Args:
        last: transformations to apply only at that point, since most of their edits fail.
        audit: called before the failed edits are tried once more, which is most of the work; it may
            turn the state back to an earlier document, and returns whether it did.
    """
    fixpoint, tuner = Fixpoint(state, on_phase), _Tuner(state, tunings, on_phase)
    progress = True
    while progress:
        while fixpoint.over(transformations):
            transformations = fixpoint.schedule.order(transformations)
        progress = (
            tuner.run()
            or audit()
            or fixpoint.over(transformations, again=True)
            or tuner.run(everything=True)
            or fixpoint.over(last, again=True)
        )


class _Tuner(Generic[D]):
    """Cycles through the tunings until each has failed on the same document."""

    def __init__(
        self,
        state: SearchState[D],
        tunings: Sequence[Tuning[D, Any]],
        on_phase: Callable[[str], None],
    ) -> None:
        self.state = state
        self.tunings = tunings
        self._on_phase = on_phase
        self._tried = FailedValues()
        self._tuned: set[str] = set()
        self._was_on: dict[str, str] = {}  # tuning -> document that it could not simplify
        self._failed_on: dict[str, str] = {}  # the same, with no values deferred

    def run(self, *, everything: bool = False) -> bool:
        """Run the tunings; return whether anything was simplified.

        Args:
            everything: also try deferred values, until anything is simplified.
        """
        before = self._digest()
        done = self._failed_on if everything else self._was_on
        self._tried.everything = everything
        while waiting := [t for t in self.tunings if done.get(t.name) != self._digest()]:
            for tuning in waiting:
                self._tune(tuning)
                if everything and self._digest() != before:
                    return True
        return self._digest() != before

    def _tune(self, tuning: Tuning[D, Any]) -> None:
        """Run one tuning. With simpler values, different parameters may become tied."""
        self.state.checkpoint()
        self._on_phase(tuning.name)
        self._tried.deferred = 0
        again = tuning.name in self._tuned
        self._tuned.add(tuning.name)
        if not descend(self.state, tuning, again=again, failed_values=self._tried):
            self._was_on[tuning.name] = self._digest()
            if not self._tried.deferred:
                self._failed_on[tuning.name] = self._digest()

    def _digest(self) -> str:
        return outcome_digest(self.state.document.text)
