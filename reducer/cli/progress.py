"""Shows a running reduction on standard error: a bar on a terminal, lines in a log."""

import sys
import threading
from dataclasses import dataclass
from typing import Protocol

import click
from tqdm import tqdm

from reducer.cli.units import duration, percent, size
from reducer.session import Listener, Progress

_SECONDS_BETWEEN_LINES = 10.0


class Display(Listener, Protocol):
    """A listener that can be closed."""

    def close(self) -> None:
        """Takes what is drawn off the screen."""
        ...


@dataclass(frozen=True)
class Budget:
    """What the reduction may spend, for an estimate of when it ends at the latest."""

    calls: int | None = None
    seconds: float | None = None

    def left(self, event: Progress) -> float | None:
        """Seconds until the budget is spent at the present rate; None without a budget."""
        bounds = []
        if self.seconds is not None:
            bounds.append(self.seconds - event.seconds)
        if self.calls is not None and event.calls:
            bounds.append((self.calls - event.calls) * event.seconds / event.calls)
        return max(0.0, min(bounds)) if bounds else None


def make_display(*, wanted: bool | None, quiet: bool, verbose: bool, budget: Budget) -> Display:
    """The display for this terminal, log or pipe. `wanted` is --progress, --no-progress or None.

    By default there is a bar on a terminal and silence elsewhere but for messages.
    """
    on_terminal = sys.stderr.isatty()
    if quiet or wanted is False:
        return Lines(budget, quiet=quiet, interval=None)
    if on_terminal:
        return Bar(budget, verbose=verbose)
    return Lines(budget, interval=_SECONDS_BETWEEN_LINES if wanted or verbose else None)


class Lines:
    """Plain lines: messages, and with an `interval` in seconds also phases and sizes."""

    def __init__(self, budget: Budget, *, quiet: bool = False, interval: float | None) -> None:
        self._status = _Status(budget)
        self._quiet = quiet
        self._interval = interval
        self._next = 0.0
        self._lock = threading.Lock()

    def phase(self, name: str) -> None:
        """Announces a phase."""
        if self._interval is not None:
            self.message(f"{name} …")

    def progress(self, event: Progress) -> None:
        """Shows the sizes, but not too often."""
        with self._lock:
            self._status.update(event)
            if self._interval is None or event.seconds < self._next:
                return
            self._next = event.seconds + self._interval
        self.message(f"  {duration(event.seconds)}: {self._status.text()}")

    def message(self, text: str) -> None:
        """Shows a message."""
        if not self._quiet:
            click.echo(text, err=True)

    def close(self) -> None:
        """Nothing to take away."""


class Bar:
    """A bar that fills as ops go, with the sizes and the cost beside it."""

    def __init__(self, budget: Budget, *, verbose: bool) -> None:
        self._status = _Status(budget)
        self._verbose = verbose
        self._lock = threading.Lock()
        self._bar = tqdm(
            total=1.0,
            file=sys.stderr,
            leave=False,
            dynamic_ncols=True,
            mininterval=0.1,
            bar_format="{desc} |{bar:20}| {postfix}",
        )

    def phase(self, name: str) -> None:
        """Names the phase before the bar."""
        with self._lock:
            self._bar.set_description_str(name)
        if self._verbose:
            self.message(f"{name}: from {self._status.text()}" if self._status.known else name)

    def progress(self, event: Progress) -> None:
        """Moves the bar."""
        with self._lock:
            self._status.update(event)
            self._bar.n = self._status.share_gone
            self._bar.set_postfix_str(self._status.text(), refresh=False)
            self._bar.update(0)

    def message(self, text: str) -> None:
        """Shows a message above the bar."""
        with self._lock:
            self._bar.write(text, file=sys.stderr)

    def close(self) -> None:
        """Takes the bar off the screen."""
        with self._lock:
            self._bar.close()


class _Status:
    """The newest event in words, beside the size of the input."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._ops = 0  # of the input: the most that was ever seen
        self._event: Progress | None = None

    @property
    def known(self) -> bool:
        return self._event is not None

    @property
    def share_gone(self) -> float:
        """How much of the input is gone, from 0 to 1."""
        ops = self._event.best.ops if self._event else self._ops
        return 1 - ops / self._ops if self._ops else 0.0

    def update(self, event: Progress) -> None:
        self._ops = max(self._ops, event.best.ops)
        self._event = event

    def text(self) -> str:
        event = self._event
        if event is None:
            return ""
        gone = percent(self._ops - event.best.ops, self._ops)
        rate = event.calls / event.seconds if event.seconds else 0.0
        parts = [
            f"{self._ops:,} → {event.best.ops:,} ops ({gone} gone)",
            size(event.best.bytes),
            f"{event.calls:,} runs, {rate:.1f}/s",
        ]
        left = self._budget.left(event)
        if left is not None:
            parts.append(f"at most {duration(left)} left")
        return ", ".join(parts)
