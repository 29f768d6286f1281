"""Alternate transformations and tunings until none makes progress."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

from oracles.base import outcome_digest
from reducer.ir import D, Document
from reducer.search.descend import descend
from reducer.search.descent_plan import whole_descent
from reducer.search.plan import Plan
from reducer.search.schedule import FailedValues, Schedule
from reducer.search.state import SearchState
from reducer.search.sweep import Following, SweepPlan, sweep
from reducer.transformations import Transformation, Tuning

Next = Callable[[D], Plan[D] | None]
"""What will be asked about a document next, as far as that is known."""


def _nothing(document: Document) -> None:
    """The search ends there, or it is not known how it goes on."""


@dataclass(frozen=True)
class Then(Generic[D]):
    """What follows a round of transformations or tunings, for workers that are ahead.

    Attributes:
        unchanged: what follows if the round has made no progress.
        changed: what follows if it has.
    """

    unchanged: Next[D] = _nothing
    changed: Next[D] = _nothing

    def after(self, digest: str, document: D) -> Plan[D] | None:
        """What follows a round that began with the document of this digest and ends with this."""
        same = outcome_digest(document.text) == digest
        return self.unchanged(document) if same else self.changed(document)


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

    def then_sweep(document: D) -> Plan[D] | None:
        ordered = fixpoint.schedule.order(transformations)
        return fixpoint.plan(document, ordered, False, Then(then_again, then_sweep))

    def then_again(document: D) -> Plan[D] | None:
        return fixpoint.plan(document, transformations, True, Then(changed=then_sweep))

    while fixpoint.over(transformations, then=Then(then_again, then_sweep)) or fixpoint.over(
        transformations, again=True, then=Then(changed=then_sweep)
    ):
        transformations = fixpoint.schedule.order(transformations)


def first_sweeps(
    state: SearchState[D], transformations: Sequence[Transformation[D]], document: D
) -> Plan[D] | None:
    """What polishing will ask about a document first; None if there is nothing to transform."""
    return Fixpoint(state, lambda _: None).plan(document, transformations, False, Then())


class Fixpoint(Generic[D]):
    """Sweeps on the way to a fixpoint, with a shared schedule."""

    def __init__(self, state: SearchState[D], on_phase: Callable[[str], None]) -> None:
        self.state = state
        self.schedule = Schedule()
        self._on_phase = on_phase
        self._failed_on: dict[str, str] = {}  # transformation -> document on which no edit worked
        self._failed_with: dict[str, int] = {}  # transformation -> ops when it last did nothing
        self._swept: set[str] = set()

    def over(
        self,
        transformations: Sequence[Transformation[D]],
        *,
        again: bool = False,
        then: Then[D] = Then(),
    ) -> bool:
        """Sweep with each transformation; return whether any made progress."""
        before = self._digest()
        following = partial(then.after, before)
        for number, transformation in enumerate(transformations):
            if self._is_due(transformation.name, self.state.document, self._digest(), again):
                self.state.checkpoint()
                self._on_phase(transformation.name)
                # After a success, only edits near the change are worth trying again.
                again_now = again
                after = partial(self._after, transformations, number, again, following)
                while self._sweep(transformation, again_now, after):
                    again_now = False
        return self._digest() != before

    def begin_anew(self) -> None:
        """Sweep with every transformation again: what they had removed from the document is back,
        even if it has as many ops as a later one.
        """
        self._failed_with.clear()

    def _is_due(self, name: str, document: D, digest: str, again: bool) -> bool:
        """Whether to sweep over a document with a transformation.

        One that accomplished nothing is skipped while the number of ops stays the same: other
        changes hardly ever help, and everything is tried again in the end.
        """
        if not again and self._failed_with.get(name) == document.op_count:
            return False
        return self._failed_on.get(name) != digest

    def plan(
        self,
        document: D,
        transformations: Sequence[Transformation[D]],
        again: bool,
        then: Then[D],
    ) -> Plan[D] | None:
        """What `over` will ask about a document."""
        following = partial(then.after, outcome_digest(document.text))
        return self._rest(document, transformations, 0, again, following)

    def _rest(
        self,
        document: D,
        transformations: Sequence[Transformation[D]],
        start: int,
        again: bool,
        following: Next[D],
    ) -> Plan[D] | None:
        """What `over` will ask about a document, from the transformation of this number on."""
        digest = outcome_digest(document.text)
        for number in range(start, len(transformations)):
            transformation = transformations[number]
            if self._is_due(transformation.name, document, digest, again):
                after = partial(self._after, transformations, number, again, following)
                fine = transformation.name in self._swept
                return SweepPlan.whole(
                    self.state, document, transformation, self.schedule, again, fine, after
                )
        return following(document)

    def _after(
        self,
        transformations: Sequence[Transformation[D]],
        number: int,
        again: bool,
        following: Next[D],
        document: D,
        progress: bool,
    ) -> Plan[D] | None:
        """What follows a sweep with the transformation of this number."""
        if not progress:
            return self._rest(document, transformations, number + 1, again, following)
        transformation = transformations[number]
        after = partial(self._after, transformations, number, again, following)
        return SweepPlan.whole(
            self.state, document, transformation, self.schedule, False, True, after
        )

    def _sweep(
        self, transformation: Transformation[D], again: bool, following: Following[D]
    ) -> bool:
        name = transformation.name
        fine = name in self._swept
        swept = sweep(
            self.state,
            transformation,
            fine=fine,
            schedule=self.schedule,
            again=again,
            following=following,
        )
        self._swept.add(name)
        if not swept.progress:
            self._failed_with[name] = self.state.document.op_count
            if not swept.deferred:
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
    foresee: Callable[[], None] = lambda: None,
    ending: Next[D] = _nothing,
) -> None:
    """Alternate removing and simplifying until both have reached a common fixpoint.

    The result is 1-minimal: no transformation at any single site, and no next simpler value of any
    single parameter, keeps the failure. Failed edits are deferred until the values are as simple as
    possible, when there are fewer sites and runs are cheaper. So are transformations that
    accomplished nothing, until an op is removed: most would fail again.

    Args:
        last: transformations to apply only at that point, since most of their edits fail.
        audit: called before simpler values are tried and before the failed edits are tried once
            more, which together are most of the work; it may turn the state back to an earlier
            document, and returns whether it did.
        foresee: called when the document may be the result.
        ending: what is asked about the result, for workers that are ahead.
    """
    fixpoint, tuner = Fixpoint(state, on_phase), _Tuner(state, tunings, on_phase)

    def then_sweep(document: D) -> Plan[D] | None:
        ordered = fixpoint.schedule.order(transformations)
        return fixpoint.plan(document, ordered, False, Then(then_tune, then_sweep))

    def then_tune(document: D) -> Plan[D] | None:
        return tuner.plan(document, Then(then_again, then_sweep))

    def then_again(document: D) -> Plan[D] | None:
        return fixpoint.plan(document, transformations, True, Then(then_last, then_sweep))

    def then_last(document: D) -> Plan[D] | None:
        return fixpoint.plan(document, last, True, Then(ending, then_sweep))

    def turned_back() -> bool:
        back = audit()
        if back:
            fixpoint.begin_anew()
            tuner.begin_anew()
        return back

    def turned_back_in_the_end() -> bool:
        foresee()
        return turned_back()

    progress, is_tuned = True, False
    while progress:
        while fixpoint.over(transformations, then=Then(then_tune, then_sweep)):
            transformations = fixpoint.schedule.order(transformations)
        if not is_tuned and turned_back():
            continue
        is_tuned = True
        progress = (
            tuner.run(then=Then(then_again, then_sweep))
            or turned_back_in_the_end()
            or fixpoint.over(transformations, again=True, then=Then(then_last, then_sweep))
            or tuner.run(everything=True, then=Then(then_last, then_sweep))
            or fixpoint.over(last, again=True, then=Then(ending, then_sweep))
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

    def run(self, *, everything: bool = False, then: Then[D] = Then()) -> bool:
        """Run the tunings; return whether anything was simplified.

        Args:
            everything: also try deferred values, until anything is simplified.
        """
        before = self._digest()
        done = self._failed_on if everything else self._was_on
        self._tried.everything = everything
        while waiting := [t for t in self.tunings if done.get(t.name) != self._digest()]:
            following = self._following(self._digest(), then)
            for place, tuning in enumerate(waiting):
                self._tune(tuning, partial(self._plan, waiting[place + 1 :], following))
                if everything and self._digest() != before:
                    return True
        return self._digest() != before

    def begin_anew(self) -> None:
        """Look for the simplest of all values again: those of an earlier document are back."""
        self._tuned.clear()

    def plan(self, document: D, then: Then[D]) -> Plan[D] | None:
        """What `run` will ask about a document that has not been tuned since it was changed."""
        following = self._following(outcome_digest(document.text), then)
        return self._plan(self.tunings, following, document)

    def _following(self, digest: str, then: Then[D]) -> Next[D]:
        """What follows a cycle that begins with the document of this digest."""
        another = partial(self.plan, then=Then(then.changed, then.changed))
        return partial(Then(then.unchanged, another).after, digest)

    def _plan(
        self, tunings: Sequence[Tuning[D, Any]], following: Next[D], document: D
    ) -> Plan[D] | None:
        if not tunings:
            return following(document)
        tuning, *others = tunings
        return whole_descent(
            self.state,
            document,
            tuning.name,
            tuning.of(document),
            again=tuning.name in self._tuned,
            failed=self._tried,
            following=partial(self._plan, others, following),
        )

    def _tune(self, tuning: Tuning[D, Any], following: Next[D]) -> None:
        """Run one tuning. With simpler values, different parameters may become tied."""
        self.state.checkpoint()
        self._on_phase(tuning.name)
        self._tried.deferred = 0
        again = tuning.name in self._tuned
        self._tuned.add(tuning.name)
        lowered = descend(
            self.state, tuning, again=again, failed_values=self._tried, following=following
        )
        if not lowered:
            self._was_on[tuning.name] = self._digest()
            if not self._tried.deferred:
                self._failed_on[tuning.name] = self._digest()

    def _digest(self) -> str:
        return outcome_digest(self.state.document.text)
