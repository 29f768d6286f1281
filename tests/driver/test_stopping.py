"""A stop request at any time leaves a report and the best result."""

import threading
from contextlib import closing
from pathlib import Path

from oracles import Kind, Limits, Outcome, Signature
from reducer.driver.records.history import KEY, read_history
from reducer.driver.reduction import Reduction
from reducer.driver.settings import Settings
from reducer.storage.journal import Journal
from tests.support.predicate import PredicateOracle
from tests.support.reducing import reduced_by
from tests.support.silent import Silent


class StoppedInTheEnd(PredicateOracle):
    """Requests a stop while the printed command runs."""

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        assert cancel is not None
        cancel.set()
        return Outcome(Kind.CANCELLED, Signature(Kind.CANCELLED))


def test_a_stop_while_the_result_is_verified(tmp_path: Path) -> None:
    output = tmp_path / "out.mlir"
    settings = Settings(
        input=tmp_path / "in.mlir",
        text="a\nneedle\nb\n",
        output=output,
        journal=tmp_path / "journal",
    )
    oracle = StoppedInTheEnd(lambda text: "needle" in text)
    report = Reduction(settings, oracle, Silent()).run()
    assert (report.status, report.verified) == ("interrupted", False)
    assert report.text == output.read_text()
    assert "needle" in report.text and report.output.lines == 1


def test_a_budget_leaves_the_same_result_for_any_number_of_workers(tmp_path: Path) -> None:
    lines = [f"line {n}" for n in range(60)]
    needed = {"line 7", "line 22", "line 40", "line 51"}
    ends: list[tuple[str, list[tuple[int, str]], int]] = []
    for jobs in (1, 2, 4, 8):
        oracle = PredicateOracle(
            lambda text: needed <= set(text.splitlines()), delay=lambda text: 0.001
        )
        report = reduced_by(
            oracle,
            tmp_path,
            "".join(f"{line}\n" for line in lines),
            name=f"{jobs}",
            jobs=jobs,
            max_calls=25,
        )
        assert (report.status, report.verified) == ("budget", True)
        assert report.costs.calls == len(oracle.texts) >= report.charged
        with closing(Journal.reopen(tmp_path / f"{jobs}.journal")) as journal:
            history = read_history(journal.get_text(KEY))
        assert history is not None
        steps = [(moment.bytes, moment.origin) for moment in history.moments]
        ends.append((report.text, steps, report.charged))
    assert all(end == ends[0] for end in ends)
    assert len(ends[0][1]) > 0 and len(ends[0][0].splitlines()) > len(needed)
