"""A result on disk is replaced only by a better one, however a reduction ends."""

import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from oracles import Limits, Outcome
from reducer.driver.best import Best, OnDisk
from reducer.driver.records.record import Report
from reducer.driver.reduction import Reduction
from reducer.driver.settings import Settings
from reducer.errors import NotInteresting, OutputNotWritable
from reducer.identity.program import Program
from reducer.ir import PlainText
from reducer.storage.journal import Journal
from reducer.storage.result_folder import ResultFolder
from reducer.storage.written import Written
from tests.support.predicate import PASSED, PredicateOracle
from tests.support.silent import Silent

TEXT = "".join(f"op{number}\n" for number in range(20)) + "needle\n"
EARLIER = "what another reduction has left\n"


class Place(Silent):
    """A folder in which texts are reduced. It inspects the output file on every event."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = folder / "out.mlir"
        self.journal = folder / "out.journal"
        self.seen: list[str] = []
        self.said: list[str] = []

    def leave(self, content: str | None) -> None:
        """Write the result of another reduction."""
        if content is not None:
            ResultFolder.of(self.output).written.write(self.output, content)

    def reduce(
        self,
        fails: Callable[[str], bool] = lambda text: "needle" in text,
        *,
        text: str = TEXT,
        calls: int | None = None,
        oracle: type[PredicateOracle] = PredicateOracle,
        **options: bool,
    ) -> Report:
        settings = Settings(
            input=self.folder / "in.mlir",
            text=text,
            output=self.output,
            journal=self.journal,
            max_calls=calls,
            **options,  # type: ignore[arg-type]
        )
        self.oracle = oracle(fails)
        self.reduction = Reduction(settings, self.oracle, self)
        try:
            return self.reduction.run()
        finally:
            self.look()

    def look(self) -> None:
        if self.output.exists():
            content = self.output.read_text(encoding="utf-8")
            if content not in self.seen[-1:]:
                self.seen.append(content)

    def progress(self, event: object) -> None:
        self.look()

    def phase(self, name: str) -> None:
        self.look()

    def message(self, text: str) -> None:
        self.said.append(text)
        self.look()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


# ---- nothing is written at the start -----------------------------------------------------------


@pytest.mark.parametrize("there", [None, EARLIER])
def test_only_what_was_accepted_is_written(place: Place, there: str | None) -> None:
    """The first accepted candidate replaces an earlier result."""
    place.leave(there)
    report = place.reduce()
    assert place.seen[0] == there or there is None
    assert TEXT not in place.seen and EARLIER not in place.seen[1:]
    assert place.seen[-1].startswith("// predicate out.mlir\nneedle\n")
    assert report.on_disk is OnDisk.RESULT


@pytest.mark.parametrize("there", [None, EARLIER])
@pytest.mark.parametrize("fails", [lambda text: False, lambda text: True], ids=["no", "always"])
def test_a_refused_input_leaves_what_was_there(
    place: Place, fails: Callable[[str], bool], there: str | None
) -> None:
    place.leave(there)
    with pytest.raises(NotInteresting):
        place.reduce(fails)
    assert place.seen == ([] if there is None else [there])


@pytest.mark.parametrize("there", [None, EARLIER])
def test_where_nothing_was_accepted_nothing_is_written(place: Place, there: str | None) -> None:
    place.leave(there)
    report = place.reduce(calls=3)  # the input, an empty module, the input again
    assert report.status == "budget" and report.text == TEXT
    assert place.seen == ([] if there is None else [there])
    assert report.on_disk is (OnDisk.NOTHING if there is None else OnDisk.OTHER)


def test_what_is_longer_than_the_input_waits_until_it_is_printed(tmp_path: Path) -> None:
    """Generic form may be longer than the input even with fewer ops."""
    output = tmp_path / "out.mlir"
    with Journal.open(tmp_path / "other", identity={}) as journal:
        best = Best(output, journal, Program(PlainText("one\ntwo\nneedle\n"), ""))
        best.accept(PlainText('"one"() : () -> () "needle"() : () -> ()\n'), "delete ops")
        assert best.on_disk is OnDisk.NOTHING
        best.keep()  # at an interrupt, which nothing shorter follows
        assert output.read_text() == best.program.confirmed.text
        output.unlink()
    with Journal.open(tmp_path / "journal", identity={}, log=print) as journal:
        best = Best(output, journal, Program(PlainText("one\ntwo\nneedle\n"), ""))
        best.accept(PlainText('"one"() : () -> ()\n"needle"() : () -> ()\n'), "delete ops")
        assert best.on_disk is OnDisk.NOTHING and best.is_held_back
        best.finish("one\nneedle\n", verified=True, complete=False)
        assert output.read_text() == "one\nneedle\n"
        best.accept(PlainText('"needle"() : () -> ()\n'), "delete ops")
        assert output.read_text() == '"needle"() : () -> ()\n', "the result was written already"


def test_an_input_that_cannot_get_smaller_is_a_result_in_the_end(place: Place) -> None:
    place.leave(EARLIER)
    report = place.reduce(text="needle\n")
    assert report.status == "reduced" and report.verified
    assert len(place.seen) == 2
    assert place.seen[0] == EARLIER and "\nneedle\n" in place.seen[1]


@pytest.mark.parametrize("when", ["before", "after", "while"])
def test_what_somebody_else_wrote_is_not_replaced(place: Place, when: str) -> None:
    """Nothing is run if the file was there before."""
    if when == "after":
        place.reduce()
    if when != "while":
        place.output.write_text("by hand\n", encoding="utf-8")

    def fails(text: str) -> bool:
        assert when == "while"
        if place.output.exists():
            place.output.write_text("by hand\n", encoding="utf-8")
        return "needle" in text

    with pytest.raises(OutputNotWritable, match=r"out\.mlir was not written by.* -o"):
        place.reduce(fails)
    assert place.output.read_text(encoding="utf-8") == "by hand\n"


# ---- resuming ----------------------------------------------------------------------------------


@pytest.mark.parametrize("calls", [9, 15])
def test_a_run_that_goes_on_keeps_the_best_until_there_is_a_better_one(
    place: Place, calls: int
) -> None:
    assert place.reduce(calls=calls).status == "budget"
    (best,) = place.seen[-1:]
    place.seen.clear()
    report = place.reduce()
    assert report.text == "needle\n" and report.verified
    assert place.seen[0] == best
    sizes = [sum("//" not in line for line in content.splitlines()) for content in place.seen]
    assert sizes == sorted(sizes, reverse=True)


def test_a_run_that_comes_less_far_leaves_the_better_result(place: Place) -> None:
    place.reduce()
    (best,) = place.seen[-1:]
    place.seen.clear()
    with closing(sqlite3.connect(place.journal)) as journal, journal:
        journal.execute("DELETE FROM verdicts WHERE rowid > 8")
    report = place.reduce(calls=1)
    assert report.status == "budget"
    assert report.output.lines > 1
    assert report.on_disk is OnDisk.EARLIER
    assert place.seen == [best]


def test_verdicts_are_reused_and_that_is_said(place: Place) -> None:
    place.reduce()
    place.reduce()
    assert len(place.oracle.texts) == 1, "only the confirmation"
    assert any("reusing" in line and "--fresh" in line for line in place.said)
    (best,) = set(place.seen[-1:])
    assert place.output.read_text(encoding="utf-8") == best


@pytest.mark.parametrize(("text", "fresh"), [(TEXT, True), (f"{TEXT}more\n", False)])
def test_verdicts_hold_for_one_input_alone_unless_a_fresh_run_is_wanted(
    place: Place, text: str, fresh: bool
) -> None:
    place.reduce()
    runs = len(place.oracle.texts)
    place.reduce(text=text, fresh=fresh)
    assert len(place.oracle.texts) == runs if fresh else len(place.oracle.texts) > 5
    assert not any("reusing" in line for line in place.said)


# ---- doubtful verdicts -------------------------------------------------------------------------


class Forgetful(PredicateOracle):
    """Fails, except when the result is confirmed."""

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        return PASSED


def test_a_result_that_cannot_be_confirmed_replaces_no_verified_one(place: Place) -> None:
    place.reduce()
    (best,) = place.seen[-1:]
    place.seen.clear()
    report = place.reduce(oracle=Forgetful)
    assert report.status == "reduced" and not report.verified
    assert place.seen == [best]


def test_verdicts_that_led_to_a_doubtful_result_are_not_reused(place: Place) -> None:
    assert not place.reduce(oracle=Forgetful).verified
    assert place.reduce().verified
    assert len(place.oracle.texts) > 10
    assert any("not reproducible" in line for line in place.said)
    place.reduce()
    assert len(place.oracle.texts) == 1, "what was verified is trusted again"


def test_runs_of_what_was_found_to_be_flaky_are_not_made_again(place: Place) -> None:
    runs: list[str] = []

    def now_and_then(text: str) -> bool:
        runs.append(text)
        return "needle" in text and len(runs) % 2 == 1

    first = place.reduce(now_and_then)
    made = len(runs)
    again = place.reduce(now_and_then)
    assert first.flaky is not None and again.text == first.text
    assert len(runs) - made < made / 2, "only the result is run again"


# ---- the journal -------------------------------------------------------------------------------


def test_a_refused_run_leaves_the_journal_of_an_earlier_one(place: Place) -> None:
    place.reduce()
    for fresh in (True, False):
        with pytest.raises(NotInteresting):
            place.reduce(lambda text: True, text="another\n", fresh=fresh)
    place.reduce()
    assert len(place.oracle.texts) == 1, "only the confirmation"


# ---- other failures ----------------------------------------------------------------------------


def test_other_failures_stay_as_long_as_the_result_they_belong_to(place: Place) -> None:
    bucket = place.folder / "out" / "also-found" / "0123456789ab"
    bucket.mkdir(parents=True)
    Written(place.folder / "out").write(bucket / "repro.mlir", "of another reduction\n")
    place.leave(EARLIER)
    assert place.reduce(calls=3, also_found=True).on_disk is OnDisk.OTHER
    assert bucket.exists()
    assert place.reduce(also_found=True).on_disk is OnDisk.RESULT
    assert not bucket.exists()


def test_a_spent_budget_leaves_the_best_as_people_read_it(place: Place) -> None:
    report = place.reduce(calls=9)
    assert report.status == "budget" and report.verified
    content = place.output.read_text(encoding="utf-8")
    assert content.startswith(f"// predicate out.mlir\n{report.text}// ")
