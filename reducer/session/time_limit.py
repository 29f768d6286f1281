"""How long a candidate may take: a multiple of what the best so far took.

A candidate is smaller than the best, so it should take no longer; one that does hangs, and each
hang costs the whole limit. Both limits come from outcomes in the journal and change only when
something is accepted, while no candidate runs: a resumed reduction walks through the same ones,
and so does one with more workers. They never grow, so what was a hang stays one.
"""

from dataclasses import replace

from oracles import Kind, Limits, Outcome
from reducer.ir import Document
from reducer.search.evaluator import Evaluator

_SLOWER = 4  # a candidate may take so many times as long as the best…
_AT_LEAST = 30.0  # …and at least so many seconds, whatever else the machine has to do


class TimeLimit:
    """Keeps the limits of an evaluator; `given` are those that the user set."""

    def __init__(self, evaluator: Evaluator, given: Limits, first: Outcome) -> None:
        self._evaluator = evaluator
        self._adapts = first.kind is not Kind.TIMEOUT  # that limit defines the failure itself
        evaluator.limits = given
        if self._adapts:
            self._tighten(first)

    def adapt(self, document: Document) -> None:
        """The full command fails on a smaller document now."""
        outcome = self._evaluator.known(document.text)
        if outcome is not None and self._adapts:
            self._tighten(outcome)

    def _tighten(self, outcome: Outcome) -> None:
        self._evaluator.limits = tightened(self._evaluator.limits, outcome)


def tightened(limits: Limits, outcome: Outcome) -> Limits:
    """What a smaller program than that of the outcome may use, and no more than before."""
    return replace(
        limits,
        seconds=_tighter(limits.seconds, outcome.seconds),
        cpu=_tighter(limits.cpu, outcome.cpu_seconds),
    )


def _tighter(limit: float | None, seconds: float) -> float:
    derived = max(_AT_LEAST, _SLOWER * seconds)
    return derived if limit is None else min(limit, derived)
