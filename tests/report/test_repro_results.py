"""`repro.sh` for compiled programs at fault, run by real shells with a scripted runtime."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from oracles.evidence import RunCheck
from reducer.miscompile.evidence import run_check
from reducer.miscompile.oracle import Demonstration
from reducer.miscompile.oracle.execution import ExecutionResult, RunFailure
from reducer.miscompile.values.programs import Value, ValueType, read_results
from reducer.report.facts import ReproCheck
from reducer.report.repro_script import repro_script, run_files
from tests.report.test_repro_script import SHELLS, in_shells

COMPILE = ReproCheck(("iree-compile", "--x=y z", "repro.mlir", "-o", "a.vmfb"))


def printed(*values: str) -> str:
    """Results as the runtime's tool prints them: `f32=1` is a scalar, `2xf32=1 2` a tensor."""
    lines = ["EXEC @f"]
    for number, value in enumerate(values):
        scalar = "x" not in value.partition("=")[0]
        lines.append(
            f"result[{number}]: {value}" if scalar else f"result[{number}]: hal.buffer_view"
        )
        lines += [] if scalar else [value]
    return "\n".join(lines) + "\n"


def results(*values: str) -> ExecutionResult:
    return ExecutionResult(tuple(read_results(printed(*values))))


def check(actual: ExecutionResult, expected: ExecutionResult, **changes: object) -> RunCheck:
    shown = Demonstration("f", ("2xi32=1 2", "7"), "local-task", (), actual, expected)
    return run_check(replace(shown, **changes), "files", 1.0)  # type: ignore[arg-type]


def run(
    folder: Path,
    run: RunCheck,
    program: str,
    shell: str = "sh",
    compiler: str = 'cp "$2" "$4"',
    **more: str,
) -> "subprocess.CompletedProcess[str]":
    """Run the script in a folder with only the report; `program` is the runtime's script."""
    place, tools = folder / "a report", folder / "tools"
    for one in (place, tools):
        one.mkdir(exist_ok=True)
    (place / "repro.mlir").write_text("func.func @f()\n")
    for name, text in run_files(run).items():
        (place / "files").mkdir(exist_ok=True)
        (place / "files" / name).write_text(text)
    (place / "repro.sh").write_text(repro_script(replace(COMPILE, run=run), "miscompile"))
    for name, body in (("iree-compile", compiler), ("iree-run-module", program)):
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)
    return subprocess.run(
        [shell, str(place / "repro.sh")],
        env={"PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": str(folder), **more},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )


def printing(*values: str) -> str:
    return f"cat <<'END'\n{printed(*values)}END"


@pytest.mark.parametrize(
    ("shell", "wrong", "right", "now", "status"),
    in_shells(
        (["2xf32=1 2"], ["2xf32=1 3"], ["2xf32=1 2"], 0),
        (["2xf32=1 2"], ["2xf32=1 3"], ["2xf32=1 3.001"], 1),
        (["2xf32=1 2"], ["2xf32=1 3"], ["2xf32=1 3.01"], 0),
        (["2xf32=1 2"], ["2xf32=1 3"], ["2xf32=1 NAN"], 2),
        (["2xf32=1 2"], ["2xf32=1 3"], ["3xf32=1 2 3"], 2),
        (["2xf32=1 2"], ["2xf32=1 3"], ["2xf32=1 3", "2xf32=1 3"], 2),
        (["2xf32=NAN 3"], ["2xf32=1 3"], ["2xf32=-NAN 3"], 0),
        (["2xf32=NAN INF"], ["2xf32=-inf nan"], ["2xf32=-INF -NAN"], 1),
        (["1x2xf32=[1 2]"], ["1x2xf32=1E+06 2E+06"], ["1x2xf32=[1E+06 2e+06]"], 1),
        (["2xf32=1 2"], ["2xf32=1000 0"], ["2xf32=1000 0.009"], 1),  # cancellation
        (["2xbf16=1 2"], ["2xbf16=1 3"], ["2xbf16=1 3.1"], 1),
        (["2xi1=01 00"], ["2xi1=00 01"], ["2xi1=00 01"], 1),
        (["2xi1=01 00"], ["2xi1=00 01"], ["2xi1=00 00"], 0),
        (["1xi64=1"], ["1xi64=9007199254740993"], ["1xi64=9007199254740992"], 0),
        (["1xi64=1"], ["1xi64=9007199254740993"], ["1xi64=9007199254740993"], 1),
        (["i32=1", "f32=2"], ["i32=1", "f32=3"], ["i32=1", "f32=2"], 0),
        (["i32=1", "f32=2"], ["i32=1", "f32=3"], ["i32=1", "f32=3"], 1),
        (["0xf32=", "i32=1"], ["0xf32=", "i32=2"], ["0xf32=", "i32=1"], 0),
        (["2x2xf32=[1 2][3 4]"], ["2x2xf32=[1 2][3 5]"], ["2x2xf32=[1 2][...]"], 2),
        every=4,
    ),
)
def test_printed_results_are_compared_as_during_the_reduction(
    shell: str, wrong: list[str], right: list[str], now: list[str], status: int, tmp_path: Path
) -> None:
    given = check(results(*wrong), results(*right))
    done = run(tmp_path, given, printing(*now), shell)
    assert done.returncode == status, done.stdout + done.stderr
    assert not done.stderr
    assert not list(tmp_path.glob("repro.*")), "its folder is gone"


def test_what_is_undefined_may_be_anything(tmp_path: Path) -> None:
    type_ = ValueType("i32", (3,))
    expected = ExecutionResult((Value(type_, (1, 2, 3), (True, False, True)),))
    given = check(results("3xi32=1 2 4"), expected)
    assert run(tmp_path, given, printing("3xi32=1 9 3")).returncode == 1
    assert run(tmp_path, given, printing("3xi32=1 2 4")).returncode == 0


@pytest.mark.parametrize(
    ("now", "status"),
    [
        ("3xf32=0 0 1", 0),
        ("3xf32=-0 0 1", 1),
        ("3xf32=-0 -0 1", 1),
        ("3xf32=-0 0 2", 2),
        ("3xf32=3 0 1", 2),
    ],
)
def test_the_sign_of_a_zero(now: str, status: int, tmp_path: Path) -> None:
    """Of the first two elements, only the sign of the first is known."""
    signed = (True, False, True)
    expected = ExecutionResult((Value(ValueType("f32", (3,)), (-0.0, -0.0, 1), signed=signed),))
    given = check(results("3xf32=0 0 1"), expected, signs=True)
    assert run(tmp_path, given, printing(now)).returncode == status


def test_what_rounding_may_do_is_not_wrong(tmp_path: Path) -> None:
    type_ = ValueType("f32", (3,))
    expected = ExecutionResult((Value(type_, (1, 2, 3), slack=(0.0, 1.0, 0.0)),))
    given = check(results("3xf32=1 2 5"), expected)
    assert run(tmp_path, given, printing("3xf32=1 2.9 3")).returncode == 1
    assert run(tmp_path, given, printing("3xf32=1 3.1 3")).returncode == 0
    assert run(tmp_path, given, printing("3xf32=1.9 2 3")).returncode == 0


def test_only_exact_numbers_are_compared_strictly(tmp_path: Path) -> None:
    type_ = ValueType("bf16", (2,))
    expected = ExecutionResult((Value(type_, (50, 100), exact=(True, False)),))
    given = check(results("2xbf16=51 100"), expected)
    assert run(tmp_path, given, printing("2xbf16=51 100")).returncode == 0
    assert run(tmp_path, given, printing("2xbf16=50 103")).returncode == 1
    assert run(tmp_path, given, printing("2xbf16=50 120")).returncode == 0
    loose = check(results("2xbf16=70 100"), expected, tolerance=0.1)
    assert run(tmp_path, loose, printing("2xbf16=51 100")).returncode == 1


def complexes(element: str, *numbers: complex) -> str:
    """Complex numbers as the runtime's tool prints them."""
    words = [np.array(one, element).tobytes().hex().upper() for one in numbers]
    return f"{len(words)}xcf{8 * np.dtype(element).itemsize}={' '.join(words)}"


def test_each_part_of_a_complex_number_may_be_off_as_the_whole_number_may() -> None:
    right = results(complexes("c8", 3 + 4j, 6 - 8j, 900))
    given = check(results(complexes("c8", 3 + 4j, 0, 900)), right)
    parts = given.expected.partition("=")[2].split()
    assert parts[:4] == ["3.0~0.005", "4.0~0.005", "6.0~0.01", "-8.0~0.01"]


@pytest.mark.parametrize("shell", SHELLS)
def test_complex_numbers_are_compared_by_their_parts(shell: str, tmp_path: Path) -> None:
    for element in ("c8", "c16"):
        right = complexes(element, 1 - 2e-3j, -300 + 0.1j, 7)
        wrong = complexes(element, 1 - 2e-3j, 300, 7)
        given = check(results(wrong), results(right))
        close = complexes(element, 1 - 1.999e-3j, -300.001 + 0.1j, 7)
        assert run(tmp_path, given, printing(close), shell).returncode == 1
        assert run(tmp_path, given, printing(wrong), shell).returncode == 0
        for other in (complex("nan"), complex(0, float("inf")), complex(0, -float("inf"))):
            odd = complexes(element, 1, other, 7)
            assert run(tmp_path, given, printing(odd), shell).returncode == 2
            given_up = check(results(wrong), results(complexes(element, 1, other, 1e-40)))
            undefined = printing(complexes(element, 1, 5, 0))
            assert run(tmp_path, given_up, undefined, shell).returncode == 1


def test_what_is_unknown_is_not_compared(tmp_path: Path) -> None:
    expected = ExecutionResult((Value(None), *results("2xi32=1 2").results))
    given = check(results("2xf32=1 2", "2xi32=1 3"), expected)
    assert run(tmp_path, given, printing("3xf32=0 0 0", "2xi32=1 2")).returncode == 1
    assert run(tmp_path, given, printing("2xf32=1 2", "2xi32=1 3")).returncode == 0


def test_tolerance_and_finite_math_are_those_of_the_reduction(tmp_path: Path) -> None:
    one, other = results("2xf32=1 2"), results("2xf32=1 3")
    assert run(tmp_path, check(one, other, tolerance=0.1), printing("2xf32=1 3.2")).returncode == 1
    loose = check(one, other, finite_only=True)
    assert run(tmp_path, loose, printing("2xf32=NAN 3")).returncode == 1


def test_large_values_are_in_files(tmp_path: Path) -> None:
    values = [str(one) for one in range(5000)]
    right, wrong = (f"5000xi32={' '.join(words)}" for words in (values, values[::-1]))
    given = check(results(wrong), results(right), inputs=(right,))
    assert "--flagfile=files/run.inputs.txt" in given.call
    assert "--output_max_element_count=5000" in given.call
    assert run(tmp_path, given, printing(wrong)).returncode == 0
    assert run(tmp_path, given, printing(right)).returncode == 1
    reads = f"grep -q 'input=5000xi32=0 1 2 ' files/run.inputs.txt || exit 9\n{printing(wrong)}"
    assert run(tmp_path, given, reads).returncode == 0


def test_a_program_that_reads_fresh_memory(tmp_path: Path) -> None:
    given = check(results("1xi32=85"), results("1xi32=0"))
    program = 'printf "result[0]: hal.buffer_view\\n1xi32=%s\\n" "$MALLOC_PERTURB_"'
    assert run(tmp_path, given, program).returncode == 0


def test_the_runtime_of_another_compiler_is_beside_it(tmp_path: Path) -> None:
    given, other = check(results("1xi32=1"), results("1xi32=0")), tmp_path / "other"
    other.mkdir()
    for name, body in (("iree-compile", 'cp "$2" "$4"'), ("iree-run-module", printing("1xi32=1"))):
        (other / name).write_text(f"#!/bin/sh\n{body}\n")
        (other / name).chmod(0o755)
    assert run(tmp_path, given, "exit 9").returncode == 2
    assert run(tmp_path, given, "exit 9", IREE_COMPILE=str(other / "iree-compile")).returncode == 0


def test_a_compiler_that_fails_and_a_program_that_fails(tmp_path: Path) -> None:
    given = check(results("1xi32=1"), results("1xi32=0"))
    done = run(tmp_path, given, "exit 0", compiler="echo 'error: no' >&2; exit 1")
    assert (done.returncode, "error: no" in done.stdout) == (2, True)
    done = run(tmp_path, given, "echo 'x.c:1: ABORTED; no' >&2; exit 1")
    assert (done.returncode, "x.c:1: ABORTED; no" in done.stdout) == (2, True)


@pytest.mark.parametrize(
    ("failed", "now", "status"),
    [
        (1, "echo 'buffer.c:9: OUT_OF_RANGE; 4 is past the end' >&2; exit 1", 0),
        (1, "echo 'buffer.c:9: OUT_OF_RANGE; 5 is past the end' >&2; exit 1", 0),
        (1, "echo 'buffer.c:9: OUT_OF_RANGE; 4 is negative' >&2; exit 1", 2),
        (1, "echo 'buffer.c:9: ABORTED; 4 is past the end' >&2; exit 1", 2),
        (1, "exit 0", 1),
        (-11, "kill -SEGV $$", 0),
        (-11, "exit 245", 0),
        (-11, "exit 1", 2),
    ],
)
def test_a_failing_program(failed: int, now: str, status: int, tmp_path: Path) -> None:
    reported = RunFailure("OUT_OF_RANGE", "OUT_OF_RANGE in buffer: 4 is past the end", "", failed)
    if failed < 0:
        reported = RunFailure("signal 11", "SIGSEGV", "SIGSEGV", failed)
    given = check(ExecutionResult(failure=reported.status, failed=reported), ExecutionResult())
    done = run(tmp_path, given, now)
    assert done.returncode == status, done.stdout + done.stderr


def test_a_hanging_program(tmp_path: Path) -> None:
    reported = RunFailure("hangs", "hangs", "hangs", is_hang=True)
    given = check(ExecutionResult(failure="hangs", failed=reported), ExecutionResult())
    assert run(tmp_path, given, "exec sleep 30").returncode == 0
    assert run(tmp_path, given, "exit 0").returncode == 1
    assert run(tmp_path, given, "exit 3").returncode == 2


def test_values_that_hold_quotes_stay_values(tmp_path: Path) -> None:
    given = check(results("1xi32=1"), results("1xi32=0"), function="f'$(exit)\"")
    program = f"test \"$3\" = '--function=f'\\''$(exit)\"' || exit 9\n{printing('1xi32=1')}"
    assert run(tmp_path, given, program).returncode == 0
