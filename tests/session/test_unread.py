"""Programs that no tool reads."""

from pathlib import Path

from oracles import Kind, Outcome, Signature
from reducer.session.unread import unread_by


def outcome(kind: Kind) -> Outcome:
    return Outcome(kind, Signature(kind), 1)


def test_a_program_that_the_compiler_reads_needs_another_tool() -> None:
    crash = outcome(Kind.CRASH)
    told = "a-opt cannot parse the input (--opt PROGRAM names one that can)"
    assert unread_by(Path("/bin/a-opt"), crash) == told
    assert unread_by(None, crash) == "no …-opt tool was found (--opt PROGRAM names one that can)"


def test_a_program_that_the_compiler_rejects_needs_none() -> None:
    rejected = outcome(Kind.INVALID_INPUT)
    assert unread_by(Path("/bin/a-opt"), rejected) == "a-opt cannot parse the input"
