"""A second check of a failing candidate: does a good release still compile it?"""

import threading
from collections import OrderedDict
from dataclasses import replace

from oracles.compiler import CompilerOracle
from oracles.kind import Kind
from oracles.limits import Limits
from oracles.outcome import Outcome, Signature

_REMEMBERED = 16  # texts; one text is checked again for each flag that may be dropped


class RegressionGuard:
    """Accepts a failing candidate only if `good`, another compiler, compiles it.

    As a program shrinks it may come to break a rule, or another part of the compiler, with the same
    message. A release on which the original compiles distinguishes the two.

    Args:
        name: the release, for display.
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
        """Set the limits of the good release, which gets further than the failing one."""
        self._limits = limits

    def review(
        self, text: str, outcome: Outcome, *, cancel: threading.Event, limits: Limits
    ) -> Outcome:
        """The outcome of a failure, or a success if the good release fails as well.

        It includes the CPU time of both. `limits` are those of the first run; they apply to the
        good release as well unless `allow` set others.
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
        """The CPU seconds spent now, and the outcome of the text under the good release."""
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
