"""Cancel a run at once, without having it look again and again whether it is cancelled."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Cancel(threading.Event):
    """An event that also wakes whoever waits for files. Not to be set by a signal handler."""

    def __init__(self) -> None:
        super().__init__()
        self._files: set[int] = set()
        self._lock = threading.Lock()

    def set(self) -> None:
        """Set the event, and make the files of those who wait for it readable."""
        with self._lock:
            super().set()
            for file in self._files:
                os.eventfd_write(file, 1)

    @contextmanager
    def file(self) -> Iterator[int | None]:
        """A file that is readable once the event is set; None where there are no such files."""
        if not hasattr(os, "eventfd"):
            yield None
            return
        file = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        with self._lock:
            self._files.add(file)
            if self.is_set():
                os.eventfd_write(file, 1)
        try:
            yield file
        finally:
            with self._lock:
                self._files.remove(file)
            os.close(file)
