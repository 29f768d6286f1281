"""What is shown while a reduction runs."""

import io
import sys

import pytest

from reducer.cli.progress import BarDisplay, LineDisplay, ProgressBudget, make_display
from reducer.session import Progress, Size
from tests.support.fake_compilers import wait_until


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def fake_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Called in the test itself: pytest puts back its own stderr after the fixtures."""
    fake = Terminal()
    monkeypatch.setattr(sys, "stderr", fake)
    return fake


def event(ops: int, *, calls: int = 0, seconds: float = 0.0) -> Progress:
    return Progress("halve", Size(ops, ops, ops * 10), calls, 0, 0.0, seconds, calls)


def test_a_bar_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_terminal(monkeypatch)

    def kind(*, wanted: bool | None = None, quiet: bool = False, verbose: bool = False) -> type:
        display = make_display(wanted=wanted, quiet=quiet, verbose=verbose, budget=ProgressBudget())
        display.close()
        return type(display)

    assert kind() is BarDisplay
    assert kind(wanted=False) is LineDisplay
    assert kind(quiet=True) is LineDisplay
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert kind() is kind(wanted=True) is kind(verbose=True) is LineDisplay


def test_the_bar_shows_sizes_cost_and_phase_and_then_goes_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = fake_terminal(monkeypatch)
    bar = BarDisplay(ProgressBudget(), verbose=False)
    bar.phase("halve")
    bar.progress(event(1000))
    bar.progress(event(10, calls=50, seconds=5.0))
    bar.message("preserve: {braces} and 100%")
    assert wait_until(lambda: "1,000 → 10 ops" in terminal.getvalue())
    bar.close()
    text = terminal.getvalue()
    assert "halve |" in text
    assert "(99.0% removed), 100 B, 50 runs" in text
    assert "preserve: {braces} and 100%\n" in text
    assert text.endswith("\r")


def test_lines_are_rare(capsys: pytest.CaptureFixture[str]) -> None:
    lines = LineDisplay(ProgressBudget(), interval=10.0)
    lines.phase("halve")
    for second in range(25):
        lines.progress(event(100 - second, calls=second, seconds=second))
    shown = capsys.readouterr().err.splitlines()
    assert shown[0] == "halve …"
    assert [line.split(":")[0].strip() for line in shown[1:]] == ["0.0 s", "10.0 s", "20.0 s"]


def test_without_an_interval_only_messages_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    lines = LineDisplay(ProgressBudget(), interval=None)
    lines.phase("halve")
    lines.progress(event(1))
    lines.message("mind this")
    assert capsys.readouterr().err == "mind this\n"


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    lines = LineDisplay(ProgressBudget(), quiet=True, interval=None)
    lines.message("mind this")
    assert capsys.readouterr().err == ""


def test_an_end_is_foretold_only_with_a_budget() -> None:
    assert ProgressBudget().left(calls=5, seconds=10.0) is None
    assert ProgressBudget(seconds=60).left(calls=5, seconds=10.0) == 50
    assert ProgressBudget(calls=20).left(calls=5, seconds=10.0) == 30
    assert ProgressBudget(calls=20).left(calls=0, seconds=10.0) is None
    assert ProgressBudget(calls=20, seconds=15).left(calls=5, seconds=10.0) == 5
    assert ProgressBudget(seconds=5).left(calls=5, seconds=10.0) == 0
