"""Transformations and tunings in turn, until none makes progress any more."""

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
    """Sweeps until every transformation has failed, site by site, on the same document.

    What is left is then 1-minimal with respect to these transformations. First only those edits
    are tried again near which something has changed; when that comes to an end, every one is.

    Args:
        on_phase: shows which transformation comes next.
    """
    fixpoint = Fixpoint(state, on_phase)
    while fixpoint.over(transformations) or fixpoint.over(transformations, again=True):
        transformations = fixpoint.schedule.order(transformations)


class Fixpoint(Generic[D]):
    """Sweeps that share what they learn, on the way to a fixpoint."""

    def __init__(self, state: SearchState[D], on_phase: Callable[[str], None]) -> None:
        self.state = state
        self.schedule = Schedule()
        self._on_phase = on_phase
        self._failed_on: dict[str, str] = {}  # on this document not one of its edits works
        self._swept: set[str] = set()

    def over(self, transformations: Sequence[Transformation[D]], *, again: bool = False) -> bool:
        """Sweeps each transformation; whether any made progress."""
        before = self._digest()
        for transformation in transformations:
            if self._failed_on.get(transformation.name) != self._digest():
                self.state.checkpoint()
                self._on_phase(transformation.name)
                # What a success puts within reach needs no second look at all the rest.
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
) -> None:
    """Removes what can go, then simplifies what is left, and again, to a common fixpoint.

    What is left is then 1-minimal: no transformation at any one site, and no next simpler value of
    any one parameter, fails in the same way. What has failed is put off until the values are as
    simple as they get: there are fewer sites then, and runs are cheaper. `last` are transformations
    that are not tried before that at all, since most of what they do fails.
    """
    fixpoint, tuner = Fixpoint(state, on_phase), _Tuner(state, tunings, on_phase)
    progress = True
    while progress:
        while fixpoint.over(transformations):
            transformations = fixpoint.schedule.order(transformations)
        progress = (
            tuner.run()
            or fixpoint.over(transformations, again=True)
            or tuner.run(everything=True)
            or fixpoint.over(last, again=True)
        )


class _Tuner(Generic[D]):
    """Goes round the tunings until each has failed on the document that the others left."""

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
        self._was_on: dict[str, str] = {}  # tuning to the document that it could not simplify
        self._failed_on: dict[str, str] = {}  # and that on which it has put nothing off

    def run(self, *, everything: bool = False) -> bool:
        """Whether anything got simpler.

        Args:
            everything: also try what was put off, until anything gets simpler.
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
        """Gets what simpler values there are; with those, others may be tied to one another."""
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
