"""Patterns match any message alike in grep, FileCheck and Python; crash traces."""

import subprocess
import sys
from pathlib import Path

import pytest

from oracles.signature.comparison import Landmarks
from reducer.report.patterns import CrashTrace, Gap, Pattern, crash_trace_of

MESSAGES = [
    "failed to bufferize op",
    "'linalg.generic' op inferred input/output operand #1 has shape's dimension #0 to be 4",
    "LLVM ERROR: Cannot select: 0x5d3e: ch = store<(store (s80) into %ir.59), trunc to v5f16>",
    'Assertion `isa<X>(v) && "a.b[*]^$\\n"\' failed.',
    "type '!t<[?,[2]], {{a}}>' {x = {1}} [[y]] }}} {{{",
    "uses 36028797018963968 bytes of shared memory in @f_dispatch_0",
    "cannot open /home/somebody/model.mlir: no such file",
    "weird ünïcode ☃ and $(echo hi) `date` 'q' \"qq\" %x",
    "-e starts with a dash",
    "cannot read b-1f2e3d.o of 2c26b46b68ffc68f and 123e4567-e89b-12d3-a456-426614174000",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_pattern_matches_its_own_message_in_every_tool(message: str, tmp_path: Path) -> None:
    pattern = Pattern.of(message)
    line = f"repro.mlir:1:2: error: {message}"
    assert pattern.found_in(line)
    (tmp_path / "out").write_text(f"first\n{line}\nlast\n")
    grep = ["grep", "-q", "-E", "-e", pattern.grep, "out"]
    assert subprocess.run(grep, cwd=tmp_path, env={"LC_ALL": "C"}).returncode == 0
    (tmp_path / "check").write_text(f"// CHECK: {pattern.filecheck}\n")
    for tool in file_checks():
        with (tmp_path / "out").open() as stream:
            done = subprocess.run(
                [*tool, "check"], stdin=stream, cwd=tmp_path, capture_output=True, text=True
            )
        assert done.returncode == 0, (tool, pattern.filecheck, done.stderr)


def file_checks() -> list[list[str]]:
    """FileCheck from PyPI, and LLVM's own if installed."""
    found = [[sys.executable, "-m", "filecheck"]]
    real = sorted(Path("/usr/lib").glob("llvm-*/bin/FileCheck"))
    return found + [[str(path)] for path in real[-1:]]


def test_variable_parts_match_anything() -> None:
    pattern = Pattern.of("LLVM ERROR: at 0x7f42 of %12: 8 bytes")
    assert pattern.found_in("LLVM ERROR: at 0x17e96f30 of %arg0: 1024 bytes")
    assert not pattern.found_in("LLVM ERROR: at 0x17e96f30 of %arg0: many bytes")
    assert Gap.ADDRESS in pattern.parts


def test_names_of_one_run_match_those_of_another() -> None:
    pattern = Pattern.of("LLVM ERROR: cannot read /tmp/b-1f2e3d.o of 2c26b46b68ffc68f")
    assert pattern.found_in("LLVM ERROR: cannot read /tmp/b-123456.o of 0f86d081884c7d65")


def test_type_names_are_not_numbers() -> None:
    assert Pattern.of("expected i64, got f8E4M3FNUZ and 2x3xf32").parts == (
        "expected i64, got f8E4M3FNUZ and 2x3xf32",
    )


def test_a_long_message_is_matched_by_its_start() -> None:
    long = "word " * 80
    assert len(Pattern.of(long).grep) <= 100
    assert Pattern.of("a\nb").parts == ("a",)


def test_patterns_without_text_are_false() -> None:
    assert not Pattern.of("")
    assert not Pattern.of("%1 0x123")


RAW = """\
Stack dump:
0.\tProgram arguments: iree-compile repro.mlir
0  libIREECompiler.so 0x00007f6962d5a0ab
1  libIREECompiler.so 0x00007f6962d571fe llvm::sys::RunSignalHandlers() + 238
2  libIREECompiler.so 0x00007f6962d5ac10
3  libc.so.6          0x00007f695ce5a050
4  libIREECompiler.so 0x00007f6962e042b8
5  libIREECompiler.so 0x00007f6962e6f34b
6  libIREECompiler.so 0x00007f6963198a79
7  libIREECompiler.so 0x00007f696476d793
"""


def test_digits_are_those_of_the_crashing_libraries() -> None:
    raw = RAW.replace("5  libIREECompiler.so", "5  libPlugin.so")
    found = crash_trace_of(raw, ["a::f"])
    assert found.landmarks == Landmarks("a::f")
    assert " ".join(found.digits) == (
        "libIREECompiler.so:0ab libIREECompiler.so:1fe libIREECompiler.so:c10 "
        "libIREECompiler.so:2b8 libPlugin.so:34b libIREECompiler.so:a79"
    )


def test_another_place_in_memory_has_the_same_digits() -> None:
    moved = RAW.replace("0x00007f6962", "0x00007a1112").replace("0x00007f6963", "0x00007a1113")
    assert moved != RAW
    assert crash_trace_of(moved, []) == crash_trace_of(RAW, [])


def test_a_stack_with_names_has_no_digits() -> None:
    named = " #0 0x00007f6962d5a0ab a::handler() (/x/lib.so+0xab)\n #1 0x00007f6962d5a0ac a::f()\n"
    assert crash_trace_of(named, ["a::f"]) == CrashTrace(Landmarks("a::f"))


def test_a_short_stack_yields_no_trace() -> None:
    assert not crash_trace_of("\n".join(RAW.splitlines()[:6]), [])
    assert not crash_trace_of("", [])


def test_what_the_functions_of_the_signature_call_does_not_count() -> None:
    raw = RAW.replace("6f34b", "6f34b a::g(int) + 12")
    found = crash_trace_of(raw, ["a::g", "libIREECompiler.so+0x198a79"])
    assert [found.digits[place] for place in found.counting] == [
        "libIREECompiler.so:34b",
        "libIREECompiler.so:a79",
    ]
    assert not crash_trace_of(raw, ["a::g", "a::not_printed"]).counting, "then all digits count"


def test_a_function_that_stands_for_the_instruction_that_failed_does_not_count() -> None:
    found = crash_trace_of(RAW, ["libIREECompiler.so+0x190000", "libIREECompiler.so+0x198a79"])
    assert [found.digits[place] for place in found.counting] == ["libIREECompiler.so:a79"]


def test_the_file_of_the_program_may_have_several_names() -> None:
    raw = RAW.replace("6  libIREECompiler.so", "6  x-opt-22")
    found = crash_trace_of(raw, ["x-opt-22+0x198a79"], {"x-opt-22", "x-opt"})
    assert found.digits[-1] == "program:a79"
    assert found == crash_trace_of(
        raw.replace("x-opt-22", "x-opt"), ["x-opt+0x198a79"], {"x-opt-22", "x-opt"}
    )


def test_distances_between_frames_give_no_digits() -> None:
    trace = crash_trace_of("no stack\n", ("x-opt-0x15946", "x-opt-0x1579d"))
    assert trace.unnamed
    assert trace.digits == ()
