"""How much memory is available: that of the machine, or of the container around us."""

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oracles.run import run_process as process
from oracles.run.memory import (
    Room,
    Seat,
    machine_memory,
    memory_left,
    memory_limit,
    memory_of_all_runs,
    out_of_memory_kills,
    out_of_memory_kills_anywhere,
)
from oracles.run.run_process import End, Limits, ProcessResult, run_process

PHYSICAL = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def machine(root: Path, files: dict[str, str]) -> Path:
    """A file system with these files."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"proc/self/cgroup": "0::/\n"},
        {"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"},
        {
            "proc/self/cgroup": "4:memory:/\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
    ],
)
def test_without_a_limit_it_is_the_machines(files: dict[str, str], tmp_path: Path) -> None:
    assert machine_memory(machine(tmp_path, files)) == PHYSICAL


@pytest.mark.parametrize(
    "files",
    [
        {"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "64000000\n"},
        {  # a parent group is stricter
            "proc/self/cgroup": "0::/a/b\n",
            "sys/fs/cgroup/a/memory.max": "64000000\n",
            "sys/fs/cgroup/a/b/memory.max": "max\n",
        },
        {  # a container sees the host's path, but its own group is at the top
            "proc/self/cgroup": "2:cpu:/x\n4:memory:/docker/77\n0::/docker/77\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "64000000\n",
        },
    ],
)
def test_a_container_has_less(files: dict[str, str], tmp_path: Path) -> None:
    root = machine(tmp_path, files)
    assert machine_memory(root) == 64_000_000
    assert memory_limit(root) == 32_000_000
    assert memory_of_all_runs(root) == 56_000_000


def test_what_is_left_is_what_the_strictest_limit_leaves(tmp_path: Path) -> None:
    assert memory_left(tmp_path) is None
    machine(tmp_path, {"proc/meminfo": "MemTotal: 9 kB\nMemAvailable: 4000 kB\n"})
    assert memory_left(tmp_path) == 4000 << 10
    group = {
        "proc/self/cgroup": "0::/a\n",
        "sys/fs/cgroup/a/memory.max": "1000000\n",
        "sys/fs/cgroup/a/memory.current": "900000\n",
        "sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file 500000\n",
    }
    assert memory_left(machine(tmp_path, group)) == 600000
    assert (memory_left() or 1) > 0


def test_kills_of_our_own_group_count_rather_than_those_of_the_machine(tmp_path: Path) -> None:
    root = machine(tmp_path, {"proc/vmstat": "pgfault 12\noom_kill 5\n"})
    assert out_of_memory_kills(root) == 5
    machine(root, {"proc/self/cgroup": "4:memory:/\n"})
    machine(root, {"sys/fs/cgroup/memory/memory.oom_control": "under_oom 0\noom_kill 3\n"})
    assert out_of_memory_kills(root) == 3
    machine(root, {"proc/self/cgroup": "0::/a\n"})
    machine(root, {"sys/fs/cgroup/a/memory.events": "max 7\noom 2\noom_kill 1\n"})
    assert out_of_memory_kills(root) == 1
    assert out_of_memory_kills_anywhere(root) == 5


def test_it_may_not_be_told(tmp_path: Path) -> None:
    assert out_of_memory_kills(tmp_path) is None


LONG = 60.0
MB = 1 << 20


def wait_for(path: Path) -> None:
    until = time.monotonic() + LONG
    while not path.exists():
        assert time.monotonic() < until, f"{path.name} never came"
        time.sleep(0.01)


def test_the_last_makes_room_and_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both fit alone, not together. The second to arrive runs twice and ends as if alone."""
    room = Room(400 * MB)
    monkeypatch.setattr(process, "room_here", lambda: room)

    def run(name: str) -> ProcessResult:
        """Writes a line, takes 300 MB, says that it has it, and goes on when it may."""
        code = f"""
import pathlib, time
print("partial", flush=True)
with open("{name}.starts", "a") as file:
    file.write("x")
memory = b"x" * (300 << 20)
pathlib.Path("{name}.full").touch()
while not pathlib.Path("go").exists():
    time.sleep(0.01)
print("done")
"""
        return run_process([sys.executable, "-c", code], cwd=tmp_path, limits=Limits(LONG))

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(run, "first")
        wait_for(tmp_path / "first.full")
        second = pool.submit(run, "second")
        wait_for(tmp_path / "second.starts")
        until = time.monotonic() + LONG
        while not room.waiting and time.monotonic() < until:
            time.sleep(0.01)
        assert len(room.waiting) == 1
        (tmp_path / "go").touch()
        ends = [first.result(), second.result()]
    assert [(one.end, one.stdout) for one in ends] == [(End.EXITED, "partial\ndone\n")] * 2
    starts = [(tmp_path / f"{name}.starts").read_text() for name in ("first", "second")]
    assert starts == ["x", "xx"]


def test_who_comes_first_never_makes_room() -> None:
    """Otherwise two runs could displace each other forever."""
    room = Room(100)
    first, second = room.seat(), room.seat()
    with first.taken(None), second.taken(None):
        assert not second.must_go(60)
        assert not first.must_go(60)
        assert second.must_go(60)
        assert not first.must_go(1000)


def test_one_that_is_too_large_for_all_runs_alone() -> None:
    room = Room(100)
    with room.seat().taken(None) as admitted:
        assert admitted


def enter(seat: Seat, cancel: threading.Event | None = None, *, alone: bool = False) -> bool:
    with seat.taken(cancel, alone=alone) as admitted:
        return admitted


def test_whoever_waits_can_be_cancelled() -> None:
    room, cancel = Room(100), threading.Event()
    with room.seat().taken(None), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(enter, room.seat(), cancel, alone=True)
        while not room.waiting:
            time.sleep(0.01)
        cancel.set()
        assert waiting.result(LONG) is False
    assert not room.waiting and not room.running


def test_alone_means_that_nobody_else_runs() -> None:
    room = Room(100)
    order: list[str] = []
    inside = threading.Event()

    def single(seat: Seat) -> None:
        with seat.taken(None, alone=True):
            order.append("alone begins")
            inside.set()
            time.sleep(0.2)
            order.append("alone ends")

    def other(seat: Seat) -> None:
        with seat.taken(None):
            order.append("other")

    with ThreadPoolExecutor(2) as pool:
        ends = [pool.submit(single, room.seat())]
        assert inside.wait(LONG)
        ends.append(pool.submit(other, room.seat()))
        for end in ends:
            end.result(LONG)
    assert order == ["alone begins", "alone ends", "other"]
