import json
from dataclasses import asdict, replace

from reducer.driver.records.figures import PassRecord
from reducer.driver.settings import Size
from reducer.locate.blame import Blame, Certainty
from reducer.locate.blamed import BlamedRewrite
from reducer.report.facts import Version
from reducer.report.issue_body import report_text
from reducer.report.page import reduction_page
from reducer.report.page.elsewhere import elsewhere_of
from reducer.report.page.findings import Findings, findings_of, needs_of
from tests.report.facts import facts as report_facts
from tests.support.histories import FINDINGS, HEALTH, facts


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


def test_what_is_blamed_is_said_as_locate_and_the_reduction_say_it() -> None:
    phase = Blame("phase", "flow", Certainty.SHOWN)
    told = [phase, Blame("pass", "cse", Certainty.LAST_SEEN), Blame("rewrite", how="none seen")]
    level = PassRecord(pass_name="a<b", found_by="cse", level="l", output=Size(1, 1, 1))
    rewrite = BlamedRewrite("P", number=3, applications=30, runs=9)
    found = findings_of(
        {
            "locate": {"blames": [*(one.to_json() for one in told), {"kind": 1}]},
            "reduction": {"pass_level": replace(level, rewrite=rewrite).to_json()},
        }
    )
    assert found.blames == (phase, level.blame, rewrite.blame)
    growth = Blame("growth", "n^2", Certainty.SHOWN)  # it is drawn
    page = reduction_page(facts(findings=replace(found, blames=(*found.blames, growth))))
    assert "n^2" not in page
    assert "<li>Pass: a&lt;b; it breaks the IR; cse fails on that, and not without it</li>" in page
    assert "<li>Rewrite: <code>P</code> (application 3 of 30) (last seen), found in 9" in page
    text, _ = report_text(report_facts(blames=found.blames, rewrite=rewrite), verified=True)
    assert "| Pass | `a<b`; it breaks the IR; cse fails on that, and not without it |" in text
    assert text.count("`flow`") == text.count("`P` ") == 1
