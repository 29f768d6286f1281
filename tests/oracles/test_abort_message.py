"""The lines with which a program stops."""

import pytest

from oracles.signature.abort_message import abort_message

STACK = "PLEASE submit a bug report\nStack dump:\n"


def test_the_line_before_an_unreachable_place_says_why() -> None:
    assert abort_message(f"x\nunsupported gate: RX\nUNREACHABLE executed at a.cpp:2!\n{STACK}") == (
        "unsupported gate: RX",
        "UNREACHABLE executed at a.cpp:2!",
    )


def test_a_diagnostic_or_printed_ir_before_it_does_not() -> None:
    for line in ("a.mlir:1:1: error: bad", "  %0 = t.a", "", "^bb0:"):
        text = f"{line}\nUNREACHABLE executed at a.cpp:2!\n{STACK}"
        assert abort_message(text) == ("UNREACHABLE executed at a.cpp:2!",)


def test_an_exception_says_what_it_is_about() -> None:
    thrown = "terminate called after throwing an instance of 'a::E'"
    assert abort_message(f"{thrown}\n  what():  no rule for 'X'\n{STACK}") == (
        thrown,
        "what():  no rule for 'X'",
    )
    assert abort_message(f"{thrown}\n{STACK}") == (thrown,)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Assertion failed: (x > 0), function f, file a.cpp, line 12.", ...),  # BSD
        ("Assertion failed: x > 0, file C:\\a.cpp, line 12", ...),
        ("fatal internal error: CHECK(x) failed at /src/a.cpp(12)", ...),  # Flang
        ("F1125 02:17:37.12 4711 a/b.cc:12] Check failed: x", "a/b.cc:12] Check failed: x"),
        ("2026-01-02 03:04:05.1: F a/b.cc:12] Check failed: x", "a/b.cc:12] Check failed: x"),
    ],
)
def test_the_line_in_any_system(line: str, words: object) -> None:
    assert abort_message(f"a.mlir:1:1: warning: old\n{line}\n{STACK}") == (
        line if words is ... else words,
    )


def test_a_fatal_error_that_goes_on_below() -> None:
    assert abort_message('LLVM ERROR: no types:\n"a.b"(...) : () -> ( ??? )\n') == (
        "LLVM ERROR: no types:",
        '"a.b"(...) : () -> ( ??? )',
    )


def test_an_ordinary_error_has_none() -> None:
    assert abort_message("a.mlir:1:1: error: bad\n") == ()
