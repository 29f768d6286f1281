"""What a descent asks, and in which order, for workers that are ahead (see `speculation`).

This follows `descend` as long as nothing or little is accepted: it leaves out bisections, and the
values that are skipped because another failure hides what they do.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic

from reducer.ir import D
from reducer.search.candidate import Candidate
from reducer.search.plan import Ahead, Plan
from reducer.search.schedule import FailedValues
from reducer.search.state import SearchState
from reducer.transformations.tuning import Parameters, V

_TOGETHER = 3  # steps to try for all parameters at once, before lowering them one by one
_SAME_AGAIN = 0.03  # the chance that a value works that has failed in the same surroundings


@dataclass(frozen=True)
class DescentPlan(Generic[D, V]):
    """The rest of a descent, from the parameters `numbers` on.

    Attributes:
        values: the values accepted so far.
        first: choices of values to try before.
        nearby: whether only the simplest value and the next one down are tried.
        following: what is asked once nothing more is accepted.
    """

    state: SearchState[D]
    document: D
    name: str
    space: Parameters[V]
    values: tuple[tuple[int, V], ...]
    numbers: tuple[int, ...]
    first: tuple[tuple[tuple[int, V], ...], ...]
    nearby: bool
    failed: FailedValues = field(compare=False)
    following: Callable[[D], Plan[D] | None] = field(compare=False)
    _made: list[tuple[Mapping[int, V], int]] = field(
        default_factory=list, compare=False, repr=False
    )

    def candidates(self) -> Iterator[Ahead[D]]:
        values = dict(self.values)
        for choice in self.first:
            yield from self._made_of(dict(choice), 0, None)
        for place, number in enumerate(self.numbers):
            where = self.space.around(number, values)
            for index, value in enumerate(self._choices(number, values[number])):
                failed = self.failed.has_failed(self.name, where, value)
                if failed and not self.failed.everything:
                    continue
                after = place + (index == 0)  # below the simplest there is nothing to try
                yield from self._made_of({number: value}, after, _SAME_AGAIN if failed else None)

    def if_accepted(self, index: int, candidate: Candidate[D]) -> Plan[D] | None:
        choice, place = self._made[index]
        return replace(
            self,
            document=candidate.document,
            values=tuple({**dict(self.values), **choice}.items()),
            numbers=self.numbers[place:],
            first=(),
            _made=[],
        )

    def if_rejected(self) -> Plan[D] | None:
        return self.following(self.document)

    def _choices(self, number: int, value: V) -> list[V]:
        """The values to try for a parameter, in order."""
        ladder = list(self.space.simpler(number, value))
        nearest = self.space.next_down(value)
        if self.nearby:
            ladder = ladder[:1]
        return list(dict.fromkeys([*ladder, *([] if nearest is None else [nearest])]))

    def _made_of(
        self, choice: Mapping[int, V], place: int, chance: float | None
    ) -> Iterator[Ahead[D]]:
        for text in self.space.texts({**dict(self.values), **choice}):
            candidate = self.state.candidate(partial(str, text), self.name, self.document)
            if candidate is not None:
                self._made.append((choice, place))
                edit = (self.name, *((number, str(value)) for number, value in choice.items()))
                yield Ahead(candidate, chance, edit)


def whole_descent(
    state: SearchState[D],
    document: D,
    name: str,
    space: Parameters[V],
    *,
    again: bool,
    failed: FailedValues,
    following: Callable[[D], Plan[D] | None],
) -> DescentPlan[D, V]:
    """A descent from its beginning."""
    values = dict(space.values)
    first: Sequence[tuple[tuple[int, V], ...]] = ()
    if len(values) > 1 and not again:
        first = together(space, values)
    return DescentPlan(
        state,
        document,
        name,
        space,
        tuple(values.items()),
        tuple(values),
        tuple(first),
        again,
        failed,
        following,
    )


def together(space: Parameters[V], values: Mapping[int, V]) -> list[tuple[tuple[int, V], ...]]:
    """The first few steps of all parameters at once."""
    ladders = {number: space.simpler(number, value) for number, value in values.items()}
    steps = [
        tuple((number, ladder[step]) for number, ladder in ladders.items() if step < len(ladder))
        for step in range(_TOGETHER)
    ]
    return [step for step in steps if len(step) > 1]
