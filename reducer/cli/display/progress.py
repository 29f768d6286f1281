"""Show a running reduction on standard error: a live view on a terminal, lines elsewhere."""

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from reducer.cli.display.console import is_terminal, print_status
from reducer.driver.settings import Event, Message, Phase, Progress, Size, Stands, Tried
from reducer.units import duration, percent, plural, size


class Display(Protocol):
    """Shows what happens, until it is closed."""

    def phase(self, name: str) -> None:
        """A new phase starts."""
        ...

    def progress(self, event: Progress) -> None:
        """A verdict arrived, or a candidate was accepted."""
        ...

    def message(self, text: str) -> None:
        """A message for the user."""
        ...

    def stands(self, result: str) -> None:
        """From here on there is a result, and only what follows it is still made."""
        ...

    def stopping(self) -> bool:
        """Say that the user has asked to stop, if this is drawn; called by a signal handler."""
        ...

    def restore(self) -> None:
        """Make the terminal usable in a program that is about to be ended."""
        ...

    def close(self) -> None:
        """Remove what is drawn from the screen."""
        ...


def tell(display: Display, event: Event) -> None:
    """Show an event of a reduction."""
    match event:
        case Phase(name):
            display.phase(name)
        case Progress():
            display.progress(event)
        case Message(text):
            display.message(text)
        case Stands(is_complete=True):
            display.stands(f"{event.output} ({plural(event.ops, 'op')}), VERIFIED")


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
    *,
    quiet: bool,
    verbose: bool,
    budget: ProgressBudget,
    output: Path | None = None,
    started: float | None = None,
) -> Display:
    """The display: a live view on a terminal, and a line for each improvement elsewhere.

    `output` is the file for the result, and `started` when the command began.
    """
    if is_terminal(err=True) and not quiet:
        from reducer.cli.display.live_view import LiveView  # imports rich

        return LiveView(budget, verbose=verbose, output=output)
    return LineDisplay(budget, quiet=quiet, verbose=verbose, started=started)


class LineDisplay:
    """Plain lines: messages, improvements, and, if `verbose`, phases and each candidate.

    Times are those since the command has `started`; the clock of events begins anew at each level.
    """

    def __init__(
        self,
        budget: ProgressBudget,
        *,
        quiet: bool = False,
        verbose: bool = False,
        started: float | None = None,
    ) -> None:
        self._started = now() if started is None else started
        self._budget = budget
        self._quiet = quiet
        self._verbose = verbose
        self._lock = threading.Lock()
        self._levels: dict[str, LevelSizes] = {}

    def phase(self, name: str) -> None:
        """Print the name of the phase."""
        if self._verbose:
            self.message(f"{name} …")

    def progress(self, event: Progress) -> None:
        """Print an improvement, and what was tried if that is asked for."""
        if self._verbose and event.tried is not None:
            self.message(f"  {tried_line(event.tried)}")
        with self._lock:
            sizes = self._levels.setdefault(event.level, LevelSizes(event.best))
            improved = sizes.improve(event.best)
            if improved:
                self._print(event, sizes, now() - self._started)

    def message(self, text: str) -> None:
        """Print a message."""
        if not self._quiet:
            print_status(text)

    def stands(self, result: str) -> None:
        """Print nothing: the table will say it."""

    def stopping(self) -> bool:
        """Leave it to the notice of the signal handler."""
        return False

    def restore(self) -> None:
        """Do nothing: nothing is drawn."""

    def close(self) -> None:
        """Do nothing: lines stay."""

    def _print(self, event: Progress, sizes: "LevelSizes", seconds: float) -> None:
        level = f"{event.level}: " if event.level else ""
        parts = [sizes.text(), plural(event.calls, "run")]
        left = self._budget.left(event.charged, event.seconds)
        if left is not None and not event.level:
            parts.append(f"at most {duration(left)} left")
        self.message(f"{duration(seconds):>8}  {level}{', '.join(parts)} ({event.phase})")


class LevelSizes:
    """The size of the best at one level, compared with that of its input."""

    def __init__(self, first: Size) -> None:
        self.first = self.now = first

    def improve(self, best: Size) -> bool:
        """Take over a size; return whether it is smaller than the one before."""
        before, self.now = self.now, best
        if best.ops > self.first.ops:  # the ops of the input have only now been counted
            self.first = best
        return (best.ops, best.bytes) < (before.ops, before.bytes)

    def text(self) -> str:
        """The ops before and after, and the bytes."""
        return f"{self.ops()}, {size(self.now.bytes)}"

    def ops(self) -> str:
        """The ops before and after, and the share that is gone."""
        first, now = self.first.ops, self.now.ops
        if first == now:
            return plural(now, "op")
        return f"{first:,} → {plural(now, 'op')} ({percent(first - now, first)} removed)"


def tried_line(tried: Tried) -> str:
    """What was tried, and what came of it, for --verbose."""
    what = tried.origin if tried.ops is None else f"{tried.origin}: {plural(tried.ops, 'op')}"
    refusal = tried.refusal
    if refusal is None:
        return f"{what}: accepted"
    return f"{what}: refused, {refusal.condition}{refusal.reason and f': {refusal.reason}'}"


def now() -> float:
    """The clock that events are aged by."""
    return time.monotonic()
