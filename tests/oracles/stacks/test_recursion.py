"""Recursion that has used up the stack is one failure, wherever it ended."""

import pytest

from oracles.stacks.crash_stack import recursion_on_stack, shortest_recursion
from oracles.stacks.frames import MAX_STACK_FRAMES, StackFrame, name_frames, parse_stack

CYCLE = ("a::IfOp::parse() (/b/libA.so+0x100)", "(/b/libA.so+0x200)", "(/b/libA.so+0x300)")


def recursion(*innermost: str, calls: int = MAX_STACK_FRAMES) -> tuple[str, ...]:
    """What is known of a stack whose innermost functions are called by a cycle of functions."""
    lines = [*innermost, *(CYCLE[index % len(CYCLE)] for index in range(calls))]
    stack = "".join(f" #{number} 0x{number:x} {line}\n" for number, line in enumerate(lines))
    frames = parse_stack(stack)
    return recursion_on_stack(frames, name_frames(frames, lambda module: None))


@pytest.mark.parametrize("innermost", [(), (CYCLE[2],), ("a::lex() (/b/libA.so+0x900)",)])
def test_it_does_not_matter_where_it_ends(innermost: tuple[str, ...]) -> None:
    assert recursion(*innermost) == ("a::IfOp::parse", "libA.so+0x200", "libA.so+0x300")


@pytest.mark.parametrize("loaded_at", [0x7F0000001000, 0x7F5500002000])
def test_distances_do_not_depend_on_the_load_address(loaded_at: int) -> None:
    """A stack in which nothing has a name says nothing else."""
    calls = (loaded_at + 0x40 * (number % 3) for number in range(MAX_STACK_FRAMES))
    frames = [StackFrame(address, "libA.so") for address in calls]
    found = recursion_on_stack(frames, [""] * len(frames))
    assert found == ("libA.so+0x0", "libA.so+0x40", "libA.so+0x80")


def test_a_stack_that_is_printed_to_its_end_is_not_used_up() -> None:
    assert recursion(calls=60) == ()


def test_a_sanitizer_prints_less_of_a_stack_that_is_used_up() -> None:
    stack = "".join(f"    #{n} 0x{n % 2:x} in a::f{n % 2}() /s/a.cpp:1\n" for n in range(247))
    frames = parse_stack(stack)
    least = shortest_recursion("AddressSanitizer: stack-overflow")
    found = recursion_on_stack(frames, name_frames(frames, lambda module: None), least)
    assert found == ("a::f0", "a::f1")
    assert shortest_recursion("SIGFPE") == 0


def test_a_deep_stack_that_does_not_repeat_is_no_recursion() -> None:
    assert recursion(*(f"a::f{number}() (/b/libA.so+0x1)" for number in range(100))) == ()
