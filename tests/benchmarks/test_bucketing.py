"""Signatures tell recorded bugs apart, and hold the texts of one bug together."""

import pytest

from benchmarks.bucketing import score, score_at
from oracles.signature.derive import Level
from tests.support.recorded import RECORDED, Recording, manifest, recordings


def test_recorded_texts_are_in_the_right_buckets() -> None:
    texts = recordings()
    strict, normal, loose = (score_at(level, texts) for level in Level)
    assert strict.precision == 1.0
    assert normal.precision == 1.0, [(one.file, other.file) for one, other in normal.mixed]
    assert normal.recall >= 0.95, [(one.file, other.file) for one, other in normal.split]
    assert strict.recall < normal.recall <= loose.recall


@pytest.mark.parametrize(("finer", "coarser"), [("strict", "normal"), ("normal", "loose")])
def test_one_bucket_of_a_finer_level_lies_in_one_of_a_coarser(finer: str, coarser: str) -> None:
    above: dict[str, str] = {}
    for text in recordings():
        bucket = text.signature(Level(coarser)).bucket
        assert above.setdefault(text.signature(Level(finer)).bucket, bucket) == bucket, text.file


def test_the_manifest_lists_every_text() -> None:
    listed = {line["file"] for line in manifest()}
    probes = (".verify.txt", ".parse.txt", ".pass.txt")
    found = {str(path.relative_to(RECORDED)) for path in RECORDED.glob("*/*.txt")}
    assert {file for file in found if not file.endswith(probes)} == listed
    assert len(listed) >= 60


def test_score_counts_pairs() -> None:
    def text(file: str, group: str, **more: str) -> Recording:
        return Recording(file, group, "", "", "", 1, **more)

    texts = [text("1", "a"), text("2", "a"), text("3", "a"), text("4", "b")]
    buckets = {"1": "x", "2": "x", "3": "y", "4": "y"}
    result = score(texts, lambda each: buckets[each.file])
    assert (result.right, len(result.mixed), len(result.split)) == (1, 1, 2)
    assert (result.precision, result.recall) == (1 / 2, 1 / 3)
    twins = [text("1", "a"), text("2", "b", same_text_as="a")]
    assert score(twins, lambda each: "x").alike == 1
    asked = [text("1", "a"), text("2", "a", asked="the pass")]
    assert score(asked, lambda each: each.file).asked == 1
