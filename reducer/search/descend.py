"""Simpler values for the parameters of a document, each as simple as the failure allows.

First all parameters together, then one by one: the simplest value that still fails wins, then a
bisection goes below it. Where one parameter went down others may follow, so the rounds go on until
none does.
"""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Generic

from reducer.ir import D, GenericSyntaxError
from reducer.search.candidate import Candidate, weight
from reducer.search.state import State
from reducer.transformations.tuning import Parameters, Tuning, V

_TOGETHER = 3  # steps that all parameters take at once; after those they part


def descend(state: State[D], tuning: Tuning[D, V], *, again: bool = False) -> bool:
    """Gives every parameter of the document the simplest value with which it still fails.

    Args:
        again: parameters were tuned before, so that only their simplest and their nearest other
            values are tried, and all others where one of these fails.

    Returns:
        Whether anything was accepted.
    """
    return _Descent(state, tuning.name, tuning.of(state.document)).run(again=again)


class _Descent(Generic[D, V]):
    """One document's parameters, and the values accepted for them so far."""

    def __init__(self, state: State[D], name: str, space: Parameters[V]) -> None:
        self.state = state
        self.name = name
        self.space = space
        self.values = dict(space.values)
        self.changes = 0

    def run(self, *, again: bool) -> bool:
        if len(self.values) > 1 and not again:
            self._lower_together()
        tried: dict[int, int] = {}  # parameter to the number of changes when it was last tried
        while waiting := [n for n in self.values if tried.get(n) != self.changes]:
            for number in waiting:
                if again or number in tried:
                    self._lower_nearby(number)
                else:
                    self._lower(number)
                tried[number] = self.changes
        return self.changes > 0

    def _lower_together(self) -> None:
        """Tries the first few steps of all parameters at once."""
        ladders = [self.space.simpler(n, v)[:_TOGETHER] for n, v in self.values.items()]
        steps = list(zip_longest(*ladders))
        options = [
            {n: v for n, v in zip(self.values, step, strict=True) if v is not None}
            for step in steps
        ]
        self._accept_first([option for option in options if len(option) > 1])

    def _lower(self, number: int) -> None:
        """Finds the simplest value of one parameter with which the document still fails.

        Where no step of the ladder fails, and the next value down does not either, the value is
        taken to be needed as it is: looking for another in between would hardly ever find one.
        """
        while True:
            before = self.values[number]
            ladder = self.space.simpler(number, before)
            hit = self._accept_first([{number: value} for value in ladder])
            if hit is None:
                hit_below = self._accept_next_down(number)
                if hit_below and ladder:
                    self._bisect(number, ladder[-1])
                return
            if hit > 0:
                self._bisect(number, ladder[hit - 1])
            if self.space.between(ladder[0], before) is not None:
                return

    def _accept_next_down(self, number: int) -> bool:
        value = self.space.next_down(self.values[number])
        return value is not None and self._accept_first([{number: value}]) is not None

    def _lower_nearby(self, number: int) -> None:
        """Tries the simplest value and the next one down; any other only if one of them fails."""
        value = self.values[number]
        ladder = self.space.simpler(number, value)
        next_down = self.space.next_down(value)
        options = [*ladder[:1], *([] if next_down is None else [next_down])]
        if self._accept_first([{number: option} for option in dict.fromkeys(options)]) is not None:
            self._lower(number)

    def _bisect(self, number: int, passing: V) -> None:
        """Goes down between a value that does not fail and the present one, which does."""
        while (middle := self.space.between(passing, self.values[number])) is not None:
            if self._accept_first([{number: middle}]) is None:
                passing = middle

    def _accept_first(self, options: Sequence[Mapping[int, V]]) -> int | None:
        """Takes the first option that fails the same way; its place, None if none does."""
        bound = weight(self.state.document)
        candidates: list[Candidate[D]] = []
        places: list[int] = []
        for place, option in enumerate(options):
            for text in self.space.texts({**self.values, **option}):
                try:
                    document = self.state.parse(text)
                except GenericSyntaxError:
                    continue
                if weight(document) < bound:
                    candidates.append(Candidate(document, self.name))
                    places.append(place)
        hit = self.state.evaluator.first_interesting(candidates, self.state.document)
        if hit is None:
            return None
        index, candidate = hit
        self.state.accept(candidate)
        self.values.update(options[places[index]])
        self.changes += 1
        return places[index]
