"""What is shown while a reduction runs, apart from the live view."""

import io
import sys

import pytest

from reducer.cli.display.live_view import LiveView
from reducer.cli.display.progress import LineDisplay, ProgressBudget, make_display
from reducer.driver.settings import Progress, Size, Tried
from reducer.search.conditions import ConditionName, Refusal


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time now, in seconds; the command begins at 100."""
    time = [100.0]
    monkeypatch.setattr("reducer.cli.display.progress.now", lambda: time[0])
    return time


def event(
    ops: int, *, calls: int = 0, seconds: float = 0.0, level: str = "", tried: Tried | None = None
) -> Progress:
    size = Size(ops, ops, ops * 10)
    return Progress("halve", size, calls, 0, 0.0, seconds, calls, tried=tried, level=level)


def test_a_live_view_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())

    def kind(*, quiet: bool = False, verbose: bool = False) -> type:
        display = make_display(quiet=quiet, verbose=verbose, budget=ProgressBudget())
        display.close()
        return type(display)

    assert kind() is kind(verbose=True) is LiveView
    assert kind(quiet=True) is LineDisplay
    monkeypatch.setenv("TERM", "dumb")
    assert kind() is LineDisplay
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert kind() is kind(verbose=True) is LineDisplay


def test_one_line_for_each_improvement(
    capsys: pytest.CaptureFixture[str], clock: list[float]
) -> None:
    lines = LineDisplay(ProgressBudget(calls=20))
    lines.phase("halve")
    for calls, ops in enumerate((1000, 1000, 500, 500, 800, 10)):
        clock[0] = 100 + calls
        lines.progress(event(ops, calls=calls, seconds=calls))
    assert capsys.readouterr().err.splitlines() == [
        "   2.0 s  1,000 → 500 ops (50.0% removed), 5.0 KB, 2 runs, at most 18.0 s left (halve)",
        "   5.0 s  1,000 → 10 ops (99.0% removed), 100 B, 5 runs, at most 15.0 s left (halve)",
    ]


def test_the_pass_level_has_sizes_of_its_own_but_no_clock(
    capsys: pytest.CaptureFixture[str], clock: list[float]
) -> None:
    lines = LineDisplay(ProgressBudget(), started=98.0)
    lines.progress(event(5, seconds=1.0))
    for number, ops in enumerate((30, 6)):
        clock[0] = 140 + number
        lines.progress(event(ops, level="pass level", seconds=number))
    assert capsys.readouterr().err.splitlines() == [
        "  43.0 s  pass level: 30 → 6 ops (80.0% removed), 60 B, 0 runs (halve)",
    ]


def test_verbose_says_what_was_tried_and_what_refused_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = LineDisplay(ProgressBudget(), verbose=True)
    lines.phase("halve")
    other = Refusal(ConditionName.SAME_FAILURE, "crash: in a pass")
    for refusal in (None, other, Refusal(ConditionName.SMALLER)):
        lines.progress(event(9, tried=Tried("drop ops", 4, refusal)))
    lines.progress(event(9, tried=Tried("drop ops", None, Refusal(ConditionName.SYNTAX))))
    assert capsys.readouterr().err.splitlines() == [
        "halve …",
        "  drop ops: 4 ops: accepted",
        "  drop ops: 4 ops: refused, other failure: crash: in a pass",
        "  drop ops: 4 ops: refused, not smaller",
        "  drop ops: refused, syntax",
    ]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    lines = make_display(quiet=True, verbose=True, budget=ProgressBudget())
    lines.phase("halve")
    lines.progress(event(2, tried=Tried("drop ops", 4)))
    lines.message("mind this")
    assert capsys.readouterr().err == ""


def test_an_end_is_foretold_only_with_a_budget() -> None:
    assert ProgressBudget().left(calls=5, seconds=10.0) is None
    assert ProgressBudget(seconds=60).left(calls=5, seconds=10.0) == 50
    assert ProgressBudget(calls=20).left(calls=5, seconds=10.0) == 30
    assert ProgressBudget(calls=20).left(calls=0, seconds=10.0) is None
    assert ProgressBudget(calls=20, seconds=15).left(calls=5, seconds=10.0) == 5
    assert ProgressBudget(seconds=5).left(calls=5, seconds=10.0) == 0
