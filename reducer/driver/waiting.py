"""Say what takes so long, to whoever waits for a first answer."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from reducer.units import duration

WAIT = 10.0
"""Seconds of silence; most inputs have failed by then."""


@contextmanager
def saying_that_it_runs(
    say: Callable[[str], None], limit: float | None, *, after: float | None = None
) -> Iterator[None]:
    """Say so once, from another thread, if the body of the `with` takes longer than `after`.

    Args:
        say: prints one line.
        limit: the seconds after which the command is stopped; None if it never is.
        after: in seconds; `WAIT` by default.
    """
    after = WAIT if after is None else after
    if limit is not None and limit <= after:
        yield
        return
    until = (
        "there is no time limit; --timeout SECONDS sets one"
        if limit is None
        else f"it is stopped after {duration(limit)}; --timeout SECONDS sets another limit"
    )
    with saying_later(say, f"the command still runs after {duration(after)}; {until}", after):
        yield


@contextmanager
def saying_later(say: Callable[[str], None], text: str, after: float) -> Iterator[None]:
    """Say something, from another thread, if the body of the `with` takes more than `after` s."""
    timer = threading.Timer(after, say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
