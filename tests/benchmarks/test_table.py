"""The benchmark's table says what was measured, and what was not."""

from pathlib import Path

from benchmarks.measure import Row, load, save
from benchmarks.reduce_corpus import table

REDUCED = Row(
    case="a", wheel="3.13.0", layers=200, status="reduced", same_failure=True,
    input_ops=900, ops=3, expert_ops=4, characters=100, expert_characters=120, calls=17,
    full_run_equivalents=1.234, whole_seconds=23.0, elsewhere_seconds=3.0,
)  # fmt: skip
SKIPPED = Row(case="b", wheel="3.5.0", layers=0, status="skipped: why")


def test_results_stand_beside_the_experts() -> None:
    row = table([REDUCED]).splitlines()[2]
    assert row == (
        "| a | 3.13.0 | yes | 900 | 3 | 4 | 100 | 120 | - | no | 17 | 1.23 | - | - | 23.0 | 3.0 |"
    )


def test_every_row_has_every_column() -> None:
    header, rule, *rows = table([REDUCED, SKIPPED]).splitlines()[:4]
    assert {line.count("|") for line in (header, rule, *rows)} == {17}
    assert "skipped: why" in rows[1]


def test_summary_counts_only_what_was_measured() -> None:
    larger = Row(case="c", wheel="3.13.0", layers=0, status="reduced", ops=5, expert_ops=4)
    assert table([REDUCED, SKIPPED, larger]).splitlines()[-2:] == [
        "2 reduced, 1 of them to the same failure; 1 of 2 with no more ops than the expert's.",
        "23 s of CPU time, 3 s of them to ask elsewhere: 15 % more than without.",
    ]


def test_a_row_is_kept(tmp_path: Path) -> None:
    assert load(tmp_path) is None
    save(REDUCED, tmp_path)
    assert load(tmp_path) == REDUCED
