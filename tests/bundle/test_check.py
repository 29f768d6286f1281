"""What a shell has to look for, from what a run has shown."""

from pathlib import Path

from oracles import Command, CompilerOracle, Kind, Limits, Outcome, PatternOracle, Signature
from oracles.diagnostics import parse_diagnostics
from reducer.bundle.check import check_of, message
from reducer.bundle.pattern import Pattern

WORDS = ("iree-compile", "repro.mlir")
COMPILER = CompilerOracle(
    Command.parse(["iree-compile"]), Path("/none/iree-compile"), limits=Limits(seconds=60)
)


def outcome(kind: Kind, stderr: str = "", code: int | None = 1) -> Outcome:
    diagnostics = parse_diagnostics(stderr)
    return Outcome(kind, Signature(kind), code, diagnostics=diagnostics, stderr=stderr)


def test_an_error() -> None:
    text = "repro.mlir:1:1: error: failed to legalize operation 'a.b': %0 = \"a.b\"() : () -> ()\n"
    check = check_of(COMPILER, WORDS, outcome(Kind.LEGALIZATION, text), text)
    assert (check.status, check.pattern) == (1, Pattern.of("failed to legalize operation 'a.b'"))


def test_a_crash_has_a_signal_and_no_words() -> None:
    check = check_of(COMPILER, WORDS, outcome(Kind.CRASH, "Stack dump:\n", -11), "Stack dump:\n")
    assert (check.status, check.pattern) == (-11, None)


def test_last_words_count_from_where_they_begin() -> None:
    text = "iree-compile: /home/me/llvm/A.cpp:12: void f(): Assertion `x == 1' failed.\n"
    assert message(outcome(Kind.ASSERTION, text, -6)) == "Assertion `x == 1' failed."
    assert message(outcome(Kind.FATAL_ERROR, "x\nLLVM ERROR: no\n", -6)) == "LLVM ERROR: no"


def test_words_that_are_not_in_the_output_are_not_looked_for() -> None:
    text = "repro.mlir:1:1: error: x y\n"
    assert check_of(COMPILER, WORDS, outcome(Kind.OTHER_ERROR, text), "elsewhere").pattern is None


def test_silence_is_looked_for_too() -> None:
    assert check_of(COMPILER, WORDS, outcome(Kind.OTHER_ERROR, "warning: x\n"), "").silent
    assert not check_of(COMPILER, WORDS, outcome(Kind.CRASH, "", -11), "").silent


def test_limits_of_a_hang_and_of_memory() -> None:
    check = check_of(COMPILER, WORDS, outcome(Kind.TIMEOUT, code=None), "")
    assert (check.seconds, check.status) == (60, None)
    limited = CompilerOracle(COMPILER.command, COMPILER.executable, limits=Limits(memory=1 << 30))
    assert check_of(limited, WORDS, outcome(Kind.MEMORY, code=None), "").memory == 1 << 30


def test_what_a_users_pattern_found() -> None:
    oracle = PatternOracle(COMPILER, regex=r"operand #\d+ (?!dominates)")
    text = "a\nerror: operand #3 does not dominate this use\n"
    check = check_of(oracle, WORDS, outcome(Kind.MATCH, text), text)
    assert check.pattern is not None and check.pattern.found_in(text)
    assert check.passes_anyway
    coded = PatternOracle(COMPILER, exit_code=139)
    assert check_of(coded, WORDS, outcome(Kind.EXIT_CODE, code=-11), "").status == -11
