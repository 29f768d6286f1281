"""What `mlir-reducer triage` prints: the bugs, a line of figures, and progress on the way."""

import io
import sys
from pathlib import Path, PurePath

import pytest

from oracles import Kind
from reducer.cli.triage_output import in_order, make_watcher, summary_parts
from reducer.triage.buckets import all_groups
from reducer.triage.comparing import CompilerUsage
from reducer.triage.inputs import InputFile, UnreadableFile
from reducer.triage.reproducers import reproducers
from reducer.triage.states import BugState
from reducer.triage.store import StoredResult
from reducer.triage.summary import Bug, Cell, Summary
from tests.support.triages import Records, failure


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
        splitting_cost=CompilerUsage(2, 3.0),
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
        "1 reduction call (2 of them, 3.0 s, to split buckets); interrupted, run it again to "
        "continue",
    ]


@pytest.mark.parametrize(
    ("wanted", "quiet", "said"),
    [
        (True, False, "compile: 2 to do\ncompile: 1 of 2 a.mlir\nmind this\n"),
        (None, False, "mind this\n"),  # unasked, a line comes once in a minute
        (False, False, "mind this\n"),
        (True, True, ""),
    ],
)
def test_progress_in_a_log(
    wanted: bool | None, quiet: bool, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    watcher = make_watcher(wanted=wanted, quiet=quiet)
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
    watcher = make_watcher(wanted=None, quiet=False)
    watcher.step("before any phase")
    watcher.phase("compile", 2)
    watcher.note("a\x1b.mlir")
    watcher.step()
    watcher.message("mind this")
    watcher.close()
    assert "compile:" in screen.getvalue() and "a\\x1b.mlir" in screen.getvalue()
    assert "mind this\n" in screen.getvalue()
