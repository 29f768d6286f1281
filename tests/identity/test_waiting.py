"""What is said while the first run takes long."""

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from oracles import Command, CompilerOracle, Limits
from reducer.conversions import Conversions
from reducer.driver.settings import Settings
from reducer.driver.stages.opening import first_run
from reducer.identity import advice as waiting
from reducer.identity.advice import saying_that_it_runs
from reducer.search.judge import Judge
from reducer.storage.journal import Journal
from tests.support.fake_compilers import waiting_for, write_script

TEXT = '"x.bad"() : () -> ()\n'


def test_it_is_said_once_and_how_long_it_may_take() -> None:
    said: list[str] = []
    told = threading.Event()

    def say(text: str) -> None:
        said.append(text)
        told.set()

    with saying_that_it_runs(say, 3600.0, after=0.0):
        assert told.wait(60.0)
    assert said == [
        "the command still runs after 0.0 s; it is stopped after 1:00:00; "
        "--timeout SECONDS sets another limit"
    ]
    told.clear()
    with saying_that_it_runs(say, None, after=0.0):
        assert told.wait(60.0)
    assert "there is no time limit; --timeout SECONDS sets one" in said[-1]
    for is_comparing, what in ((False, "the command still runs"), (True, "comparing results: ")):
        told.clear()
        results: Any = SimpleNamespace(is_comparing=is_comparing)
        with saying_that_it_runs(say, None, results, after=0.0):
            assert told.wait(60.0)
        assert said[-1].startswith(what)


def test_the_first_run_of_a_reduction_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing else does for an hour, in a log."""
    monkeypatch.setattr(waiting, "WAIT", 0.01)
    told = tmp_path / "told"

    def say(text: str) -> None:
        if "it is stopped after 1:00:00" in text:
            told.touch()

    waits = f"{waiting_for(told)}exit 1\n"
    oracle = CompilerOracle(
        Command.parse(["t"]), write_script(tmp_path / "t", waits), limits=Limits()
    )
    settings = Settings(
        tmp_path / "in.mlir", TEXT, output=tmp_path / "out.mlir", journal=tmp_path / "journal"
    )
    with Journal.open(settings.journal, identity={}) as journal:
        judge = Judge(oracle, journal)
        conversions = Conversions(None, journal, print)
        first_run(judge, settings, say, ops=1, conversions=conversions, steadied=None)
        judge.close()
    assert told.exists()


def test_nothing_is_said_if_it_ends_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[threading.Timer] = []

    class Recorded(threading.Timer):
        def start(self) -> None:
            timers.append(self)
            super().start()

    monkeypatch.setattr(threading, "Timer", Recorded)
    with saying_that_it_runs(print, 5.0):  # it is stopped before that
        assert not timers
    with saying_that_it_runs(print, 3600.0):
        (timer,) = timers
        assert timer.interval == 10.0 and not timer.finished.is_set()
    assert timer.finished.is_set(), "it is canceled"
