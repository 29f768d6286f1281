"""Crashes of which nothing is known but the signal."""

import pytest

from oracles import Kind, Signature
from reducer.session.bare_signal import remark_on


def test_a_crash_without_a_stack_is_like_any_other() -> None:
    remark = remark_on(Signature(Kind.CRASH, "SIGSEGV"))
    assert remark.startswith("the program prints no stack, so any SIGSEGV counts as the same")


def test_a_kill_from_outside_leaves_no_stack() -> None:
    remark = remark_on(Signature(Kind.CRASH, "SIGKILL"))
    assert remark.startswith("something outside of the program killed it")


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
