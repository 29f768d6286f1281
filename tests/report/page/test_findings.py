import json
from dataclasses import asdict

from reducer.report.facts import Version
from reducer.report.page.elsewhere import elsewhere_of
from reducer.report.page.findings import Findings, findings_of, needs_of
from tests.support.histories import FINDINGS, HEALTH


def test_what_makes_the_failure_go_away_comes_first() -> None:
    assert FINDINGS.boundary is not None
    told = [
        ("".join(text for _, text in row.sentence), row.tone) for row in needs_of(FINDINGS.boundary)
    ]
    assert told == [
        ("Compiles when it is deleted", "good"),
        ("Compiles with 2 in place of ?; still fails with 4, 8", "good"),
        ("Fails in another way with f16 in place of f32: no `f16` here", "open"),
        ("No change to it gives a valid program", "open"),
        ("Still fails when it is dropped", "bad"),
    ]


def test_the_metadata_of_a_report_is_read_back() -> None:
    assert FINDINGS.boundary is not None
    metadata = {
        "boundary": [{**asdict(one), "verdict": str(one.verdict)} for one in FINDINGS.boundary],
        "versions": [asdict(one) for one in FINDINGS.releases],
    }
    assert findings_of(json.loads(json.dumps(metadata))) == FINDINGS
    assert findings_of({"boundary": None, "versions": None}) == Findings()
    assert findings_of([]) == Findings()


def test_releases_are_sorted_and_what_was_run_later_decides() -> None:
    found = elsewhere_of(HEALTH, FINDINGS.releases)
    assert found is not None
    assert [(one.name, one.verdict) for one in found.releases] == [
        ("3.13.0", "fails"),
        ("3.12.0", "fails"),
        ("3.11.0", "fails"),
        ("3.9.0", "fails in another way"),
        ("3.8.0", "compiles"),
    ]
    assert found.releases[-1].note == "a larger program fails"
    assert found.releases[-2].note == "failed to undo"


def test_the_target_of_the_command_comes_first() -> None:
    found = elsewhere_of(HEALTH, ())
    assert found is not None
    assert [(one.name, one.sign, one.own) for one in found.targets] == [
        ("hip", "✗", True),
        ("llvm-cpu", "✓", False),
        ("vulkan", "≈", False),
    ]
    assert found.doubt and found.sentence


def test_a_release_that_says_just_the_failure_of_the_result_needs_no_note() -> None:
    rows = [Version("3.8.0", "bad", "crash: f"), Version("3.9.0", "bad", "crash: g")]
    found = elsewhere_of(None, rows, "crash: f")
    assert found is not None
    assert [one.note for one in found.releases] == ["crash: g", ""]


def test_nobody_asked() -> None:
    assert elsewhere_of(None, ()) is None
