"""What a run says that was recorded, or that was ended; what is read in words is in `texts`."""

from dataclasses import replace
from pathlib import Path

import pytest

from oracles import End, Kind, ProcessResult, Signature, signal_code
from oracles.signature.classify import (
    Classification,
    classify,
)

DATA = Path(__file__).parent / "recorded"


def failure(stderr: str, exit_code: int = 1, end: End = End.EXITED) -> ProcessResult:
    return ProcessResult(end, exit_code, 0.0, 0.0, 0, "", stderr)


def recorded(name: str) -> Classification:
    return classify(failure((DATA / f"{name}.txt").read_text()))


def bucket(finding: Classification) -> str:
    return Signature(finding.kind, finding.template, finding.op, "", finding.frames).bucket


def test_the_kind_of_an_error_follows_from_its_words() -> None:
    assert recorded("unused-sort-result/argsort-1000-expert-3.13.0").kind is Kind.BUFFERIZATION


def test_only_a_follow_up_is_nameless() -> None:
    follow_up = recorded("pad-20581b/expert-3.3.0")
    assert follow_up.nameless and follow_up.template.endswith(" for backend <attr>")
    assert not recorded("cat-zero-width/expert-3.8.0").nameless


def test_follow_up_shows_that_a_pass_was_running() -> None:
    assert recorded("f8-contract/expert-3.13.0").settled
    assert not recorded("cat-zero-width/expert-3.8.0").settled


def test_order_of_parallel_dispatches_does_not_matter() -> None:
    first = (DATA / "f8-contract/expert-3.13.0.txt").read_text()
    second = (DATA / "f8-readlane/expert-3.13.0.txt").read_text()
    one, other = classify(failure(first + second)), classify(failure(second + first))
    assert bucket(one) == bucket(other)


def test_later_error_of_a_dispatch_is_not_its_bug() -> None:
    """Two errors from one dispatch: the second is a consequence of the first."""
    stderr = (DATA / "i4-maskedload/expert-3.13.0.txt").read_text()
    assert "'func.func' op failed to emulate bit width" in stderr
    assert recorded("i4-maskedload/expert-3.13.0").op == "vector.maskedload"


@pytest.mark.parametrize(
    ("end", "kind"),
    [(End.TIMEOUT, Kind.TIMEOUT), (End.MEMORY, Kind.MEMORY), (End.CANCELLED, Kind.CANCELLED)],
)
def test_forced_end_says_nothing_else(end: End, kind: Kind) -> None:
    """The output of a killed process depends on when it was killed."""
    finding = classify(failure("a.mlir:1:1: error: failed to bufferize op\n", -9, end))
    assert (finding.kind, finding.template) == (kind, "")


@pytest.mark.parametrize(
    ("stack", "unanswered", "unplaced"),
    [
        (" #0 0x01 (/lib/libIREECompiler.so+0x1)\n", False, True),
        (" #0 0x01 x::FooPass::runOnOperation() (/lib/libIREECompiler.so+0x1)\n", False, False),
        (" #0 0x01 f() (/lib/l.so+0x1)\n #1 0x02 abort (/lib/libc.so.6+0x2)\n", False, True),
        ("", False, False),
        ("", True, True),
    ],
)
def test_a_stack_without_a_pass_may_be_incomplete(
    stack: str, unanswered: bool, unplaced: bool
) -> None:
    """A program without any stack says no more if it is asked again."""
    result = replace(failure(stack, -3, End.TIMEOUT), unanswered=unanswered)
    assert classify(result).is_unplaced is unplaced


@pytest.mark.parametrize(
    ("code", "expected"),
    [(245, -11), (250, -6), (248, -8), (139, -11), (134, -6), (-11, -11), (1, 1), (124, 124)],
)
def test_signal_however_it_is_reported(code: int, expected: int) -> None:
    assert signal_code(code) == expected


def test_only_a_memory_fault_can_be_recursion_that_has_used_up_the_stack() -> None:
    lines = ["a::divide() (/b/libA.so+0x10)", *["a::walk() (/b/libA.so+0x20)"] * 255]
    stack = "".join(f" #{number} 0x{number:x} {line}\n" for number, line in enumerate(lines))
    assert classify(failure(stack, exit_code=-11)).frames == ("a::walk",)
    assert classify(failure(stack, exit_code=-8)).frames[0] == "a::divide"
