"""Which bug reports a triage has yet to write."""

import json
import threading
from pathlib import Path
from unittest.mock import Mock

import pytest

from reducer.report import METADATA
from reducer.report.bucket_files import BucketReports, lists_verdicts, report_folder
from reducer.report.facts import Version
from reducer.storage.result_folder import archive_of
from reducer.triage import RunMatrix
from reducer.triage.extent import Extent, ReleaseState, ReleaseVerdict
from reducer.triage.reproducers import OUTPUT, reproducers
from tests.support.triages import CAPS, Records, failure, release


def test_a_report_is_out_of_date_once_another_release_was_run(tmp_path: Path) -> None:
    """It would be filed without saying that the bug is fixed."""
    bad, fixed = Version("3.11.0", "bad", "a message"), Version("3.13.0", "good")

    def told(*versions: Version) -> None:
        rows = [{"version": one.version, "verdict": one.verdict} for one in versions]
        (tmp_path / METADATA).write_text(json.dumps({"versions": rows or None}))

    told()
    assert lists_verdicts(tmp_path, ())
    assert not lists_verdicts(tmp_path, (bad, fixed))
    told(bad, fixed)
    assert lists_verdicts(tmp_path, (bad, fixed))
    assert lists_verdicts(tmp_path, (fixed,)), "a run of fewer releases knows less"
    assert not lists_verdicts(tmp_path, (bad, Version("3.13.0", "bad")))


class Bench:
    """A bucket with a reproducer, and what would be written about it; nothing is."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        records = Records(folder)
        records.result("a.mlir", "3.8.0", failure())
        records.reproducer("b1", "a.mlir", "3.8.0", "module {}\n")
        self.database = records.database
        self.known = reproducers(self.database)["b1"]
        self.folder = report_folder(self.database.path, self.known)
        self.folder.mkdir(parents=True)
        monkeypatch.setattr(BucketReports, "_make", lambda *_: None)

    def reported(self, text: str, **verdicts: str) -> None:
        """There is a report about this program, with these verdicts of releases."""
        rows = [{"version": name, "verdict": verdict} for name, verdict in verdicts.items()]
        (self.folder / METADATA).write_text(json.dumps({"versions": rows or None}))
        (self.folder / OUTPUT).write_text(f"// iree-compile\n{text}")
        archive_of(self.folder).touch()

    def is_missing(self, compiler: str = "3.8.0", **verdicts: str) -> bool:
        """Whether a triage with this compiler writes a report, if releases do this."""
        found = tuple(
            ReleaseState(name, ReleaseVerdict(verdict)) for name, verdict in verdicts.items()
        )
        bug = Mock(reproducer=self.known, extent=Extent(found))
        matrix = RunMatrix((release(compiler),), (), (), "/")
        reports = BucketReports(self.database, matrix, CAPS, (), threading.Event())
        said: list[str] = []
        reports.write([bug], 1, said.append)
        assert said in ([], ["writing 1 bug report …"])
        return bool(said)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


def test_a_report_is_written_once(bench: Bench) -> None:
    assert bench.is_missing()
    bench.reported("module {}\n")
    assert not bench.is_missing()
    bench.reported("module { func.func private @f() }\n")
    assert bench.is_missing(), "it is about a larger program, of an earlier run"


def test_and_again_if_it_lacks_a_release_and_the_compiler_is_there(bench: Bench) -> None:
    bench.reported("module {}\n")
    both = {"3.8.0": "bad", "3.13.0": "good"}
    assert bench.is_missing(**both)
    assert not bench.is_missing("3.11.0", **both), "it can only be written with the compiler"
    bench.reported("module {}\n", **both)
    assert not bench.is_missing(**both)


def test_what_cannot_be_reported_is_tried_once_for_each_program(bench: Bench) -> None:
    told = bench.folder.with_name("no-report.json")
    told.write_text(json.dumps({"of": bench.known.digest, "reason": "a full disk"}))
    assert not bench.is_missing()
    told.write_text(json.dumps({"of": "another program"}))
    assert bench.is_missing()
