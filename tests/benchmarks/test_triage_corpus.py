from typing import Any

from benchmarks.triage_corpus import score_of, table, truth
from tests.support.corpus import case_names


def report(*failures: tuple[str, str, str]) -> dict[str, Any]:
    """Bugs as triage tells of them, from bucket, case and wheel."""
    bugs: dict[str, dict[str, Any]] = {}
    for bucket, case, wheel in failures:
        bug = bugs.setdefault(
            bucket,
            {"bucket": bucket, "signature": "s", "merged": [], "reproducer": None, "failures": []},
        )
        bug["failures"].append({"input": f"{case}.mlir", "configuration": f"{wheel} --flag"})
    return {"bugs": list(bugs.values())}


def test_one_bucket_for_each_bug_is_exact() -> None:
    score = score_of(
        report(
            ("a", "cat-zero-width", "3.13.0"),
            ("a", "cat-zero-width", "3.8.0"),
            ("b", "matmul-i4-dyn-maskedload", "3.13.0"),
            ("c", "matmul-i4-dyn-maskedload", "3.8.0"),
        )
    )
    assert score.exact() == {"cat-zero-width", "i4-maskedload", "i4-hang"}
    assert score.pairs() == (1.0, 1.0)
    assert "3 bugs, 3 buckets; 3 bugs have" in table(score)


def test_two_bugs_in_a_bucket_and_two_buckets_of_a_bug_are_not() -> None:
    score = score_of(
        report(
            ("a", "torch-fft-constant-int", "3.13.0"),
            ("a", "plant_unsorted61", "3.13.0"),
            ("b", "cat-zero-width", "3.13.0"),
            ("c", "cat-zero-width", "3.8.0"),
        )
    )
    assert score.exact() == set()
    assert score.pairs() == (0.0, 0.0)


def test_the_truth_is_about_cases_that_there_are() -> None:
    names = {name.partition("--")[0] for name, _ in truth()}
    assert names <= set(case_names())
