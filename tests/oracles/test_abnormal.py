"""An oracle runs a program and says which failure that was.

Whatever the program does, its run ends in time and leaves nothing behind. One bug has one
signature, whatever the input is called and wherever it lies.

This file: which of several final messages of a crashing compiler counts.
"""

import pytest

from oracles.run.run_process import End, ProcessResult
from oracles.signature.abnormal import abnormal_exit
from oracles.signature.classify import Classification, classify
from oracles.signature.kind import Kind
from tests.support.samples import samples

ERROR = "a.mlir:1:1: error: 'a.b' op is bad\n"
UNDEFINED = samples()["sanitizers/undefined"].text
FREED = samples()["sanitizers/use-after-free"].text
FAULT = samples()["sanitizers/segv"].text
RACE = samples()["sanitizers/race"].text
SIGNAL = samples()["llvm/walk"].text


def ended(stderr: str, code: int = 1) -> Classification:
    return classify(ProcessResult(End.EXITED, code, 0.0, 0.0, 0, "", stderr))


def test_neither_an_orderly_end_nor_a_leak_has_last_words() -> None:
    assert abnormal_exit(ERROR, 1) is None
    stderr = "SUMMARY: AddressSanitizer: 288 byte(s) leaked in 3 allocation(s).\n"
    assert abnormal_exit(stderr, 23) is None


def test_a_line_full_of_assertions_is_read_in_linear_time() -> None:
    """It took a minute."""
    for words in ("Assertion failed: ", "Assertion failed: x, function "):
        found = abnormal_exit(f"{words * 3000}\n", -6)
        assert found is not None and found.kind is Kind.CRASH


def test_a_stack_tells_aborts_apart_better_than_the_words_of_the_runtime() -> None:
    words = samples()["runtime/double-free"].text
    assert ended(words, -6).template == "SIGABRT: double free"
    assert ended(f"{words} #0 0x12 a::f() (/lib/libA.so+0x12)\n", -6).template == "SIGABRT"


def test_who_goes_on_after_undefined_behavior_ends_with_its_own_error() -> None:
    """Unless it is built to stop, a program only reports it, on any input."""
    assert abnormal_exit(UNDEFINED + ERROR, 1) is None
    for stopped in (UNDEFINED, ERROR + UNDEFINED, f"{UNDEFINED}a.mlir:1:1: warning: old\n"):
        assert abnormal_exit(stopped, 1) is not None
    assert abnormal_exit(FREED + ERROR, 1) is not None


@pytest.mark.parametrize(
    ("before", "end", "code"),
    [(UNDEFINED, FREED, 1), (FREED.replace("toy::lower", "toy::f"), FREED, 1),
     (UNDEFINED, FAULT, 1), (UNDEFINED, SIGNAL, -11)],
)  # fmt: skip
def test_what_ends_a_program_is_the_last_report(before: str, end: str, code: int) -> None:
    both, alone = ended(before + end, code), ended(end, code)
    assert (both.template, both.frames) == (alone.template, alone.frames)
    assert both.frames


def test_no_race_ends_a_program() -> None:
    assert ended(RACE + RACE.replace("toy::count", "toy::f"), 66).frames[0] == "toy::count"


@pytest.mark.parametrize("folder", ["", "/src/", "lib/", "external/llvm-project/"])
def test_a_path_is_no_part_of_what_a_sanitizer_reports(folder: str) -> None:
    words = abnormal_exit(f"SUMMARY: XSanitizer: data race {folder}a.cpp:3:1 in a::f()\n", 1)
    assert words is not None and words.template == "XSanitizer: data race"


def test_a_report_is_not_cut_so_it_is_not_run_again_for_the_rest() -> None:
    assert not ended(FAULT).crash.cut
