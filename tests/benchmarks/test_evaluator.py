"""The tables of the evaluator's measurement."""

from benchmarks.evaluator import Row, State, agreement, corpus, coverage

ROWS = [
    Row("ours", "a", State.RIGHT, State.RIGHT, "", {"arith.addf": 2}, 0.1, 0.2),
    Row("ours", "b", State.RIGHT, State.UNSUPPORTED, "", {"odd.op": 1, "arith.addf": 1}, 0.1, 0.4),
    Row("ours", "c", State.WRONG, State.RIGHT, "", {"odd.op": 3}, 0.1, 0.3),
    Row("ours", "d", State.NOT_COMPILED),
]


def test_agreement_is_a_share_of_what_the_compiler_gets_right() -> None:
    cells = [cell.strip() for cell in agreement(ROWS).splitlines()[2].split("|")][1:-1]
    assert cells == ["ours: 4", "3", "2", "1 (50.0 %)", "1", "1", "0.10", "0.30", "0.4"]


def test_coverage_names_the_ops_that_are_not_known() -> None:
    lines = coverage(ROWS).splitlines()[2:]
    assert lines == ["| arith | 1 | 1 |  |", "| odd | 1 | 0 | op (2) |"]


def test_cases_with_known_results_take_part() -> None:
    programs = {program.name: program for program in corpus()}
    one = programs["mis-remf-vmvx"]
    assert one.function == "f"
    assert one.inputs == ("4xf32=2,5,-2,7", "4xf32=3,3,3,4")
    assert [value.words for value in one.expected] == [["2", "2", "-2", "3"]]
