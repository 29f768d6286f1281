import tomllib
from typing import Any

from benchmarks.onnx_operators import TRUTH, score_of, truth, wrong_pairs


def report(**buckets: list[str]) -> dict[str, Any]:
    """Bugs as triage tells of them: tests by bucket."""
    return {
        "bugs": [
            {"bucket": name, "failures": [{"input": f"{test}/model.mlir"} for test in tests]}
            for name, tests in buckets.items()
        ]
    }


def test_a_test_has_one_bug() -> None:
    bugs = tomllib.loads(TRUTH.read_text(encoding="utf-8"))
    assert len(truth()) == sum(map(len, bugs.values())) == 151


def test_pairs_that_are_wrong_are_listed() -> None:
    score = score_of(
        report(
            a=["test_col2im", "test_col2im_pads", "test_unique_sorted_without_axis"],
            b=["test_col2im_strides", "test_new_one"],
        )
    )
    assert score.pairs() == (1 / 3, 1 / 3)
    assert list(wrong_pairs(score)) == [
        "col2im and unique-dim in a: 2 pairs",
        "col2im in a and b: 2 pairs",
    ]
