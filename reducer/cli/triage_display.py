"""Shows how far a triage is."""

import sys
import threading
import time
from typing import Any, Protocol

import click
from tqdm import tqdm

from reducer.triage import Watcher

_SECONDS_BETWEEN_LINES = 10.0
_WIDTH = 60


class Display(Watcher, Protocol):
    """A watcher that can be closed."""

    def close(self) -> None:
        """Takes what is drawn off the screen."""
        ...


def make_watcher(*, wanted: bool | None, quiet: bool) -> Display:
    """The display for this terminal, log or pipe. `wanted` is --progress, --no-progress or None."""
    if not quiet and wanted is not False and sys.stderr.isatty():
        return _Bar()
    return _Lines(quiet=quiet, steps=bool(wanted))


class _Lines:
    """Plain lines: messages, and with `steps` now and then how far it is."""

    def __init__(self, *, quiet: bool, steps: bool) -> None:
        self._quiet = quiet
        self._steps = steps
        self._lock = threading.Lock()
        self._name, self._total, self._done, self._next = "", 0, 0, 0.0

    def phase(self, name: str, total: int) -> None:
        with self._lock:
            self._name, self._total, self._done = name, total, 0
        if self._steps and total:
            self.message(f"{name}: {total} to do")

    def step(self, text: str = "") -> None:
        with self._lock:
            self._done += 1
            if not self._steps or time.monotonic() < self._next:
                return
            self._next = time.monotonic() + _SECONDS_BETWEEN_LINES
        self.message(f"{self._name}: {self._done} of {self._total} {text}".rstrip())

    def note(self, text: str) -> None: ...

    def message(self, text: str) -> None:
        if not self._quiet:
            click.echo(text, err=True)

    def close(self) -> None: ...


class _Bar:
    """A bar for each phase that has anything to do."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._bar: Any = None

    def phase(self, name: str, total: int) -> None:
        self.close()
        if total:
            with self._lock:
                self._bar = tqdm(
                    total=total, desc=name, file=sys.stderr, leave=False, dynamic_ncols=True
                )

    def step(self, text: str = "") -> None:
        with self._lock:
            if self._bar is not None:
                self._bar.set_postfix_str(text[:_WIDTH], refresh=False)
                self._bar.update()

    def note(self, text: str) -> None:
        with self._lock:
            if self._bar is not None:
                self._bar.set_postfix_str(text[:_WIDTH])

    def message(self, text: str) -> None:
        tqdm.write(text, file=sys.stderr)

    def close(self) -> None:
        with self._lock:
            if self._bar is not None:
                self._bar.close()
                self._bar = None
