"""The first signal stops, the second exits. Whole runs with signals are in test_faults."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reducer.cli.signals import stop_on_signals


def test_the_first_signal_asks_to_stop(capfd: pytest.CaptureFixture[str]) -> None:
    stop = threading.Event()
    with stop_on_signals(stop, leave=lambda: None):
        assert not stop.is_set()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(10)
    assert "progress is kept" in capfd.readouterr().err


def test_the_second_signal_cleans_up_and_leaves(capfd: pytest.CaptureFixture[str]) -> None:
    pid = os.fork()
    if pid == 0:
        with stop_on_signals(threading.Event(), leave=lambda: os.write(2, b"cleaned up\n")):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
        os._exit(99)  # not reached
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    assert "cleaned up\n" in capfd.readouterr().err


def test_what_was_ignored_stays_ignored_and_the_rest_comes_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_on_signals(threading.Event(), leave=lambda: None):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # nohup keeps its promise
            assert signal.getsignal(signal.SIGINT) is not before[0]
        assert signal.getsignal(signal.SIGINT) is before[0]
    finally:
        signal.signal(signal.SIGHUP, before[1])


def test_a_signal_may_come_while_the_main_thread_waits_for_the_very_event() -> None:
    """The thread then holds the event's lock, and a handler that needs it would deadlock."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)  # ends a process that hangs
        stop = threading.Event()
        with stop_on_signals(stop, leave=lambda: None):
            with vars(stop)["_cond"]:
                os.kill(os.getpid(), signal.SIGINT)
                for _ in range(1000):  # a point at which handlers can run
                    pass
            os._exit(0 if stop.wait(10) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_second_signal_leaves_though_the_first_has_not_been_heard_of() -> None:
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        stop = threading.Event()
        with stop_on_signals(stop, leave=lambda: None), vars(stop)["_cond"]:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
        os._exit(99)  # not reached
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130


def test_what_a_background_job_ignores_is_not_passed_on_to_a_compiler(tmp_path: Path) -> None:
    """A compiler that ignores SIGQUIT would survive being asked for its stack."""
    (tmp_path / "in.mlir").write_text("module {}\n")
    compiler, ignored = tmp_path / "compiler", tmp_path / "ignored"
    compiler.write_text(f"#!/bin/sh\ngrep SigIgn /proc/$$/status > '{ignored}'\nexit 1\n")
    compiler.chmod(0o755)
    subprocess.run(
        [sys.executable, "-m", "reducer", "check", "in.mlir", "--", str(compiler)],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGQUIT, signal.SIG_IGN),
    )
    mask = int(ignored.read_text().split()[1], 16)
    assert not mask >> signal.SIGQUIT - 1 & 1
