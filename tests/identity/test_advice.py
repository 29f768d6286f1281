"""A smaller program may show another bug in the same words, or none.

What tells the two apart is asked; what cannot be preserved is refused, with advice that helps.

This file: what is said about a command that succeeds, a program that no tool reads, and a signal.
"""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Outcome, Signature
from reducer.identity.advice import advice, remark_on, says_otherwise, unread_by
from tests.support.fake_compilers import write_script


def test_a_log_that_hides_a_crash(tmp_path: Path) -> None:
    script = write_script(tmp_path / "logged", "echo 'Stack dump:' | tee log.txt\n")
    outcome = CompilerOracle(Command.parse(["logged"]), script).run("")
    assert outcome.succeeded and says_otherwise(outcome)
    assert "`… | tee log` does so only after `set -o pipefail`" in advice(outcome)


def test_nothing_is_said_of_what_is_not_printed(tmp_path: Path) -> None:
    outcome = CompilerOracle(Command.parse(["t"]), write_script(tmp_path / "t", "echo 1\n")).run("")
    assert not says_otherwise(outcome)
    assert advice(outcome).startswith("check the flags")


def test_ir_that_speaks_of_a_crash_is_none(tmp_path: Path) -> None:
    said = "tool: a.cpp:1: void f(): Assertion `x' failed."
    for script in (
        f"cat <<'END'\n  cf.assert %a, \"{said}\"\nEND\n",
        f"cat >&2 <<'END'\n{said}\nEND\n",
    ):
        program = write_script(tmp_path / "t", script)
        outcome = CompilerOracle(Command.parse(["t"]), program).run("")
        assert outcome.succeeded and not says_otherwise(outcome)


def outcome(kind: Kind) -> Outcome:
    return Outcome(kind, Signature(kind), 1)


def test_a_program_that_the_compiler_reads_needs_another_tool() -> None:
    crash = outcome(Kind.CRASH)
    told = "a-opt cannot parse the input (MLIR_REDUCER_OPT names one that can)"
    assert unread_by(Path("/bin/a-opt"), crash) == told
    assert unread_by(None, crash) == "no …-opt tool was found (MLIR_REDUCER_OPT names one that can)"


def test_a_program_that_the_compiler_rejects_needs_none() -> None:
    rejected = outcome(Kind.INVALID_INPUT)
    assert unread_by(Path("/bin/a-opt"), rejected) == "a-opt cannot parse the input"


def test_a_crash_without_a_stack_is_like_any_other() -> None:
    remark = remark_on(Signature(Kind.CRASH, "SIGSEGV"))
    assert remark.startswith("the program prints no stack, so any SIGSEGV counts as the same")


def test_a_kill_from_outside_leaves_no_stack() -> None:
    remark = remark_on(Signature(Kind.CRASH, "SIGKILL"))
    assert remark.startswith("something else killed the program twice")


@pytest.mark.parametrize(
    "known",
    [
        Signature(Kind.CRASH, "SIGSEGV", frames=("libA.so+0x12",)),
        Signature(Kind.CRASH, "SIGSEGV", stage="pipeline CSEPass"),
        Signature(Kind.ASSERTION, "n < size()"),
        Signature(Kind.OTHER_ERROR, "silent failure"),
    ],
)
def test_any_other_failure_is_known(known: Signature) -> None:
    assert not remark_on(known)
