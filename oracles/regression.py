"""A second question about what fails: is it fine with a release that compiles the original?"""

import threading
from collections import OrderedDict
from dataclasses import replace

from oracles.compiler import CompilerOracle
from oracles.kind import Kind
from oracles.limits import Limits
from oracles.outcome import Outcome, Signature

_REMEMBERED = 16  # texts: the same one is asked about with each flag that may go


class RegressionGuard:
    """What fails as it should is only taken if `good`, another compiler, has nothing against it.

    As a program shrinks it may come to break a rule, or another part of the compiler, that ends
    in the same message. A release on which the original compiles tells the two apart.

    Args:
        name: the release, for people.
        good: its compiler, with the command of the original.
    """

    def __init__(self, name: str, good: CompilerOracle) -> None:
        self.name = name
        self._good = good
        self._limits: Limits | None = None
        self._known: OrderedDict[str, Outcome] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def key(self) -> str:
        """Stable identity for caches."""
        return f"passes with {self._good.key}"

    def allow(self, limits: Limits) -> None:
        """Says what the good release may use, which goes further than the one that fails."""
        self._limits = limits

    def review(
        self, text: str, outcome: Outcome, *, cancel: threading.Event, limits: Limits
    ) -> Outcome:
        """The outcome of a failure, or that of a success if the good release fails as well.

        The CPU time of both is in it. `limits` are those of the first run; they hold for the good
        release as well unless it is allowed others.
        """
        seconds, good = self.check(text, cancel=cancel, limits=self._limits or limits)
        if good.cancelled:
            return good
        if not good.failed:
            return replace(outcome, cpu_seconds=outcome.cpu_seconds + seconds)
        return replace(
            outcome,
            kind=Kind.SUCCESS,
            signature=Signature(Kind.SUCCESS),
            cpu_seconds=outcome.cpu_seconds + seconds,
        )

    def check(self, text: str, *, cancel: threading.Event, limits: Limits) -> tuple[float, Outcome]:
        """CPU seconds spent now, and what the good release makes of a text."""
        with self._lock:
            known = self._known.get(text)
        if known is not None:
            return 0.0, known
        outcome = self._good.run(text, cancel=cancel, limits=limits)
        if not outcome.cancelled:
            with self._lock:
                self._known[text] = outcome
                while len(self._known) > _REMEMBERED:
                    self._known.popitem(last=False)
        return outcome.cpu_seconds, outcome
