import xml.etree.ElementTree as ET
from pathlib import Path, PurePath

import pytest

from oracles import Kind
from reducer.triage.buckets import all_groups
from reducer.triage.inputs import InputFile, UnreadableFile
from reducer.triage.junit import junit_xml
from reducer.triage.states import BugState
from reducer.triage.store import StoredResult
from reducer.triage.summary import Bug, Cell, Summary
from tests.support.triages import Records, failure

NASTY = "a<b>&\"'\x00\x1b\n]]>.mlir"


def summary(folder: Path, state: BugState) -> Summary:
    records = Records(folder)
    bug = failure('bad <type> & "x" \x01')
    records.result("a", "3.13.0", bug)
    (group,) = all_groups(records.database)
    cells = [
        Cell(NASTY, "3.13.0 --x", StoredResult("a", 1, Kind.VERIFIER, bug.bucket, 1.5, 1)),
        Cell("good.mlir", "3.13.0 --x", StoredResult("b", 1, Kind.SUCCESS, None, 0.5, 1)),
        Cell("new-syntax.mlir", "3.8.0", StoredResult("c", 2, Kind.INVALID_INPUT, None, 0.1, 1)),
        Cell("gone.mlir", "3.8.0", None, "it has changed"),
    ]
    return Summary(
        1,
        cells,
        [Bug(group, state, None, tuple(cells[:1]), None)],
        [UnreadableFile(InputFile(Path("x"), PurePath("x")), "empty")],
        {"3.3.0 --y": "unknown flag"},
    )


def test_one_test_case_for_each_input_in_each_configuration(tmp_path: Path) -> None:
    root = ET.fromstring(junit_xml(summary(tmp_path, BugState.NEW)))
    first, second, others = root.findall("testsuite")
    counts = [
        {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
        for suite in (first, second, others)
    ]
    assert counts == [
        {"tests": "2", "failures": "1", "errors": "0", "skipped": "0"},
        {"tests": "2", "failures": "0", "errors": "1", "skipped": "1"},
        {"tests": "2", "failures": "0", "errors": "2", "skipped": "0"},
    ]
    assert first.get("time") == "2.000"
    assert [case.get("name") for case in first][1] == "good.mlir"


def test_everything_survives_escaping(tmp_path: Path) -> None:
    root = ET.fromstring(junit_xml(summary(tmp_path, BugState.NEW)))
    case = root[0][0]
    assert case.get("name") == NASTY.replace("\x00", "\\x00").replace("\x1b", "\\x1b")
    (found,) = case
    assert found.tag == "failure"
    assert 'bad <type> & "x" \\x01' in (found.get("message") or "")


@pytest.mark.parametrize(
    ("state", "tag"), [(BugState.KNOWN, "skipped"), (BugState.REOPENED, "failure")]
)
def test_a_known_bug_is_skipped_like_an_expected_failure(
    tmp_path: Path, state: BugState, tag: str
) -> None:
    (found,) = ET.fromstring(junit_xml(summary(tmp_path, state)))[0][0]
    assert found.tag == tag
    assert str(state) in (found.get("message") or "")
