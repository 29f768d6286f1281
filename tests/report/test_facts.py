"""Compiler versions, and checks derived from outcomes."""

from dataclasses import replace
from pathlib import Path

from oracles import Command, CompilerOracle, Kind, Limits, Outcome, PatternOracle, Signature
from oracles.signature.comparison import Landmarks
from oracles.signature.diagnostics import parse_diagnostics
from reducer.report.facts import CompilerInfo, message, repro_check_of
from reducer.report.patterns import Pattern

RELEASE = """IREE (https://iree.dev):
  IREE compiler version 3.13.0rc20261016 @ 89ece87b89852100c0a4ac3d515e14842d090967
  LLVM version 24.0.0git
  Optimized build
"""


def test_a_release() -> None:
    path = Path("/x/toolchains/iree-base-compiler-3.13.0/iree/compiler/_mlir_libs/iree-compile")
    told = CompilerInfo.read(path, RELEASE)
    assert (told.name, told.version) == ("iree-compile", "3.13.0rc20261016")
    assert told.commit.startswith("89ece87b") and told.package == "3.13.0"
    assert told.assertions is False


def test_builds_with_assertions() -> None:
    for line in ("Optimized build with assertions.", "DEBUG build with assertions."):
        assert (
            CompilerInfo.read(Path("mlir-opt"), f"LLVM version 19.1.7\n  {line}").assertions is True
        )


def test_a_compiler_without_version_output() -> None:
    assert CompilerInfo.probe(Path("/no/such")).lines == ()
    assert CompilerInfo.probe(Path("/bin/false")).assertions is None


WORDS = ("iree-compile", "repro.mlir")
COMPILER = CompilerOracle(
    Command.parse(["iree-compile"]), Path("/none/iree-compile"), limits=Limits(seconds=60)
)


def outcome(kind: Kind, stderr: str = "", code: int | None = 1) -> Outcome:
    diagnostics = parse_diagnostics(stderr)
    return Outcome(kind, Signature(kind), code, diagnostics=diagnostics, stderr=stderr)


def test_an_error() -> None:
    text = "repro.mlir:1:1: error: failed to legalize operation 'a.b': %0 = \"a.b\"() : () -> ()\n"
    check = repro_check_of(COMPILER, WORDS, outcome(Kind.LEGALIZATION, text), text)
    assert (check.status, check.pattern) == (1, Pattern.of("failed to legalize operation 'a.b'"))


def test_a_crash_has_a_signal_and_no_pattern() -> None:
    check = repro_check_of(
        COMPILER, WORDS, outcome(Kind.CRASH, "Stack dump:\n", -11), "Stack dump:\n"
    )
    assert (check.status, check.pattern) == (-11, None)


def test_the_message_starts_at_the_abnormal_exit() -> None:
    text = "iree-compile: /home/me/llvm/A.cpp:12: void f(): Assertion `x == 1' failed.\n"
    assert message(outcome(Kind.ASSERTION, text, -6)) == "Assertion `x == 1' failed."
    assert message(outcome(Kind.FATAL_ERROR, "x\nLLVM ERROR: no\n", -6)) == "LLVM ERROR: no"


def test_what_a_sanitizer_reports_is_a_crash_at_its_place() -> None:
    """It ends with a status like any error, and prints none."""
    text = (
        "==9==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000010\n"
        "    #0 0x5611e5efc1ec in a::f(int) /src/a.cpp:4\n"
        "SUMMARY: AddressSanitizer: SEGV /src/a.cpp:4 in a::f(int)\n"
    )
    crash = outcome(Kind.CRASH, text)
    signature = Signature(Kind.CRASH, "AddressSanitizer: SEGV", frames=("a::f",))
    check = repro_check_of(COMPILER, WORDS, replace(crash, signature=signature), text)
    assert check.pattern == Pattern.of("AddressSanitizer: SEGV") and not check.silent
    assert check.crash_trace.landmarks == Landmarks("a::f") and not check.crash_trace.digits


def test_the_message_tells_the_op_that_a_program_stops_for() -> None:
    """Else `repro.sh` would take the same end for another op for the bug."""
    text = (
        "a.mlir:1:1: error: 'a.b' op folder produced an i1\n"
        'opt: A.cpp:12: void f(int): Assertion `false && "bad fold"\' failed.\n'
    )
    about = outcome(Kind.ASSERTION, text, -6)
    about = replace(about, signature=replace(about.signature, op="a.b"))
    assert message(about) == "'a.b' op folder produced an i1"
    goes_on = 'LLVM ERROR: no types:\n"a.b"(...) : () -> ( ??? )\n'
    assert message(outcome(Kind.FATAL_ERROR, goes_on, -6)) == '"a.b"(...) : () -> ( ??? )'


def test_a_message_not_in_the_output_is_no_pattern() -> None:
    text = "repro.mlir:1:1: error: x y\n"
    assert (
        repro_check_of(COMPILER, WORDS, outcome(Kind.OTHER_ERROR, text), "elsewhere").pattern
        is None
    )


def test_a_line_that_is_no_diagnostic_is_a_message() -> None:
    printed = "unsupported operator a.b\nlinker command failed\n"
    check = repro_check_of(COMPILER, WORDS, outcome(Kind.OTHER_ERROR, printed), printed)
    assert check.pattern == Pattern.of("unsupported operator a.b") and not check.silent


def test_why_something_is_unreachable_says_more_than_where() -> None:
    printed = "no such op!\nUNREACHABLE executed at /s/a.cpp:3!\n"
    check = repro_check_of(COMPILER, WORDS, outcome(Kind.ASSERTION, printed, -6), printed)
    assert check.pattern == Pattern.of("no such op!")
    alone = "UNREACHABLE executed at /s/a.cpp:3!\n"
    check = repro_check_of(COMPILER, WORDS, outcome(Kind.ASSERTION, alone, -6), alone)
    assert check.pattern == Pattern.of("UNREACHABLE executed at /s/a.cpp:3!")


def test_a_failure_without_errors_is_silent() -> None:
    assert repro_check_of(COMPILER, WORDS, outcome(Kind.OTHER_ERROR, "warning: x\n"), "").silent
    assert not repro_check_of(COMPILER, WORDS, outcome(Kind.CRASH, "", -11), "").silent


def test_limits_for_hangs_and_memory() -> None:
    check = repro_check_of(COMPILER, WORDS, outcome(Kind.TIMEOUT, code=None), "")
    assert (check.seconds, check.status) == (60, None)
    limited = CompilerOracle(COMPILER.command, COMPILER.executable, limits=Limits(memory=1 << 30))
    assert repro_check_of(limited, WORDS, outcome(Kind.MEMORY, code=None), "").memory == 1 << 30


def test_a_user_pattern_becomes_the_text_it_matched() -> None:
    oracle = PatternOracle(COMPILER, regex=r"operand #\d+ (?!dominates)")
    text = "a\nerror: operand #3 does not dominate this use\n"
    check = repro_check_of(oracle, WORDS, outcome(Kind.MATCH, text), text)
    assert check.pattern is not None and check.pattern.found_in(text)
    assert check.passes_anyway
    coded = PatternOracle(COMPILER, exit_code=139)
    assert repro_check_of(coded, WORDS, outcome(Kind.EXIT_CODE, code=-11), "").status == -11
