"""What the machine has of memory, and how often the kernel ran out of it.

A container often has less than the machine: what counts is the strictest limit of the control
groups around this process. Both versions of the hierarchy are read.
"""

import os
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/")
_SHARE_OF_A_RUN = 1, 2
_SHARE_OF_ALL_RUNS = 7, 8


def memory_limit(root: Path = _ROOT) -> int:
    """Bytes that one run may use unless somebody says otherwise, however many run at once."""
    return _part(machine_memory(root), _SHARE_OF_A_RUN)


def memory_of_all_runs(root: Path = _ROOT) -> int:
    """Bytes that all runs together may use; the rest is for this program and the system."""
    return _part(machine_memory(root), _SHARE_OF_ALL_RUNS)


def machine_memory(root: Path = _ROOT) -> int:
    """Bytes of memory that this process and its children may have in all."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min([physical, *_limits(root)])


def out_of_memory_kills(root: Path = _ROOT) -> int | None:
    """How many processes the kernel has killed for want of memory so far; None if it is not told.

    In the control group of this process where that is counted, otherwise on the whole machine.
    """
    v1, v2 = _own_folders(root)
    files = [
        *([v2[0] / "memory.events"] if v2 else []),
        *([v1[0] / "memory.oom_control"] if v1 else []),
        root / "proc/vmstat",
    ]
    for file in files:
        if (count := _counter(file)) is not None:
            return count
    return None


def _limits(root: Path) -> Iterator[int]:
    v1, v2 = _own_folders(root)
    for folders, name in ((v2, "memory.max"), (v1, "memory.limit_in_bytes")):
        for folder in folders:
            if (limit := _read(folder / name).strip()).isdigit():  # `max` is no limit
                yield int(limit)


def _own_folders(root: Path) -> tuple[list[Path], list[Path]]:
    """The memory group of this process and those around it, in version 1 and in version 2.

    A container may be told a path that it cannot see; it sees its own group at the top.
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
    for line in _read(file).splitlines():
        name, _, count = line.partition(" ")
        if name == "oom_kill" and count.strip().isdigit():
            return int(count)
    return None


def _part(amount: int, share: tuple[int, int]) -> int:
    return amount * share[0] // share[1]


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
