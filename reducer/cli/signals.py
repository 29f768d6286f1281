"""Handle Ctrl-C: the first one ends the work and reports the result, the second exits at once."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import Protocol

from reducer.errors import ExitCode

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Drawn(Protocol):
    """Something on the terminal. Its methods are called by a signal handler, so take no lock."""

    def stopping(self) -> bool:
        """Say that the work ends; return whether that is said here."""
        ...

    def restore(self) -> None:
        """Give the terminal back: the process is about to end."""
        ...


_NOTICE = b"\nstopping; progress is kept (press Ctrl-C again to quit immediately)\n"


@contextmanager
def stop_on_signals(
    stop: threading.Event, leave: Callable[[], None], drawn: Drawn | None = None
) -> Iterator[None]:
    """Set `stop` on the first signal; on the second, call `leave` and end the process.

    What is `drawn` on the terminal says so itself, and is told to give the terminal back.

    A signal that was ignored, such as SIGHUP under nohup, stays ignored.
    """
    asked = False
    requests: SimpleQueue[bool] = SimpleQueue()

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked or stop.is_set():
            if drawn is not None:
                drawn.restore()
            leave()
            os._exit(ExitCode.INTERRUPTED)
        asked = True
        requests.put(True)
        if drawn is None or not drawn.stopping():
            os.write(2, _NOTICE)  # safe even if the handler interrupts a print

    def set_if_asked() -> None:
        if requests.get():
            stop.set()

    # Not done in the handler, which interrupts the main thread and may do so while that holds the
    # lock of `stop`. `put` of a simple queue never waits.
    setter = threading.Thread(target=set_if_asked, name="signals", daemon=True)
    setter.start()
    earlier = {number: signal.getsignal(number) for number in _SIGNALS}
    caught = [number for number, handler in earlier.items() if handler is not signal.SIG_IGN]
    for number in caught:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, earlier[number])
        requests.put(False)
        setter.join()
