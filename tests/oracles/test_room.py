"""Runs that need more memory together than there is: one waits, and all end as if alone."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from oracles import settle
from oracles.process import End, Limits, ProcessResult, run_process
from oracles.room import Room, Seat

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
    """Both fit alone, not together. The one that came second runs twice and ends as if alone."""
    room = Room(400 * MB)
    monkeypatch.setattr(settle, "room_here", lambda: room)

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
    """Or two runs could displace each other for ever."""
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
