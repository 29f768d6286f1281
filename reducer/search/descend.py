"""Descent: give each parameter of a document the simplest value with which it still fails.

All parameters are lowered together first, then one by one: the simplest value that still fails is
accepted, then bisection looks for a simpler one. Lowering one parameter may allow others to follow,
so the rounds repeat until none changes.

If a value causes another failure, that failure says nothing about the bug, and most other values
will probably cause it too. Therefore the simplest value, the last of its ladder and the nearest are
tried; if all of them cause the same other failure, those between are skipped. Values that the
compiler rejects do not count: whether they are run at all depends on the checks (see `screening`),
which must not affect the result.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Generic

from oracles import Outcome
from reducer.ir import D
from reducer.search.candidate import Candidate, Verdict
from reducer.search.descent_plan import DescentPlan, together
from reducer.search.plan import Plan
from reducer.search.schedule import FailedValues
from reducer.search.state import SearchState
from reducer.transformations.tuning import Parameters, Tuning, V

_MANY = 3  # with fewer options, all are tried regardless of other failures

_Outcomes = set[tuple[Verdict, str]]
"""Verdicts and buckets of candidates that the compiler did not reject as invalid."""


def descend(
    state: SearchState[D],
    tuning: Tuning[D, V],
    *,
    again: bool = False,
    failed_values: FailedValues | None = None,
    following: Callable[[D], Plan[D] | None] = lambda document: None,
) -> bool:
    """Give every parameter of the document the simplest value with which it still fails.

    Args:
        again: the parameters were tuned before, so only the simplest and the nearest value of each
            are tried; the others follow only if one of these keeps the failure.
        failed_values: remembers values that did not work, and may defer trying them again.
        following: what will be asked after that, for workers that are ahead.

    Returns:
        Whether any candidate was accepted.
    """
    descent = _Descent(
        state, tuning.name, tuning.of(state.document), failed_values or FailedValues(), following
    )
    return descent.run(again=again)


class _Descent(Generic[D, V]):
    """A descent: the parameters of a document, and the values accepted for them so far."""

    def __init__(
        self,
        state: SearchState[D],
        name: str,
        space: Parameters[V],
        failed_values: FailedValues,
        following: Callable[[D], Plan[D] | None],
    ) -> None:
        self.state = state
        self.name = name
        self.space = space
        self.failed_values = failed_values
        self.values = dict(space.values)
        self.changes = 0
        self._following = following
        self._left: tuple[int, ...] = tuple(self.values)  # parameters whose turn is yet to come
        self._nearby = False
        self._outcomes: dict[int, _Outcomes] = {}  # of the latest options, by index

    def run(self, *, again: bool) -> bool:
        if len(self.values) > 1 and not again:
            self._lower_together()
        lowered: dict[int, int] = {}  # parameter -> value of `changes` when it was last tried
        while waiting := [n for n in self.values if lowered.get(n) != self.changes]:
            for place, number in enumerate(waiting):
                self._left = tuple(waiting[place + 1 :])
                self._nearby = again or number in lowered
                if again or number in lowered:
                    self._lower_nearby(number)
                else:
                    self._lower(number)
                lowered[number] = self.changes
        return self.changes > 0

    def _lower_together(self) -> None:
        """Try the first few steps of all parameters at once."""
        self._climb([dict(step) for step in together(self.space, self.values)])

    def _lower(self, number: int) -> None:
        """Find the simplest value of one parameter with which the document still fails.

        If neither a step of the ladder nor the next value down keeps the failure, the present value
        is considered necessary: values in between would hardly ever work.
        """
        while True:
            before = self.values[number]
            ladder = self.space.simpler(number, before)
            nearest = self._next_down(before)
            hit = self._climb(_options(number, ladder), _options(number, nearest))
            if hit is None:
                was_invalid = self._was_invalid(len(ladder) - 1)
                if self._accept_first(_options(number, nearest)) is None:
                    self._remember(number, [*ladder[:1], *nearest])
                elif ladder:
                    self._bisect(number, ladder[-1], invalid=was_invalid)
                return
            if hit > 0:
                self._bisect(number, ladder[hit - 1], invalid=self._was_invalid(hit - 1))
            if self.space.between(ladder[0], before) is not None:
                return

    def _lower_nearby(self, number: int) -> None:
        """Try the simplest value and the next one down; others only if one keeps the failure."""
        value = self.values[number]
        where = self._where(number)
        nearby = dict.fromkeys([*self.space.simpler(number, value)[:1], *self._next_down(value)])
        due = [v for v in nearby if not self.failed_values.is_deferred(self.name, where, v)]
        if self._accept_first(_options(number, due)) is not None:
            self._lower(number)
        else:
            self._remember(number, due)

    def _next_down(self, value: V) -> list[V]:
        """The next value down, if there is one."""
        next_down = self.space.next_down(value)
        return [] if next_down is None else [next_down]

    def _bisect(self, number: int, passing: V, *, invalid: bool) -> None:
        """Bisect between a value that does not fail and the present one, which does.

        If that value is invalid, the boundary is drawn by the verifier, and the search goes up from
        there, since rejected candidates cost no run.
        """
        while steps := self._steps(passing, self.values[number], invalid=invalid):
            hit = self._accept_first(_options(number, steps))
            last = len(steps) - 1 if hit is None else hit - 1
            if last >= 0:
                passing, invalid = steps[last], self._was_invalid(last)

    def _steps(self, passing: V, failing: V, *, invalid: bool) -> list[V]:
        """Values to try between two: the midpoint or, if `invalid`, ever closer to `passing`."""
        steps: list[V] = []
        middle = self.space.between(passing, failing)
        while middle is not None and (invalid or not steps):
            steps.append(middle)
            middle = self.space.between(passing, middle)
        return steps[::-1]

    # ---- memory ----------------------------------------------------------------------------

    def _where(self, number: int) -> str:
        return self.space.around(number, self.values)

    def _remember(self, number: int, failed: Sequence[V]) -> None:
        where = self._where(number)
        for value in failed:
            self.failed_values.record_failure(self.name, where, value)

    def _was_invalid(self, place: int) -> bool:
        """Whether one of the latest options, given by index, was rejected by the compiler."""
        return place not in self._outcomes

    # ---- candidates ------------------------------------------------------------------------

    def _climb(
        self, options: Sequence[Mapping[int, V]], nearest: Sequence[Mapping[int, V]] = ()
    ) -> int | None:
        """Like `_accept_first`, but give up early if all options seem to cause the same failure.

        Args:
            nearest: the options with the smallest changes.
        """
        if len(options) < _MANY:
            return self._accept_first(options)
        hit = self._accept_first(options, stop_on_other_failure=True)
        if (
            hit is not None
            or len(self._outcomes) > 1
            or not _is_other_failure(self._outcomes.get(0))
        ):
            return hit
        if self._fail_alike([options[-1], *nearest], self._outcomes[0]):
            return None
        return self._accept_first(options, start=1)

    def _fail_alike(self, options: Sequence[Mapping[int, V]], outcomes: _Outcomes) -> bool:
        """Whether all valid options have only these outcomes, and at least one is valid."""
        taken = False
        for option in options:
            candidates, _ = self._candidates([option])
            outcomes_of_option: _Outcomes = set()

            def on_rejected(
                _: int,
                verdict: Verdict,
                outcome: Outcome,
                outcomes_of_option: _Outcomes = outcomes_of_option,
            ) -> bool:
                if verdict is not Verdict.INVALID:
                    outcomes_of_option.add((verdict, outcome.signature.bucket))
                return False

            hit = self.state.evaluator.first_interesting(
                candidates, self.state.document, on_rejected
            )
            if hit is not None or not outcomes_of_option <= outcomes:
                return False
            taken |= bool(outcomes_of_option)
        return taken

    def _accept_first(
        self,
        options: Sequence[Mapping[int, V]],
        *,
        start: int = 0,
        stop_on_other_failure: bool = False,
    ) -> int | None:
        """Accept the first option that keeps the failure; return its index, or None.

        Args:
            start: the index of the first option to try.
            stop_on_other_failure: stop after the first option if it causes another failure.
        """
        candidates, places = self._candidates(options[start:])
        if start == 0:
            self._outcomes = {}
        outcomes_of_option = self._outcomes

        def on_rejected(position: int, verdict: Verdict, outcome: Outcome) -> bool:
            if verdict is Verdict.INVALID:
                return False
            place = start + places[position]
            outcomes_of_option.setdefault(place, set()).add((verdict, outcome.signature.bucket))
            is_last = position == len(places) - 1 or places[position + 1] > places[position]
            return (
                stop_on_other_failure
                and place == 0
                and is_last
                and _is_other_failure(outcomes_of_option[0])
            )

        hit = self.state.evaluator.first_interesting(
            candidates, self.state.document, on_rejected, plan=self._plan(options[start:])
        )
        if hit is None:
            return None
        index, candidate = hit
        place = start + places[index]
        self.state.accept(candidate)
        self.values.update(options[place])
        self.changes += 1
        return place

    def _plan(self, options: Sequence[Mapping[int, V]]) -> DescentPlan[D, V]:
        """These options, and what will probably be tried after them."""
        return DescentPlan(
            self.state,
            self.state.document,
            self.name,
            self.space,
            tuple(self.values.items()),
            self._left,
            tuple(tuple(option.items()) for option in options),
            self._nearby,
            self.failed_values,
            self._following,
        )

    def _candidates(
        self, options: Sequence[Mapping[int, V]]
    ) -> tuple[list[Candidate[D]], list[int]]:
        """The candidates for some options, and for each the index of its option."""
        candidates: list[Candidate[D]] = []
        places: list[int] = []
        for place, option in enumerate(options):
            for text in self.space.texts({**self.values, **option}):
                candidate = self.state.candidate(partial(str, text), self.name)
                if candidate is not None:
                    candidates.append(candidate)
                    places.append(place)
        return candidates, places


def _options(number: int, values: Sequence[V]) -> list[dict[int, V]]:
    return [{number: value} for value in values]


def _is_other_failure(outcomes: _Outcomes | None) -> bool:
    """Whether the only outcome is another failure than the target."""
    if outcomes is None or len(outcomes) != 1:
        return False
    ((verdict, _),) = outcomes
    return verdict is Verdict.OTHER_FAILURE
