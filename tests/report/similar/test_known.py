"""Exports, Markdown files, reports and databases, read from files and folders."""

import json
from pathlib import Path

import pytest

from oracles import Kind, Signature
from reducer.errors import UsageError
from reducer.report.similar import read_known
from reducer.triage import Database

SIGNATURE = Signature(Kind.OTHER_ERROR, "failed to do it", "a.b")


def export(path: Path) -> None:
    issues = [
        {"number": 7, "title": "a.b fails", "body": None, "url": "https://x/7", "state": "OPEN"},
        {"number": 8, "title": "c", "body": "d.e", "url": "", "comments": [{"body": "f.g"}]},
    ]
    path.write_text(json.dumps(issues))


def report(folder: Path) -> None:
    folder.mkdir()
    data = {"schema": "mlir-reducer-report/1", "signature_fields": SIGNATURE.to_json(), "pass": "x"}
    (folder / "metadata.json").write_text(json.dumps(data))
    (folder / "report.md").write_text("# a report\n")
    (folder / "repro.mlir").write_text('%0 = "h.i"() : () -> i1\n')


def test_an_export_of_gh(tmp_path: Path) -> None:
    export(tmp_path / "issues.json")
    first, second = read_known(tmp_path / "issues.json")
    assert (first.number, first.name, first.url, first.state) == (7, "#7", "https://x/7", "OPEN")
    assert second.evidence.ops == {"d.e", "f.g"}


def test_a_folder_of_everything(tmp_path: Path) -> None:
    export(tmp_path / "issues.json")
    report(tmp_path / "x.report")
    (tmp_path / "note.md").write_text("# Crash in CSE\n\nof j.k\n")
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "broken.json").write_text("{")
    with Database.open(tmp_path / "t.sqlite") as database:
        database.write("INSERT INTO runs (run, started, version) VALUES (1, 0, '')")
        database.write(
            "INSERT INTO buckets (bucket, kind, signature, text, run) VALUES (?, ?, ?, ?, 1)",
            SIGNATURE.bucket, "other-error", json.dumps(SIGNATURE.to_json()), SIGNATURE.text,
        )  # fmt: skip
    known = read_known(tmp_path)
    titles = [one.title for one in known]
    assert titles == [
        "a.b fails",
        "c",
        "Crash in CSE",
        f"bucket {SIGNATURE.bucket}: {SIGNATURE.text}",
        SIGNATURE.text,
    ]
    assert known[-1].evidence.ops == {"a.b", "h.i"}
    assert known[-1].evidence.bucket == known[-2].evidence.bucket == SIGNATURE.bucket


@pytest.mark.parametrize(
    "text", ["{", "[]", "3", '[{"number": 1}]', '{"schema": "mlir-reducer-report/1"}']
)
def test_a_file_that_is_none_of_these(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(UsageError):
        read_known(tmp_path / "x.json")


def test_a_folder_without_any(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gh issue list"):
        read_known(tmp_path)
    with pytest.raises(UsageError, match="no such"):
        read_known(tmp_path / "none")
