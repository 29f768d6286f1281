"""Ctrl-C once: finish what can be finished and say what there is. Twice: leave at once."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType

from reducer.errors import ExitCode

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_NOTICE = b"\nstopping; progress is kept (press Ctrl-C again to quit immediately)\n"


@contextmanager
def stop_on_signals(stop: threading.Event, leave: Callable[[], None]) -> Iterator[None]:
    """Sets `stop` on the first signal; on the second, calls `leave` and ends the process.

    A signal that was ignored, as SIGHUP is under nohup, stays ignored.
    """
    asked = False
    requests: SimpleQueue[bool] = SimpleQueue()

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked or stop.is_set():
            leave()
            os._exit(ExitCode.INTERRUPTED)
        asked = True
        requests.put(True)
        os.write(2, _NOTICE)  # a handler may interrupt a print; this cannot clash with it

    def set_if_asked() -> None:
        if requests.get():
            stop.set()

    # Not in the handler: it interrupts the main thread, which may be in a method of `stop` and hold
    # its lock. A simple queue is made for that: `put` never waits.
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
