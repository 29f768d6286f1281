"""Alternate removing and simplifying until neither makes progress.

Polishing goes through rounds: sweeps, descents, and both once more with the edits and values that
were put off. After a round that has made progress, it begins with the first one again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic

from oracles.base import outcome_digest
from reducer.ir import D, Document
from reducer.search.descend import descent
from reducer.search.plan import Effect, Next, Plan, later
from reducer.search.schedule import FailedValues, Schedule
from reducer.search.state import SearchState
from reducer.search.sweep import SweepPlan
from reducer.search.walk import walk
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
    Polishing(state, transformations, (), on_phase).run()


@dataclass(frozen=True)
class Polishing(Generic[D]):
    """Alternates removing and simplifying until both have reached a common fixpoint.

    The result is 1-minimal: no transformation at any single site, and no next simpler value of any
    single parameter, keeps the failure. Failed edits are deferred until the values are as simple as
    possible, when there are fewer sites and runs are cheaper. So are transformations that
    accomplished nothing, until an op is removed: most would fail again.

    Attributes:
        on_phase: is called with the name of each transformation or tuning before it is tried.
        last: transformations to apply only in the end, since most of their edits fail.
        audit: called before simpler values are tried and before the failed edits are tried once
            more, which together are most of the work; it may turn the state back to an earlier
            document, and returns whether it did.
        foresee: called when the document may be the result.
        ending: what is asked about the result, for workers that are ahead.
    """

    state: SearchState[D]
    transformations: Sequence[Transformation[D]]
    tunings: Sequence[Tuning[D, Any]]
    on_phase: Callable[[str], None]
    last: Sequence[Transformation[D]] = ()
    audit: Callable[[], bool] = lambda: False
    foresee: Callable[[], None] = lambda: None
    ending: Next[D] = lambda document: None
    schedule: Schedule = field(default_factory=Schedule)
    failed_values: FailedValues = field(default_factory=FailedValues)

    def run(self) -> None:
        """Polish the document of the state."""
        walk(self.plan(self.state.document), self.state)

    def plan(self, document: D) -> Plan[D] | None:
        """Polishing from its beginning."""
        return self._begin(0, document, _Memory(self.transformations))

    # ---- rounds ----------------------------------------------------------------------------

    def _begin(self, number: int, document: D, memory: "_Memory[D]") -> Plan[D] | None:
        """Polishing from the round of this number on."""
        here = _Round(number, memory, again=number >= _AGAIN)
        rounds = (
            partial(self._sweep, memory.order),
            partial(self._audit, first=True),
            self._tune,
            partial(self._audit, first=False),
            partial(self._sweep, memory.order),
            self._tune,
            partial(self._sweep, self.last),
        )
        if number == len(rounds):
            return later(document, self.ending)
        return rounds[number](here, document)

    def _end(self, here: "_Round[D]", document: D) -> Plan[D] | None:
        """What follows a round: the first one if it has made progress, or the next."""
        memory = here.memory
        if not here.progress:
            return self._begin(here.number + 1, document, memory)
        if here.number == 0:
            memory = replace(memory, order=self.schedule.order(memory.order))
        return self._begin(0, document, memory)

    def _audit(self, here: "_Round[D]", document: D, *, first: bool) -> Plan[D] | None:
        """Audit the document, the `first` time before it is tuned."""
        if first and here.memory.is_audited:
            return self._end(here, document)
        go_on = partial(self._end, replace(here, memory=replace(here.memory, is_audited=True)))

        def happens() -> Plan[D] | None:
            if not first:
                self.foresee()
            if self.audit():
                return self._begin(0, self.state.document, here.memory.turned_back())
            return go_on(document)

        return Effect(f"audit in round {here.number}", document, happens, go_on)

    def _phase(self, name: str, document: D, plan: Next[D]) -> Plan[D]:
        """A plan that is shown by a name, after a checkpoint."""

        def happens() -> Plan[D] | None:
            self.state.checkpoint()
            self.on_phase(name)
            return plan(document)

        return Effect(name, document, happens, plan)

    # ---- removing --------------------------------------------------------------------------

    def _sweep(
        self, waiting: Sequence[Transformation[D]], here: "_Round[D]", document: D
    ) -> Plan[D] | None:
        """Sweep with each of these transformations that is due."""
        while waiting and not here.memory.is_due(waiting[0].name, document, again=here.again):
            waiting = waiting[1:]
        if not waiting:
            return self._end(here, document)
        plan = partial(self._sweep_with, waiting, here, again=here.again)
        return self._phase(waiting[0].name, document, plan)

    def _sweep_with(
        self,
        waiting: Sequence[Transformation[D]],
        here: "_Round[D]",
        document: D,
        *,
        again: bool,
    ) -> Plan[D]:
        """Sweep with the first of these until that does nothing, then with the others."""
        transformation, *others = waiting
        name = transformation.name

        def then(document: D, progress: bool, deferred: bool) -> Plan[D] | None:
            memory = here.memory.after_sweep(name, document, progress, deferred)
            after = here.after(memory, progress)
            if not progress:
                return self._sweep(others, after, document)
            # After a success, only edits near the change are worth trying again.
            return self._sweep_with(waiting, after, document, again=False)

        return SweepPlan.whole(
            self.state,
            document,
            transformation,
            self.schedule,
            again=again,
            fine=name in here.memory.swept,
            then=then,
        )

    # ---- simplifying -----------------------------------------------------------------------

    def _tune(self, here: "_Round[D]", document: D) -> Plan[D] | None:
        """Cycle through the tunings until each has failed on the same document."""
        done, digest = here.memory.tuned_on, _digest(document)
        if here.again:
            done = here.memory.failed_tuning_on
        waiting = [tuning for tuning in self.tunings if done.get(tuning.name) != digest]
        return self._tune_with(waiting, here, document) if waiting else self._end(here, document)

    def _tune_with(
        self, waiting: Sequence[Tuning[D, Any]], here: "_Round[D]", document: D
    ) -> Plan[D] | None:
        """Run these tunings; with simpler values, different parameters may become tied."""
        if not waiting:
            return self._tune(here, document)
        tuning, *others = waiting
        name = tuning.name

        def then(document: D, progress: bool, deferred: bool) -> Plan[D] | None:
            memory = here.memory.after_descent(name, document, progress, deferred)
            after = here.after(memory, progress)
            if here.again and after.progress:
                return self._end(after, document)
            return self._tune_with(others, after, document)

        def plan(document: D) -> Plan[D] | None:
            again = name in here.memory.tuned
            return descent(
                self.state,
                tuning,
                document,
                self.failed_values,
                again=again,
                everything=here.again,
                then=then,
            )

        return self._phase(name, document, plan)


_AGAIN = 4  # the number of the first round that tries edits and values again that have failed


@dataclass(frozen=True)
class _Round(Generic[D]):
    """How far a round has come.

    Attributes:
        again: whether edits and values are tried that have failed in the same surroundings.
    """

    number: int
    memory: "_Memory[D]"
    again: bool
    progress: bool = False

    def after(self, memory: "_Memory[D]", progress: bool) -> "_Round[D]":
        return replace(self, memory=memory, progress=self.progress or progress)


@dataclass(frozen=True)
class _Memory(Generic[D]):
    """What polishing remembers of the sweeps and descents so far.

    Attributes:
        order: the transformations, the most effective first.
        swept: the transformations with which all chunks were tried.
        tuned: the tunings with which all values were tried.
        failed_with: transformation -> number of ops when it last did nothing.
        failed_on: transformation -> document on which no edit worked.
        tuned_on: tuning -> document that it could not simplify.
        failed_tuning_on: the same, with no values put off.
        is_audited: whether the document was audited before it was tuned.
    """

    order: Sequence[Transformation[D]]
    swept: frozenset[str] = frozenset()
    tuned: frozenset[str] = frozenset()
    failed_with: Mapping[str, int] = field(default_factory=dict)
    failed_on: Mapping[str, str] = field(default_factory=dict)
    tuned_on: Mapping[str, str] = field(default_factory=dict)
    failed_tuning_on: Mapping[str, str] = field(default_factory=dict)
    is_audited: bool = False

    def is_due(self, name: str, document: D, *, again: bool) -> bool:
        """Whether to sweep over a document with a transformation.

        One that accomplished nothing is skipped while the number of ops stays the same: other
        changes hardly ever help, and everything is tried again in the end.
        """
        if not again and self.failed_with.get(name) == document.op_count:
            return False
        return self.failed_on.get(name) != _digest(document)

    def after_sweep(self, name: str, document: D, progress: bool, deferred: bool) -> "_Memory[D]":
        swept = replace(self, swept=self.swept | {name})
        if progress:
            return swept
        failed_with = {**self.failed_with, name: document.op_count}
        if deferred:
            return replace(swept, failed_with=failed_with)
        failed_on = {**self.failed_on, name: _digest(document)}
        return replace(swept, failed_with=failed_with, failed_on=failed_on)

    def after_descent(self, name: str, document: D, progress: bool, deferred: bool) -> "_Memory[D]":
        tuned = replace(self, tuned=self.tuned | {name})
        if progress:
            return tuned
        tuned_on = {**self.tuned_on, name: _digest(document)}
        if deferred:
            return replace(tuned, tuned_on=tuned_on)
        failed_tuning_on = {**self.failed_tuning_on, name: _digest(document)}
        return replace(tuned, tuned_on=tuned_on, failed_tuning_on=failed_tuning_on)

    def turned_back(self) -> "_Memory[D]":
        """After the search has gone back to an earlier document.

        What the transformations had removed from it is back, even if it has as many ops as a later
        one, and so are the values.
        """
        return replace(self, failed_with={}, tuned=frozenset())


def _digest(document: Document) -> str:
    return outcome_digest(document.text)
