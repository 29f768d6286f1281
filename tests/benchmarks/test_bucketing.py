"""Signatures tell recorded bugs apart, and hold the texts of one bug together."""

import pytest
from click.testing import CliRunner

from benchmarks.bucketing import main, score, score_at
from oracles.derive import Level
from tests.support.recorded import RECORDED, Recording, manifest, recordings


def test_normal_buckets_of_the_recorded_texts() -> None:
    result = score_at(Level.NORMAL, recordings())
    assert result.precision == 1.0, [(one.file, other.file) for one, other in result.mixed]
    assert result.recall >= 0.95, [(one.file, other.file) for one, other in result.split]


def test_levels_are_ordered() -> None:
    texts = recordings()
    strict, normal, loose = (score_at(level, texts) for level in Level)
    assert strict.precision == 1.0
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


def test_the_script_prints_a_table() -> None:
    printed = CliRunner().invoke(main).output
    assert "| normal |" in printed
