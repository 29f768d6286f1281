"""Say that a command still runs, to whoever waits for its first answer."""

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
    text = f"the command still runs after {duration(after)}; {until}"
    timer = threading.Timer(after, say, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
