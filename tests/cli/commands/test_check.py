"""`mlir-reducer check`"""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.identity import unstable_crash
from tests.support.in_process import Answer, Programs, Run

pytestmark = pytest.mark.usefixtures("nothing_installed")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


ENDLESS = Answer(seconds=1000.0, cpu=1000.0)


@pytest.mark.parametrize(
    ("command", "fixed", "random", "said"),
    [
        ("check", -11, -6, "fails in this way in 2 of 2 runs with fixed addresses, and in 0 of 2"),
        ("locate", -11, -6, "fails in this way in 2 of 2 runs with fixed addresses, and in 0 of 2"),
        ("check", -11, ENDLESS, "in 0 of 2 runs, 'timeout' in 2 with addresses that vary"),
        ("check", -11, -11, ""),
        ("check", 0, -11, "it fails in 1 of 2 runs"),
    ],
)
def test_what_addresses_decide_is_said(
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    fixed: int,
    random: int | Answer,
    said: str,
) -> None:
    def program(run: Run) -> Answer:
        shown = (fixed if run.fixed else random) if "x.bad" in run.text else 0
        return shown if isinstance(shown, Answer) else Answer(shown)

    path = Programs(monkeypatch).add(tmp_path / "crashes", program)
    done = run(command, model, "--", path)
    assert done.exit_code == 0, done.output
    assert "SIGSEGV" in done.stdout and said in done.stdout
    assert said or "fixed addresses" not in done.stdout


def test_without_fixed_addresses_nothing_is_said_of_them(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def program(run: Run) -> Answer:
        return Answer((-11 if run.fixed else -6) if "x.bad" in run.text else 0)

    path = Programs(monkeypatch).add(tmp_path / "crashes", program)
    monkeypatch.setattr(unstable_crash, "addresses_can_be_fixed", lambda: False)
    done = run("check", model, "--", path)
    assert "fails in this way in 2 of 4 runs" in done.stdout, done.output
    assert "with fixed addresses" not in done.stdout
