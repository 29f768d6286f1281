"""A reduction leaves its best program on disk, however it ends, and it fails as the input does.

What else it met is kept beside it. The record and the messages say what was done, and what is in
doubt.

This file: what is said about a command that succeeds.
"""

from pathlib import Path

from oracles import Command, CompilerOracle
from reducer.session.advice import advice, says_otherwise
from tests.support.fake_compilers import write_script


def test_a_log_that_hides_a_crash(tmp_path: Path) -> None:
    script = write_script(tmp_path / "logged", "echo 'Stack dump:' | tee log.txt\n")
    outcome = CompilerOracle(Command.parse(["logged"]), script).run("")
    assert outcome.succeeded and says_otherwise(outcome)
    assert "`… | tee log` only does after `set -o pipefail`" in advice(outcome)


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
