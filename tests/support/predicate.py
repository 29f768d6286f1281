"""An oracle in place of a compiler, for tests of the search alone: a predicate decides."""

import threading
import time
from collections.abc import Callable, Collection

from oracles import Command, Kind, Limits, Outcome, Signature

FAILURE = Signature(Kind.SCRIPT, "interesting", "", "", ())
SUCCESS = Signature(Kind.SUCCESS, "", "", "", ())


FAILED = Outcome(Kind.SCRIPT, FAILURE, 1, 0.0, 0.0, 0, (), "")
PASSED = Outcome(Kind.SUCCESS, SUCCESS, 0, 0.0, 0.0, 0, (), "")


class PredicateOracle:
    """Fails with `failure` on texts that the predicate accepts, and records every text."""

    key = "predicate"
    limits = Limits()

    def __init__(
        self,
        fails: Callable[[str], bool],
        *,
        delay: Callable[[str], float] | None = None,
        failure: Outcome = FAILED,
        otherwise: Callable[[str], Outcome] = lambda text: PASSED,
    ):
        self.fails = fails
        self.failure = failure
        self.otherwise = otherwise
        self.delay = delay
        self.texts: list[str] = []

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        assert isinstance(text, str)
        self.texts.append(text)
        if self.delay is not None:
            time.sleep(self.delay(text))
        return self.failure if self.fails(text) else self.otherwise(text)

    @property
    def command(self) -> Command | None:
        return None

    def with_command(self, command: Command) -> "PredicateOracle":
        raise ValueError("there is no command")

    def shortened(self) -> list["PredicateOracle"]:
        return []

    def wants(self, outcome: Outcome) -> bool:
        return outcome.kind is self.failure.kind

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        return self.run(text, cancel=cancel, limits=limits)

    def display(self, input_name: str) -> list[str]:
        return ["predicate", input_name]


class Endless(PredicateOracle):
    """Runs of these texts last until they are cancelled."""

    def __init__(self, endless: Collection[str], fails: Callable[[str], bool]) -> None:
        super().__init__(fails)
        self.endless = endless

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        if text not in self.endless:
            return super().run(text)
        assert cancel is not None and cancel.wait(200.0)
        return Outcome(Kind.CANCELLED, Signature(Kind.CANCELLED))


class Memory:
    """A cache in a dictionary."""

    def __init__(self) -> None:
        self.outcomes: dict[str, Outcome] = {}

    def get(self, digest: str) -> Outcome | None:
        return self.outcomes.get(digest)

    def put(self, digest: str, outcome: Outcome, ops: int) -> None:
        self.outcomes[digest] = outcome
