"""Show a running reduction on standard error: a bar on a terminal, lines in a log."""

import sys
import threading
import time
from dataclasses import dataclass
from typing import Protocol

import click
from tqdm import tqdm

from reducer.session import Listener, Progress
from reducer.units import duration, percent, plural, size

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_DRAWINGS = 0.2


class Display(Listener, Protocol):
    """A listener that can be closed."""

    def close(self) -> None:
        """Remove what is drawn from the screen."""
        ...


@dataclass(frozen=True)
class ProgressBudget:
    """The budget of the reduction, to estimate when it ends at the latest."""

    calls: int | None = None
    seconds: float | None = None

    def left(self, calls: int, seconds: float) -> float | None:
        """Seconds until the budget is spent at the current rate; None without a budget."""
        bounds = []
        if self.seconds is not None:
            bounds.append(self.seconds - seconds)
        if self.calls is not None and calls:
            bounds.append((self.calls - calls) * seconds / calls)
        return max(0.0, min(bounds)) if bounds else None


def make_display(
    *, wanted: bool | None, quiet: bool, verbose: bool, budget: ProgressBudget
) -> Display:
    """The display for this terminal, log or pipe. `wanted` is --progress, --no-progress or None.

    The default is a bar on a terminal, and only messages elsewhere.
    """
    on_terminal = sys.stderr.isatty()
    if quiet or wanted is False:
        return LineDisplay(budget, quiet=quiet, interval=None)
    if on_terminal:
        return BarDisplay(budget, verbose=verbose)
    return LineDisplay(budget, interval=_SECONDS_BETWEEN_LINES if wanted or verbose else None)


class LineDisplay:
    """Plain lines: messages and, with an `interval` in seconds, also phases and sizes."""

    def __init__(
        self, budget: ProgressBudget, *, quiet: bool = False, interval: float | None
    ) -> None:
        self._status = _Status(budget)
        self._quiet = quiet
        self._interval = interval
        self._next = 0.0
        self._lock = threading.Lock()

    def phase(self, name: str) -> None:
        """Print the name of the phase."""
        if self._interval is not None:
            self.message(f"{name} …")

    def progress(self, event: Progress) -> None:
        """Print the sizes, rate-limited."""
        with self._lock:
            self._status.update(event)
            if self._interval is None or event.seconds < self._next:
                return
            self._next = event.seconds + self._interval
        self.message(f"  {duration(event.seconds)}: {self._status.text()}")

    def message(self, text: str) -> None:
        """Print a message."""
        if not self._quiet:
            click.echo(text, err=True)

    def close(self) -> None:
        """Do nothing: lines stay."""


class BarDisplay:
    """A bar that fills as ops are removed, with the sizes and the cost next to it.

    A separate thread draws it, so that the clock keeps running during a long run.
    """

    def __init__(self, budget: ProgressBudget, *, verbose: bool) -> None:
        self._status = _Status(budget)
        self._verbose = verbose
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._name = ""
        self._bar = tqdm(
            total=1.0, file=sys.stderr, leave=False, dynamic_ncols=True, bar_format="starting"
        )
        self._drawer = threading.Thread(target=self._draw, name="progress bar", daemon=True)
        self._drawer.start()

    def phase(self, name: str) -> None:
        """Show the phase in front of the bar."""
        with self._lock:
            self._name = name
        if self._verbose:
            self.message(f"{name}: {self._status.text()}")

    def progress(self, event: Progress) -> None:
        """Update the bar."""
        with self._lock:
            self._status.update(event)

    def message(self, text: str) -> None:
        """Print a message above the bar."""
        with self._lock:
            self._bar.write(text, file=sys.stderr)

    def close(self) -> None:
        """Remove the bar from the screen."""
        self._closed.set()
        self._drawer.join()
        self._bar.close()

    def _draw(self) -> None:
        while not self._closed.wait(_SECONDS_BETWEEN_DRAWINGS):
            with self._lock:
                words = self._status.text().replace("{", "{{").replace("}", "}}")
                self._bar.bar_format = f"{self._name} |{{bar:20}}| {{elapsed}}  {words}"
                self._bar.n = self._status.fraction_removed
                self._bar.refresh()


class _Status:
    """The latest event in words, with the size of the input."""

    def __init__(self, budget: ProgressBudget) -> None:
        self._budget = budget
        self._ops = 0  # the size of the input: the maximum seen
        self._event: Progress | None = None
        self._arrived = 0.0

    def update(self, event: Progress) -> None:
        self._ops = max(self._ops, event.best.ops)
        self._event = event
        self._arrived = time.monotonic()

    @property
    def fraction_removed(self) -> float:
        """The fraction of the input that has been removed, from 0 to 1."""
        if self._event is None or not self._ops:
            return 0.0
        return 1 - self._event.best.ops / self._ops

    def text(self) -> str:
        event = self._event
        if event is None:
            return ""
        parts = [self._sizes(event), size(event.best.bytes)]
        seconds = max(1e-3, event.seconds + time.monotonic() - self._arrived)
        if event.calls:
            parts.append(f"{plural(event.calls, 'run')}, {event.calls / seconds:.1f}/s")
        left = self._budget.left(event.charged, seconds)
        if left is not None:
            parts.append(f"at most {duration(left)} left")
        return ", ".join(parts)

    def _sizes(self, event: Progress) -> str:
        if event.best.ops == self._ops:
            return plural(self._ops, "op")
        gone = percent(self._ops - event.best.ops, self._ops)
        return f"{self._ops:,} → {plural(event.best.ops, 'op')} ({gone} removed)"
