"""Accept a failing candidate only if it still compiles where it must."""

import threading
from collections.abc import Sequence
from dataclasses import replace

from oracles import CompilerOracle, Kind, Oracle, Outcome, Signature
from oracles.compiler import compiler_of
from reducer.health.elsewhere import Cancelled, Elsewhere
from reducer.health.places import Place
from reducer.health.profile import Health


class HealthGuard:
    """A review of candidates: each of `conditions` must compile what fails.

    As a program shrinks it may come to break a rule, or another part of the compiler, with the same
    message. Places where the original compiles distinguish the two.
    """

    def __init__(self, elsewhere: Elsewhere, conditions: Sequence[Place]) -> None:
        self.conditions = tuple(conditions)
        self._elsewhere = elsewhere

    def review(
        self, text: str, outcome: Outcome, *, oracle: Oracle, cancel: threading.Event
    ) -> Outcome:
        """The outcome of a failure, or a success if the program fails at a condition as well."""
        asked = compiler_of(oracle)
        assert isinstance(asked, CompilerOracle), "only compilers have other places"
        try:
            healthy = all(self._compiles(place, text, asked, cancel) for place in self.conditions)
        except Cancelled:
            return replace(outcome, kind=Kind.CANCELLED, signature=Signature(Kind.CANCELLED))
        if healthy:
            return outcome
        return replace(outcome, kind=Kind.SUCCESS, signature=Signature(Kind.SUCCESS))

    def _compiles(
        self, place: Place, text: str, asked: CompilerOracle, cancel: threading.Event
    ) -> bool:
        health = self._elsewhere.health(place, text, asked=asked, cancel=cancel)
        return health is Health.COMPILES
