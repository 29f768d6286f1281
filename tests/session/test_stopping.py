"""A request to stop, whenever it comes, leaves a report and the best result."""

from pathlib import Path

import pytest

from reducer.search.evaluator import Stopped
from reducer.session import Reduction, Settings
from reducer.session.best import Best
from tests.support.predicate import PredicateOracle
from tests.support.silent import Silent


def test_a_stop_while_the_result_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(self: Reduction, best: Best) -> str:
        raise Stopped("interrupted")

    monkeypatch.setattr(Reduction, "_readable", stopped)
    output = tmp_path / "out.mlir"
    settings = Settings(
        input=tmp_path / "in.mlir",
        text="a\nneedle\nb\n",
        output=output,
        journal=tmp_path / "journal",
    )
    oracle = PredicateOracle(lambda text: "needle" in text)
    report = Reduction(settings, oracle, Silent()).run()
    assert (report.status, report.verified) == ("interrupted", False)
    assert report.text == output.read_text()
    assert "needle" in report.text and report.output.lines == 1
