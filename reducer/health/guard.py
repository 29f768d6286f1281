"""Accept a failing candidate only if it still does elsewhere what its original does there."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from oracles import Kind, Outcome, Signature
from reducer.health.elsewhere import Cancelled, Elsewhere
from reducer.health.places import Place
from reducer.health.profile import Health


@dataclass(frozen=True)
class Condition:
    """What every candidate must do at a place: compile, or fail in the same way."""

    place: Place
    health: Health


class HealthGuard:
    """A review of candidates: what fails must also meet each of `conditions`.

    As a program shrinks it may come to break a rule, or another part of the compiler, with the same
    message. Places where the original compiles distinguish the two, and so do places where it fails
    and the smaller program does not.
    """

    def __init__(self, elsewhere: Elsewhere, conditions: Sequence[Condition]) -> None:
        self.conditions = tuple(conditions)
        self._elsewhere = elsewhere

    def review(self, text: str, outcome: Outcome, *, cancel: threading.Event) -> Outcome:
        """The outcome of a failure, or a success if the program does not meet a condition."""
        try:
            healthy = all(self._is_met(one, text, cancel) for one in self.conditions)
        except Cancelled:
            return replace(outcome, kind=Kind.CANCELLED, signature=Signature(Kind.CANCELLED))
        if healthy:
            return outcome
        return outcome.turned_down()

    def _is_met(self, condition: Condition, text: str, cancel: threading.Event) -> bool:
        health = self._elsewhere.health(condition.place, text, cancel=cancel)
        return health is condition.health
