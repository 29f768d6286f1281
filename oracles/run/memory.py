"""How much memory runs may use: that of the machine or container, shared by all runs.

A container often has less memory than the machine: the strictest limit of the control groups around
this process applies. Both versions of the hierarchy are read.

The limit of a run does not depend on how many run at once, or verdicts would depend on that number.
The runs together may therefore need more memory than there is. In that case the newest run is
killed, and restarted when the memory it had used fits next to the others. The oldest run always
continues, so everything ends. A restart changes the cost of a run, never its outcome.

Other programs need memory, too. A large run is ended before there is none left, since the kernel's
choice of what to kill says nothing. It is repeated alone, where this counts as reaching the limit.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

from oracles.run.procfs import read_kernel_file

_ROOT = Path("/")
_SHARE_OF_A_RUN = 1, 2
_SHARE_OF_ALL_RUNS = 7, 8
_RESERVE = 1, 32
_MACHINE_COUNTER = "proc/vmstat"


def memory_limit(root: Path = _ROOT) -> int:
    """The default memory limit of one run in bytes, however many run at once."""
    return _part(machine_memory(root), _SHARE_OF_A_RUN)


def memory_of_all_runs(root: Path = _ROOT) -> int:
    """Bytes that all runs together may use; the rest is for this program and the system."""
    return _part(machine_memory(root), _SHARE_OF_ALL_RUNS)


def machine_memory(root: Path = _ROOT) -> int:
    """Bytes of memory available to this process and its children in total."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([physical, *_limits(root)])


def memory_left(root: Path = _ROOT) -> int | None:
    """Bytes that can still be used, by anyone, before the kernel kills something; None if unknown.

    File caches count as free, since the kernel drops them first.
    """
    v1, v2 = _own_folders(root)
    left = [_field(root / "proc/meminfo", "MemAvailable:") * 1024]
    for folders, limit, used, cached in (
        (v2, "memory.max", "memory.current", "inactive_file"),
        (v1, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        for folder in folders:
            most, now = _read(folder / limit).strip(), _read(folder / used).strip()
            if most.isdigit() and now.isdigit():
                left.append(int(most) - int(now) + _field(folder / "memory.stat", cached))
    return min((amount for amount in left if amount > 0), default=None)


def _field(file: Path, name: str) -> int:
    """A number in a file of names and numbers; 0 if it is not there."""
    for line in _read(file).splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == name and words[1].isdigit():
            return int(words[1])
    return 0


@cache
def memory_reserve() -> int:
    """Bytes that a large run must leave free; otherwise it is ended before the kernel has to."""
    return _part(machine_memory(), _RESERVE)


def out_of_memory_kills(root: Path = _ROOT) -> int | None:
    """How many processes the kernel has killed for lack of memory so far; None if unknown.

    Counts this process's control group if it has such a counter, otherwise the whole machine.
    """
    file = _kill_counter_here() if root == _ROOT else _kill_counter(root)
    return None if file is None else _counter(file)


def out_of_memory_kills_anywhere(root: Path = _ROOT) -> int | None:
    """The same on the whole machine: the program may run in another control group than this one."""
    return _counter(root / _MACHINE_COUNTER)


@cache
def _kill_counter_here() -> Path | None:
    return _kill_counter(_ROOT)


def _kill_counter(root: Path) -> Path | None:
    """The file that counts the kernel's kills, if there is one."""
    v1, v2 = _own_folders(root)
    files = [
        *([v2[0] / "memory.events"] if v2 else []),
        *([v1[0] / "memory.oom_control"] if v1 else []),
        root / _MACHINE_COUNTER,
    ]
    return next((file for file in files if _counter(file) is not None), None)


def _limits(root: Path) -> Iterator[int]:
    v1, v2 = _own_folders(root)
    for folders, name in ((v2, "memory.max"), (v1, "memory.limit_in_bytes")):
        for folder in folders:
            if (limit := _read(folder / name).strip()).isdigit():  # `max` is no limit
                yield int(limit)


def _own_folders(root: Path) -> tuple[list[Path], list[Path]]:
    """The memory control groups of this process and its ancestors, in version 1 and version 2.

    A container may be given a path that it cannot see; its own group is then at the top.
    """
    v1: list[Path] = []
    v2: list[Path] = []
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:
            v2 = _upwards(root / "sys/fs/cgroup", path)
        elif "memory" in controllers.split(","):
            v1 = _upwards(root / "sys/fs/cgroup/memory", path)
    return v1, v2


def _upwards(top: Path, path: str) -> list[Path]:
    own = top / path.strip("/")
    folders = [own, *own.parents]
    return [folder for folder in folders[: folders.index(top) + 1] if folder.is_dir()]


def _counter(file: Path) -> int | None:
    _, _, rest = f"\n{_read(file)}".partition("\noom_kill ")
    count, _, _ = rest.partition("\n")
    return int(count) if count.strip().isdigit() else None


def _part(amount: int, share: tuple[int, int]) -> int:
    return amount * share[0] // share[1]


def _read(file: Path) -> str:
    try:
        return read_kernel_file(file).decode(errors="replace")
    except OSError:
        return ""


_LOOK = 0.05  # seconds between checks of the cancel event while a run waits


class Room:
    """The memory for all runs of this process, `size` bytes. Thread-safe."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.running: list[Seat] = []
        self.waiting: list[Seat] = []
        self.changed = threading.Condition()
        self._numbers = count()

    def seat(self) -> "Seat":
        """A place in the queue for one run, kept across its restarts."""
        return Seat(self, next(self._numbers))


class Seat:
    """One run's claim on memory. `number` gives the order of arrival; `used` is in bytes.

    A run that is `displaced` must make room for earlier ones; one that is `starving` was ended
    because the whole machine was short of memory.
    """

    def __init__(self, room: Room, number: int) -> None:
        self.number = number
        self.used = 0
        self.displaced = False
        self.starving = False
        self._room = room
        self._alone = False

    @property
    def is_alone(self) -> bool:
        """Whether no other run may start while this one lasts."""
        return self._alone

    @contextmanager
    def taken(self, cancel: threading.Event | None, *, alone: bool = False) -> Iterator[bool]:
        """Wait until there is room and hold it during the body; with `alone`, hold all of it.

        Yields False if `cancel` was set before there was room.
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
        """Update the memory used, and return whether the run must make room for earlier ones."""
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
        """First come, first served: many small runs do not keep a large one waiting."""
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
    """The `Room` of this process."""
    return Room(memory_of_all_runs())
