"""What `mlir-reducer triage` prints: the bugs, a line of figures, and progress on the way."""

import io
import sys
from dataclasses import replace
from pathlib import Path, PurePath

import pytest

from oracles import Kind, Signature
from reducer.asking import Cost
from reducer.cli.display.triage import (
    bugs_table,
    in_order,
    make_watcher,
    markdown_summary,
    summary_parts,
)
from reducer.triage.buckets import all_groups, find_group, set_note
from reducer.triage.extent import Extent, extent_of
from reducer.triage.inputs import InputFile, UnreadableFile
from reducer.triage.reproducers import reproducers
from reducer.triage.states import BugState, finish_run, start_run, status_of
from reducer.triage.store import StoredResult
from reducer.triage.summary import Bug, Cell, Summary, all_bugs, unread_in
from tests.support.triages import SUCCESS, Records, failure

LONG = "operand types of this op must be such that they are the same as those of "
FIRST, SECOND, THIRD = failure(LONG + "its results"), failure(LONG + "its map"), failure("|<b>|")


def summary(folder: Path, **changes: object) -> Summary:
    """Two bugs, one of which is gone; an input that cannot be read; and flags that fail alone."""
    records = Records(folder)
    bugs = []
    for name, state in (("gone", BugState.FIXED), ("bad", BugState.NEW)):
        signature = failure(name)
        records.result(name, "3.13.0", signature)
        records.reproducer(signature.bucket, name, "3.13.0", "x")
        (group,) = [one for one in all_groups(records.database) if one.root.text.endswith(name)]
        result = StoredResult(name, 1, Kind.VERIFIER, signature.bucket, 1.5, 1)
        cells = (Cell(f"{name}.mlir", "3.13.0 --x", result),)
        known = reproducers(records.database)[signature.bucket]
        fixed = "3.13.0" if state is BugState.FIXED else None
        bugs.append(Bug(group, state, fixed, cells, known, note="mine"))
    return Summary(
        1,
        [*(cell for bug in bugs for cell in bug.cells), Cell("c.mlir", "3.8.0", None, "changed")],
        bugs,
        [UnreadableFile(InputFile(Path("x"), PurePath("x.mlir")), "empty")],
        {"3.3.0 --y": "unknown flag"},
        **changes,  # type: ignore[arg-type]
    )


def test_the_bugs_and_the_figures(tmp_path: Path) -> None:
    found = summary(
        tmp_path,
        compiler_runs=7,
        calls=1,
        splitting_cost=Cost(2, cpu_seconds=3.0),
        interrupted=True,
    )
    assert [bug.state for bug in in_order(found.bugs)] == [BugState.NEW, BugState.FIXED]
    table, *lines = summary_parts(found)
    assert not isinstance(table, str)
    assert [row[1:3] for row in table.rows] == [("new", "1"), ("fixed, gone in 3.13.0", "1")]
    assert [row[5:] for row in table.rows] == [
        ("10 → 1", "verifier: bad; note: mine"),
        ("10 → 1", "verifier: gone; note: mine"),
    ]
    assert lines == [
        "skipped: 3.3.0 --y: fails even on an empty function: unknown flag",
        "not read: c.mlir: with 3.8.0: changed",
        "not read: x.mlir: empty",
        "2 of 3 results are failures; 2 bugs (1 new, 1 fixed), 1 open; 7 compiler runs and "
        "1 reduction call (2 of them, 3.0 s, to split buckets); interrupted",
    ]


@pytest.mark.parametrize(
    ("results", "gone", "cells"),
    [
        ({"3.13.0": FIRST}, None, ("new", "-")),
        ({"3.8.0": FIRST, "3.13.0": FIRST}, None, ("new", "≤3.8.0")),
        ({"3.3.0": SUCCESS, "3.8.0": FIRST}, None, ("new", "≤3.8.0")),
        ({"3.9.0": SUCCESS, "3.10.0": FIRST}, None, ("new", "3.10.0")),
        ({"3.9.0": FIRST}, "/a/b/my-opt", ("new, gone in my-opt", "-")),
        ({}, None, ("new", "-")),  # a build that is not a release
    ],
)
def test_when_is_a_release_or_nothing(
    tmp_path: Path,
    results: dict[str, Signature],
    gone: str | None,
    cells: tuple[str, str],
) -> None:
    records = Records(tmp_path)
    for version, signature in results.items():
        records.result("a", version, signature)
    bug = summary(tmp_path / "other").bugs[1]
    groups = all_groups(records.database)
    extent = extent_of(records.database, groups[0], None) if groups else Extent()
    (row,) = bugs_table([replace(bug, extent=extent, fixed_in=gone)]).rows
    assert (row[1], row[3]) == cells


@pytest.mark.parametrize(
    ("seconds", "quiet", "said"),
    [
        (0.0, False, "compile: 1 of 2 a.mlir\ncompile: 2 of 2 b.mlir\nmind this\n"),
        (60.0, False, "mind this\n"),
        (0.0, True, ""),
    ],
)
def test_progress_in_a_log(
    seconds: float,
    quiet: bool,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("reducer.cli.display.triage._SECONDS", seconds)
    watcher = make_watcher(quiet=quiet)
    watcher.phase("reduce", 0)
    watcher.phase("compile", 2)
    for name in ("a.mlir", "b.mlir"):
        watcher.step(name)
    watcher.message("mind this")
    watcher.close()
    assert capsys.readouterr().err == said


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    watcher = make_watcher(quiet=False)
    watcher.step("before any phase")
    watcher.phase("compile", 2)
    watcher.note("a\x1b.mlir")
    watcher.step()
    watcher.message("mind this")
    watcher.close()
    assert "compile:" in screen.getvalue() and "a\\x1b.mlir" in screen.getvalue()
    assert "mind this\n" in screen.getvalue()


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
    assert "|  | hip | `a.mlir` |" in first  # one release says nothing of the time
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
