"""Only what a run has started is looked for, and all of it is found."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oracles import tree
from oracles.tree import RUN_VARIABLE, kill_strays, last_id

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")

_TOKEN = "a-mark-of-this-test"
Start = Callable[[], "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a marked program that leads a session of its own."""
    started: list[subprocess.Popen[bytes]] = []

    def one() -> "subprocess.Popen[bytes]":
        code = "import sys, time; sys.stdout.write('x'); sys.stdout.flush(); time.sleep(600)"
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, RUN_VARIABLE: _TOKEN},
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.read(1) == b"x"
        return process

    yield one
    for process in started:
        process.kill()
        process.communicate()


def test_what_was_started_after_is_killed_and_nothing_before(start: Start) -> None:
    before = start()
    after = last_id()
    stray = start()
    kill_strays(_TOKEN, after)
    assert stray.wait(60) < 0
    assert before.poll() is None


def test_sessions_of_other_runs_are_left_alone(start: Start) -> None:
    after = last_id()
    other, stray = start(), start()
    kill_strays(_TOKEN, after, {other.pid})
    assert stray.wait(60) < 0
    assert other.poll() is None


@pytest.mark.parametrize("said", [None, 1])
def test_without_ids_in_order_all_processes_are_looked_at(
    start: Start, monkeypatch: pytest.MonkeyPatch, said: int | None
) -> None:
    """Some sandboxes say nothing, and ids begin again from the lowest once all were given."""
    after = last_id()
    stray = start()
    monkeypatch.setattr(tree, "last_id", lambda: said)
    kill_strays(_TOKEN, after)
    assert stray.wait(60) < 0


def test_processes_of_others_are_not_read(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    read_file = tree.read_kernel_file

    def reading(path: str | Path) -> bytes:
        read.append(str(path))
        return read_file(path)

    before = start()
    after = last_id()
    start()
    monkeypatch.setattr(tree, "read_kernel_file", reading)
    kill_strays(_TOKEN, after)
    assert f"/proc/{before.pid}/environ" not in read
    assert f"/proc/{os.getpid()}/environ" not in read


def test_all_processes_are_looked_at_if_many_ids_were_given_since(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To ask for each id of a minute takes a hundred times as long as to read /proc."""
    asked: list[int] = []
    session = os.getsid

    def asking(pid: int) -> int:
        asked.append(pid)
        return session(pid)

    after = last_id()
    assert after is not None
    stray = start()
    monkeypatch.setattr(os, "getsid", asking)
    monkeypatch.setattr(tree, "last_id", lambda: after + 200_000)
    kill_strays(_TOKEN, after)
    assert stray.wait(60) < 0
    assert not asked
