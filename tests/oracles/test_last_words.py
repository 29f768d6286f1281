"""The lines with which a program stops."""

from oracles.last_words import last_words

STACK = "PLEASE submit a bug report\nStack dump:\n"


def test_the_line_before_an_unreachable_place_says_why() -> None:
    assert last_words(f"x\nunsupported gate: RX\nUNREACHABLE executed at a.cpp:2!\n{STACK}") == (
        "unsupported gate: RX",
        "UNREACHABLE executed at a.cpp:2!",
    )


def test_a_diagnostic_or_printed_ir_before_it_does_not() -> None:
    for line in ("a.mlir:1:1: error: bad", "  %0 = t.a", "", "^bb0:"):
        text = f"{line}\nUNREACHABLE executed at a.cpp:2!\n{STACK}"
        assert last_words(text) == ("UNREACHABLE executed at a.cpp:2!",)


def test_an_exception_says_what_it_is_about() -> None:
    thrown = "terminate called after throwing an instance of 'a::E'"
    assert last_words(f"{thrown}\n  what():  no rule for 'X'\n{STACK}") == (
        thrown,
        "what():  no rule for 'X'",
    )
    assert last_words(f"{thrown}\n{STACK}") == (thrown,)


def test_an_ordinary_error_has_none() -> None:
    assert last_words("a.mlir:1:1: error: bad\n") == ()
