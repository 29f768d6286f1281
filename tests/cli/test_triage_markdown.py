"""The summary of a triage for the page of a CI job."""

from pathlib import Path

from oracles import Kind
from reducer.cli.triage_markdown import markdown_summary
from reducer.cli.triage_output import bugs_table
from reducer.triage.buckets import all_groups, find_group
from reducer.triage.notes import set_note
from reducer.triage.states import finish_run, start_run, status_of
from reducer.triage.summary import all_bugs, unread_in
from tests.support.triages import SUCCESS, Records, failure

LONG = "operand types of this op must be such that they are the same as those of "
FIRST, SECOND, THIRD = failure(LONG + "its results"), failure(LONG + "its map"), failure("|<b>|")


def finished(records: Records, unread: dict[str, str] | None = None) -> str:
    """The summary after a run that saw what the records say."""
    database = records.database
    run = start_run(database)
    statuses = {
        group.root.bucket: status_of(database, group, {}, run) for group in all_groups(database)
    }
    finish_run(database, run, statuses, unread)
    return markdown_summary(all_bugs(database), unread_in(database))


def test_new_known_and_gone_since_the_last_run(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", "3.8.0", FIRST, "--iree-hal-target-device=hip")
    records.result("b", "3.8.0", SECOND)
    first = finished(records)
    assert first.startswith("## Triage: 2 new\n\n### New (2)\n")
    assert "| hip | `a.mlir` |" in first and "3.8.0 or earlier" in first
    assert "### Known" not in first and "### Gone" not in first

    set_note(records.database, find_group(records.database, SECOND.bucket), "Ann @ home")
    records.result("a", "3.13.0", SUCCESS)
    records.result("c", "3.13.0", THIRD)
    second = finished(records, {"x.mlir": "damaged"})
    assert second.startswith("## Triage: 1 new, 1 known, 1 gone, 1 input not read\n")
    assert "### Gone since the last run (1)" in second and "gone in 3.13.0" in second
    assert "| Ann &#64; home |" in second
    assert "`verifier: \\\\|<b>\\\\|`".replace("\\\\", "\\") in second
    assert "- `x.mlir`: damaged" in second
    assert second == markdown_summary(all_bugs(records.database), unread_in(records.database))

    third = finished(records)
    assert third.startswith("## Triage: 2 known, 1 fixed before\n")
    assert "### Gone" not in third and "Not read" not in third


def test_the_list_says_what_differs(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", "3.8.0", FIRST)
    records.result("b", "3.8.0", SECOND)
    table = bugs_table(all_bugs(records.database))
    told = [row[-1] for row in table.rows]
    assert {text.rpartition("those of ")[2] for text in told} == {"its results", "its map"}


def test_bugs_that_print_the_same_name_an_input(tmp_path: Path) -> None:
    records = Records(tmp_path)
    for name in ("a", "b"):
        records.result(name, "3.8.0", failure("", Kind.TIMEOUT))
    table = bugs_table(all_bugs(records.database))
    assert sorted(row[-1] for row in table.rows) == ["timeout: a.mlir", "timeout: b.mlir"]


def test_nothing_fails() -> None:
    assert markdown_summary([], {}) == "## Triage: nothing fails\n"
