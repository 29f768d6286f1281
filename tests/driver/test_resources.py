"""What is open during a reduction."""

import threading
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits, Outcome, Signature
from reducer.conversions import Conversions
from reducer.driver.narrator import Narrator
from reducer.driver.resources import opened
from reducer.driver.settings import Settings, Size
from reducer.errors import FlakyOracle
from reducer.storage.journal import Journal
from tests.support.fake_compilers import write_script
from tests.support.silent import Silent

FAILS = Signature(Kind.CRASH, "x")
OUTCOME = Outcome(FAILS.kind, FAILS, seconds=1.0)


class Opening:
    """Opens what a reduction of one input needs, and counts the verdicts that are known."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(
            folder / "in.mlir",
            "module {}",
            output=folder / "out.mlir",
            journal=folder / "journal",
        )
        self.script = write_script(folder / "t", "exit 1\n")

    def known(
        self,
        *,
        seconds: float | None = None,
        varies: Signature | None = None,
        shared: Journal | None = None,
        error: Exception | None = None,
    ) -> int:
        oracle = CompilerOracle(Command.parse(["t"]), self.script, limits=Limits(seconds))
        size = Size(1, 1, 1)
        narrator = Narrator(Silent(), size, lambda: 0.0, lambda failure: None, [])
        with opened(
            self.settings, oracle, narrator, threading.Event(),
            shared=shared, varies=varies,
        ) as resources:  # fmt: skip
            reused = resources.journal.reused
            resources.journal.put("a", OUTCOME, 1)
            resources.journal.settle()
            if error is not None:
                raise error
        return reused


def test_a_journal_belongs_to_the_limits_and_to_what_varies(tmp_path: Path) -> None:
    opening = Opening(tmp_path)
    assert [opening.known() for _ in range(2)] == [0, 1]
    assert [opening.known(seconds=3.0) for _ in range(2)] == [0, 1]
    assert [opening.known(seconds=3.0, varies=FAILS) for _ in range(2)] == [0, 1]


def test_verdicts_of_a_flaky_oracle_are_doubted(tmp_path: Path) -> None:
    opening = Opening(tmp_path)
    with pytest.raises(FlakyOracle):
        opening.known(error=FlakyOracle("it varies"))
    assert opening.known() == 0
    with pytest.raises(OSError):
        opening.known(error=OSError())
    assert opening.known() == 1


def test_a_shared_journal_stays_open(tmp_path: Path) -> None:
    opening = Opening(tmp_path)
    with Journal.open(tmp_path / "other", identity={}) as shared:
        opening.known(shared=shared)
        shared.put("b", OUTCOME, 1)
    assert not (tmp_path / "journal").exists()


def test_conversions_of_idle_threads_end_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Conversions] = []
    monkeypatch.setattr(Conversions, "close", lambda self: closed.append(self))
    Opening(tmp_path).known()
    assert len(closed) == 1
