"""Fewer and simpler, in turn, until neither makes progress any more."""

from collections.abc import Callable, Sequence
from typing import Any, Generic

from oracles.remembering import digest_of
from reducer.ir import D
from reducer.search.descend import descend
from reducer.search.fixpoint import Fixpoint
from reducer.search.state import State
from reducer.transformations import Transformation, Tuning


def polish(
    state: State[D],
    transformations: Sequence[Transformation[D]],
    tunings: Sequence[Tuning[D, Any]],
    on_phase: Callable[[str], None],
    last: Sequence[Transformation[D]] = (),
) -> None:
    """Removes what can go, then simplifies what is left, and again, to a common fixpoint.

    What is left is then 1-minimal: no transformation at any one site, and no next simpler value of
    any one parameter, fails in the same way. Edits that have failed are put off until the values
    are as simple as they get: there are fewer sites then, and runs are cheaper. `last` are
    transformations that are not tried before that at all, since most of what they do fails.
    """
    fixpoint, tuner = Fixpoint(state, on_phase), _Tuner(state, tunings, on_phase)
    progress = True
    while progress:
        while fixpoint.over(transformations):
            transformations = fixpoint.schedule.order(transformations)
        progress = (
            tuner.run()
            or fixpoint.over(transformations, again=True)
            or fixpoint.over(last, again=True)
        )


class _Tuner(Generic[D]):
    """Goes round the tunings until each has failed on the document that the others left."""

    def __init__(
        self,
        state: State[D],
        tunings: Sequence[Tuning[D, Any]],
        on_phase: Callable[[str], None],
    ) -> None:
        self.state = state
        self.tunings = tunings
        self._on_phase = on_phase
        self._failed_on: dict[str, str] = {}  # tuning to the document that it could not simplify

    def run(self) -> bool:
        """Whether anything got simpler."""
        before = self._digest()
        while waiting := [t for t in self.tunings if self._failed_on.get(t.name) != self._digest()]:
            for tuning in waiting:
                self._on_phase(tuning.name)
                descend(self.state, tuning, again=tuning.name in self._failed_on)
                self._failed_on[tuning.name] = self._digest()
        return self._digest() != before

    def _digest(self) -> str:
        return digest_of(self.state.document.text)
