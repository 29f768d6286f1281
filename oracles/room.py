"""As many programs at once as fit into memory.

What a run may use is the same however many run at once, or verdicts would depend on that number.
So the runs together may need more than there is. Then the one that came last makes room: it is
ended, and started again when what it had used fits beside the others. The first always goes on, so
everything ends. Being started again changes what a run costs and never what comes of it.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count

from oracles.machine import memory_of_all_runs

_LOOK = 0.05  # seconds between two looks at the cancel event while a run waits


class Room:
    """The memory for all runs of this process, `size` bytes; any thread may call."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.running: list[Seat] = []
        self.waiting: list[Seat] = []
        self.changed = threading.Condition()
        self._numbers = count()

    def seat(self) -> "Seat":
        """A place in the line for one run, however often it has to start."""
        return Seat(self, next(self._numbers))


class Seat:
    """One run's claim. `number` tells who came first; `used` is in bytes."""

    def __init__(self, room: Room, number: int) -> None:
        self.number = number
        self.used = 0
        self.displaced = False
        self._room = room
        self._alone = False

    @contextmanager
    def taken(self, cancel: threading.Event | None, *, alone: bool = False) -> Iterator[bool]:
        """Waits until there is room, holds it during the body; with `alone`, all of it.

        False where `cancel` was set before.
        """
        self._alone = alone
        admitted = self._wait(cancel)
        try:
            yield admitted
        finally:
            with self._room.changed:
                if admitted:
                    self._room.running.remove(self)
                self._room.changed.notify_all()

    def must_go(self, used: int) -> bool:
        """Hears what the run uses, and says whether it must make room for those before it."""
        room = self._room
        with room.changed:
            self.used = used
            staying = [seat for seat in room.running if not seat.displaced]
            last = max(staying, key=lambda seat: seat.number)
            if len(staying) > 1 and last is self and _sum(staying) > room.size:
                self.displaced = True
            return self.displaced

    def _wait(self, cancel: threading.Event | None) -> bool:
        room = self._room
        with room.changed:
            room.waiting.append(self)
            try:
                while not self._fits():
                    if cancel is not None and cancel.is_set():
                        return False
                    room.changed.wait(_LOOK)
            finally:
                room.waiting.remove(self)
                room.changed.notify_all()
            self.displaced = False
            room.running.append(self)
            return True

    def _fits(self) -> bool:
        """First come, first served: who needs much is not kept waiting by many who need little."""
        room = self._room
        if not room.running:
            return self._is_first()
        if self._alone or any(seat._alone for seat in room.running) or not self._is_first():
            return False
        return _sum(room.running) + self.used <= room.size

    def _is_first(self) -> bool:
        return all(seat.number >= self.number for seat in self._room.waiting)


def _sum(seats: "list[Seat]") -> int:
    return sum(seat.used for seat in seats)


@cache
def room_here() -> Room:
    """The one of this process."""
    return Room(memory_of_all_runs())
