"""What the measurement of wrong results reads and prints."""

from benchmarks.healthy_programs import healthy_programs
from benchmarks.measure import Row
from benchmarks.wrong_results import Result, _flags, table, wrong_cases

PROGRAM = """\
// iree-compile --iree-hal-target-backends=vmvx repro.mlir -o a.vmfb
// iree-run-module --device=local-task --module=a.vmfb --function=main \
'--input=2x3xf32=1 2 3 4 5 6' --input=7 '--expected_output=2xf32=nan 0'
func.func @main()
"""


def test_the_call_is_read_from_the_program() -> None:
    assert _flags(PROGRAM) == {
        "function": ["main"],
        "input": ["2x3xf32=1 2 3 4 5 6", "7"],
        "expected_output": ["2xf32=nan 0"],
    }


def test_what_is_right_is_read_from_the_report() -> None:
    told = "result[0]: 2xf16=-1.5~0.01 nan\nresult[1]: i32=3\n"
    assert _flags(PROGRAM + told)["expected_output"] == ["2xf16=-1.5 nan", "i32=3"]


def test_summary_counts_what_was_verified() -> None:
    small = Row("a", "1", 0, "reduced", verified=True, ops=4, expert_ops=5)
    large = Row("b", "1", 0, "reduced", verified=True, ops=6, expert_ops=5)
    none = Row("c", "1", 0, "failed", message="nothing to reduce")
    text = table([Result(small, 0, "x", "3.4.0 vmvx"), Result(large, 1), Result(none)])
    assert text.splitlines()[-1] == (
        "2 of 3 reduced; 1 of them to no more ops than the expert's; "
        "repro.sh ended with 0 for 1; somebody else computes what is right for 1."
    )


def test_cases_and_healthy_programs() -> None:
    assert {"mis-stable-sort", "run-overlapping-update"} <= {c.name for c, _ in wrong_cases()}
    programs = list(healthy_programs())
    assert len({program.name for program in programs}) == len(programs) >= 60
