"""All local transformations, again and again, until none makes progress any more."""

from collections.abc import Callable, Sequence
from typing import Generic

from oracles.remembering import digest_of
from reducer.ir import D
from reducer.search.schedule import Schedule
from reducer.search.state import State
from reducer.search.sweep import sweep
from reducer.transformations import Transformation


def reduce_to_fixpoint(
    state: State[D],
    transformations: Sequence[Transformation[D]],
    on_phase: Callable[[str], None],
) -> None:
    """Sweeps until every transformation has failed, site by site, on the same document.

    What is left is then 1-minimal with respect to these transformations. First only those edits
    are tried again near which something has changed; when that comes to an end, every one is.
    """
    fixpoint = Fixpoint(state, on_phase)
    while fixpoint.over(transformations) or fixpoint.over(transformations, again=True):
        transformations = fixpoint.schedule.order(transformations)


class Fixpoint(Generic[D]):
    """Sweeps that share what they learn, on the way to a fixpoint."""

    def __init__(self, state: State[D], on_phase: Callable[[str], None]) -> None:
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
        if not swept.progress and not swept.put_off:
            self._failed_on[name] = self._digest()
        return swept.progress

    def _digest(self) -> str:
        return digest_of(self.state.document.text)
