"""Since when a bug occurs, and on what."""

from pathlib import Path

import pytest

from oracles import Kind, Signature
from oracles.signature.diagnostics import Diagnostic
from oracles.signature.outcome import PIPELINE
from reducer.triage.buckets import all_groups
from reducer.triage.extent import Extent, extent_of
from reducer.triage.reproducers import reproducers
from tests.support.triages import SUCCESS, Records, failure

BUG, OTHER, REJECTED = failure(), failure("other"), failure("what?", Kind.INVALID_INPUT)


def extent(records: Records) -> Extent:
    """The extent of the bug that `BUG` shows."""
    known = reproducers(records.database)
    (group,) = [one for one in all_groups(records.database) if one.root.bucket == BUG.bucket]
    return extent_of(records.database, group, known.get(group.root.bucket))


@pytest.mark.parametrize(
    ("endings", "since"),
    [
        ((BUG, BUG), "3.3.0 or earlier"),
        ((SUCCESS, BUG), "a release after 3.3.0, up to 3.8.0"),
        ((BUG, SUCCESS, SUCCESS), "3.3.0 or earlier"),
        ((SUCCESS, OTHER, BUG), "a release after 3.3.0, up to 3.13.0"),
        ((SUCCESS, REJECTED, BUG), "a release after 3.3.0, up to 3.13.0"),
        ((OTHER, BUG), "3.8.0 or earlier"),
        ((BUG, SUCCESS, BUG), "3.3.0 or earlier"),
    ],
)
def test_since_when(tmp_path: Path, endings: tuple[object, ...], since: str) -> None:
    records = Records(tmp_path)
    for version, ending in zip(("3.3.0", "3.8.0", "3.13.0"), endings, strict=False):
        records.result("a", version, ending)  # type: ignore[arg-type]
    assert extent(records).since == since


def test_each_release_says_what_it_does_oldest_first(tmp_path: Path) -> None:
    records = Records(tmp_path)
    for version, ending in (("3.13.0", BUG), ("3.3.0", SUCCESS), ("3.8.0", OTHER)):
        records.result("a", version, ending)
    found = extent(records).releases
    assert [(one.version, str(one.verdict), one.failure) for one in found] == [
        ("3.3.0", "good", ""),
        ("3.8.0", "another failure", OTHER.text),
        ("3.13.0", "bad", BUG.text),
    ]


@pytest.mark.parametrize(
    ("was_run", "of_input", "since"),
    [
        (True, OTHER, "a release after 3.8.0, up to 3.13.0"),
        (False, BUG, "3.8.0 or earlier"),  # a triage may be stopped before it is compared
    ],
)
def test_the_reproducer_decides_if_there_is_one(
    tmp_path: Path, was_run: bool, of_input: Signature, since: str
) -> None:
    records = Records(tmp_path)
    records.result("a", "3.13.0", BUG)
    records.result("a", "3.8.0", of_input)
    digest = records.reproducer(BUG.bucket, "a", "3.13.0", "small")
    if was_run:
        records.result(digest, "3.13.0", BUG, file=False)
        records.result(digest, "3.8.0", SUCCESS, file=False)
    assert extent(records).since == since


@pytest.mark.parametrize(
    ("of_input", "verdict"),
    [(BUG, "bad"), (SUCCESS, "another failure"), (OTHER, "another failure")],
)
def test_the_inputs_decide_where_the_reproducer_shows_another_failure(
    tmp_path: Path, of_input: Signature, verdict: str
) -> None:
    """The bug may be behind that, and one of the inputs may show it."""
    records = Records(tmp_path)
    records.result("a", "3.8.0", BUG)
    records.result("b", "3.8.0", BUG)
    records.result("a", "3.13.0", OTHER)
    records.result("b", "3.13.0", of_input)
    digest = records.reproducer(BUG.bucket, "a", "3.8.0", "small")
    records.result(digest, "3.8.0", BUG, file=False)
    records.result(digest, "3.13.0", OTHER, file=False)
    assert [str(one.verdict) for one in extent(records).releases] == ["bad", verdict]


def test_all_inputs_must_compile_for_a_release_to_be_without_the_bug(tmp_path: Path) -> None:
    records = Records(tmp_path)
    for name in ("a", "b"):
        records.result(name, "3.13.0", BUG)
    records.result("a", "3.8.0", SUCCESS)
    assert extent(records).since == "3.13.0 or earlier"
    records.result("b", "3.8.0", SUCCESS)
    assert extent(records).since == "a release after 3.8.0, up to 3.13.0"


def test_the_bug_may_be_one_of_several_failures(tmp_path: Path) -> None:
    records = Records(tmp_path)
    texts = "'x.more' op is bad", "failed to translate executables", "'x.bad' op is bad"
    errors = tuple(Diagnostic("", 1, 1, "error", text) for text in texts)
    bug = failure(texts[2], op="x.bad", stage=PIPELINE)
    records.result("a", "3.13.0", bug)
    other = failure(texts[0], op="x.more", stage=PIPELINE)
    records.result("a", "3.8.0", other, diagnostics=errors)
    (group,) = [one for one in all_groups(records.database) if one.root.bucket == bug.bucket]
    found = extent_of(records.database, group, None).releases
    assert [(str(one.verdict), one.failure) for one in found] == [("bad", bug.text)] * 2


def test_targets_are_those_of_the_failing_flags(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.result("a", "3.13.0", BUG, "--iree-hal-target-device=hip")
    records.result("b", "3.13.0", BUG, "--iree-hal-target-backends=llvm-cpu")
    records.result("c", "3.13.0", SUCCESS, "--iree-hal-target-device=vulkan")
    assert extent(records).targets == ("hip", "llvm-cpu")
