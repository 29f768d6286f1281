"""What an error says just before a program stops on purpose."""

import pytest

from oracles.run.run_process import End, ProcessResult
from oracles.signature.classify import Classification, classify
from oracles.signature.derive import Level, signature_at
from oracles.signature.kind import Kind

ERROR = "a.mlir:1:1: error: '{op}' op {why}\n  %0 = a.b\n       ^\n"
NOTE = 'a.mlir:1:1: note: see current operation: %0 = "{op}"() : () -> i32\n'
THROWN = "terminate called after throwing an instance of 'E'\n  what():  cannot go on\n"


def ended(stderr: str, op: str = "a.b", why: str = "is bad") -> Classification:
    text = stderr.replace("{op}", op).replace("{why}", why)
    return classify(ProcessResult(End.EXITED, -6, 0.0, 0.0, 0, "", text))


@pytest.mark.parametrize(
    "last",
    [
        'opt: /s/a.cpp:3: void f(int): Assertion `false && "bad fold"\' failed.\n',
        "bad fold\nUNREACHABLE executed at /s/a.cpp:3!\n",
        "UNREACHABLE executed at /s/a.cpp:3!\n",
        THROWN,
    ],
)
def test_who_stops_in_any_case_stops_because_of_the_error_before(last: str) -> None:
    for error in (ERROR, ERROR + NOTE):
        one, other = ended(error + last), ended(error + last, "a.c")
        assert (one.op, other.op) == ("a.b", "a.c")
        assert one.kind is not Kind.VERIFIER
    assert ended(last).op == ""
    assert ended(ERROR + "a.mlir:2:2: warning: slow\n" + last).op == ""
    assert ended(last + ERROR).op == ""


def test_a_condition_that_may_hold_is_a_bug_of_its_own() -> None:
    failed = "opt: /s/a.cpp:3: void f(int): Assertion `falsehood > 0' failed.\n"
    assert ended(ERROR + failed).op == ended(failed).op == ""


def test_an_exception_has_the_words_of_the_error_that_led_to_it() -> None:
    assert ended(ERROR + THROWN).template == "E cannot go on <- 'a.b' op is bad"
    assert ended(ERROR + THROWN).template != ended(ERROR + THROWN, why="is worse").template
    assert ended(THROWN).template == "E cannot go on"


def test_a_check_of_a_type_has_the_words_of_the_error_that_says_what_is_wrong_with_it() -> None:
    last = (
        "opt: /s/StorageUniquerSupport.h:180: static T mlir::U::get(C *, Args &&...) "
        "[T = mlir::V]: Assertion `succeeded( T::verifyInvariants(emit(c), args...))' failed.\n"
    )
    error = "<unknown>:0: error: invalid tensor {why}: 'x'\n"
    one, other = ended(error + last, why="element type"), ended(error + last, why="size")
    assert one.template == f"{ended(last).template} <- invalid tensor element type: '<name>'"
    assert other.template != one.template
    assert one.kind is Kind.ASSERTION
    loose = {signature_at(Level.LOOSE, each, each.kind, "").template for each in (one, other)}
    assert len(loose) == 1


def test_the_place_of_an_assertion_does_not_count_at_the_loose_level() -> None:
    for place in ("function f, file a.cpp", "function operator(), file b.cpp"):
        found = ended(f"Assertion failed: (n > 0), {place}, line 3.\n")
        assert found.template.startswith("n > 0 in ")
        assert signature_at(Level.LOOSE, found, found.kind, "").template == "n > 0"


@pytest.mark.parametrize(
    ("caller", "op"),
    [
        ("flang::CodeGenAction::run()", "a.b"),
        ("mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*)", ""),
        ("llvm::legacy::PassManager::run(llvm::Module&)", ""),
    ],
)
def test_a_crash_in_no_pass_is_about_the_op_of_the_error_before(caller: str, op: str) -> None:
    """In a pass, the error may be that of another thread."""
    error = "error: a.f90:3:4: LLVM Translation failed for operation: {op}\n"
    stack = f"Stack dump:\n #0 0x12 a::f() (/lib/libA.so+0x12)\n #1 0x13 {caller} (/x+0x13)\n"
    assert ended(error + stack).op == op
    assert ended(error + stack, "a.c").op == op.replace("b", "c")
    assert ended(error + stack).frames[0] == "a::f"
    assert ended(stack).op == ended(error + "Stack dump:\n #0 0x12 (/lib/libA.so+0x12)\n").op == ""
