"""The comments around a result."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oracles import Diagnostic, Kind, Limits, Outcome, Signature
from reducer.conversions import Conversions, OptPrinter
from reducer.driver.comments import command_line, message_of, with_comments
from reducer.identity.pretty_form import ReadablePrinter
from reducer.ir import Module
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName, Refusal, Run
from reducer.search.judge import Judge
from reducer.storage.journal import Journal
from reducer.toolchain import Toolchain
from tests.support.predicate import FAILURE, Memory, PredicateOracle

ERROR = Diagnostic("input.mlir", 3, 4, "error", "failed to legalize operation 'x.bad'")


def outcome(kind: Kind, template: str = "", *frames: str, stderr: str = "") -> Outcome:
    return Outcome(kind, Signature(kind, template, frames=frames), stderr=stderr)


def test_a_program_between_its_command_and_its_message() -> None:
    failed = Outcome(Kind.LEGALIZATION, Signature(Kind.LEGALIZATION), diagnostics=(ERROR,))
    assert with_comments("x\n", [["/opt/bin/tool", "--a=b c", "in.mlir"]], failed) == (
        "// tool '--a=b c' in.mlir\nx\n// error: failed to legalize operation 'x.bad'\n"
    )


def test_whatever_a_word_holds_a_comment_is_one_line() -> None:
    words = ["tool", "a\nb\r\x1b[0m\u2028\x85\udcff"]
    line = command_line(words)
    assert line == "// tool 'a\\nb\\r\\x1b[0m\\u2028\\x85\\udcff'\n"
    assert len(line.splitlines()) == 1


def test_a_crash_says_where() -> None:
    crash = outcome(Kind.CRASH, "SIGSEGV", "a::f", "a::g")
    assert message_of(crash) == ["SIGSEGV", "  in a::f", "  in a::g"]


def test_a_crash_without_names_says_in_which_pass_instead() -> None:
    """Offsets in the tool say nothing to whoever reads the program."""
    crash = outcome(Kind.CRASH, "SIGSEGV", "a-opt+0x1f3", "a-opt+0x2c4")
    assert message_of(crash) == ["SIGSEGV"]
    known = replace(crash, signature=replace(crash.signature, stage="pipeline Canonicalizer"))
    assert message_of(known) == ["SIGSEGV", "  in Canonicalizer"]
    mixed = outcome(Kind.CRASH, "SIGSEGV", "a-opt+0x1f3", "a::g")
    assert message_of(mixed) == ["SIGSEGV", "  in a::g"]


def test_an_abnormal_end_is_told_by_its_line() -> None:
    text = "warning: x\nLLVM ERROR: Cannot select: y\nPLEASE submit a bug report\n"
    assert message_of(outcome(Kind.FATAL_ERROR, stderr=text)) == ["LLVM ERROR: Cannot select: y"]


def test_an_exception_is_told_with_what_it_says() -> None:
    text = "terminate called after throwing an instance of 'E'\n  what():  no rule\nStack dump:\n"
    assert message_of(outcome(Kind.FATAL_ERROR, stderr=text)) == [
        "terminate called after throwing an instance of 'E'",
        "what():  no rule",
    ]


def test_a_fatal_error_that_says_nothing_has_the_words_before() -> None:
    error = Diagnostic("a.mlir", 2, 7, "error", "must be a constant")
    failed = replace(
        outcome(Kind.FATAL_ERROR, stderr="LLVM ERROR: aborting\n"), diagnostics=(error,)
    )
    assert message_of(failed) == ["error: must be a constant"]


def test_the_error_that_says_what_a_program_stops_for_is_told_as_well() -> None:
    error = Diagnostic("a.mlir", 2, 7, "error", "'a.b' op folder produced an i1")
    text = "LLVM ERROR: incorrect fold result\n"
    failed = replace(outcome(Kind.FATAL_ERROR, stderr=text), diagnostics=(error,))
    assert message_of(failed) == [text.strip()]
    about = replace(failed, signature=replace(failed.signature, op="a.b"))
    assert message_of(about) == [f"error: {error.message}", text.strip()]
    assert message_of(replace(about, stderr="LLVM ERROR: bad 'a.b'\n")) == ["LLVM ERROR: bad 'a.b'"]
    template = "incorrect fold result <- 'a.b' op folder produced an <type>"
    led_to = replace(failed, signature=replace(failed.signature, template=template))
    assert message_of(led_to) == message_of(about)


def test_without_a_diagnostic_the_last_line_counts() -> None:
    assert message_of(outcome(Kind.OTHER_ERROR, stderr="one\ntwo\n\n")) == ["two"]


def test_a_hang_says_for_how_long() -> None:
    hang = replace(outcome(Kind.TIMEOUT), seconds=8.03)
    assert message_of(hang) == ["does not finish within 8 s"]
    assert message_of(hang, 4.0) == ["does not finish within 4.0 s"]
    known = replace(hang, signature=Signature(Kind.TIMEOUT, stage="pipeline CSEPass"))
    assert message_of(known) == ["does not finish within 8 s, in CSEPass"]
    nameless = replace(hang, signature=Signature(Kind.TIMEOUT, stage="pipeline libA.so+0x5000"))
    assert message_of(nameless) == ["does not finish within 8 s"]


def test_a_long_message_loses_the_operation_that_it_prints() -> None:
    message = 'failed to legalize: %1 = "x.bad"(%0) : ' + "tensor<4xf32>, " * 40
    failed = Outcome(
        Kind.LEGALIZATION,
        Signature(Kind.LEGALIZATION),
        diagnostics=(Diagnostic("", 0, 0, "error", message),),
    )
    assert with_comments("x", [["t"]], failed).splitlines()[-1] == "// error: failed to legalize:…"


def test_addresses_and_folders_differ_from_run_to_run_and_are_left_out() -> None:
    text = "LLVM ERROR: node 0x3c65dc10 of /tmp/oracle-x1y2/input.mlir, a/b and 0x10"
    failed = outcome(Kind.FATAL_ERROR, stderr=text)
    last = with_comments("x", [["t"]], failed).splitlines()[-1]
    assert last == "// LLVM ERROR: node 0x… of input.mlir, a/b and 0x10"


def test_a_message_that_says_little_is_followed_by_the_pass_that_failed() -> None:
    signature = Signature(Kind.OTHER_ERROR, stage="pipeline PadOperandsPass")
    failed = Outcome(Kind.OTHER_ERROR, signature, stderr="failed to run translation\n")
    assert message_of(failed) == ["failed to run translation", "  in PadOperandsPass"]


def test_a_silent_failure_is_told_and_not_the_last_line_of_the_ir_that_names_its_pass() -> None:
    dump = "// -----// IR Dump After APass Failed (a-pass) //----- //\n}) : () -> ()\n"
    signature = Signature(Kind.OTHER_ERROR, "silent failure (exit 1)", stage="pipeline APass")
    silent = Outcome(Kind.OTHER_ERROR, signature, stderr=dump)
    assert message_of(silent) == ["silent failure (exit 1)", "  in APass"]


def test_a_match_without_an_error_is_told_and_not_the_last_line_of_an_ir_dump() -> None:
    told = "/llvm.mul/ after convert-to-llvm"
    dumped = outcome(Kind.MATCH, told, stderr="func.func @f() {\n  llvm.mul\n}\n")
    assert message_of(dumped) == [f"match: {told}"]


def test_a_symbol_cannot_leave_its_comment() -> None:
    message = 'no such symbol @"a\n*/ module {}\r\x00\u2029` $(b) \\'
    failed = Outcome(
        Kind.OTHER_ERROR,
        Signature(Kind.OTHER_ERROR),
        diagnostics=(Diagnostic("", 0, 0, "error", message),),
    )
    comment = with_comments("x\n", [["t"]], failed).removeprefix("// t\nx\n")
    assert comment.startswith("// error: no such symbol @")
    assert comment.splitlines() == [comment[:-1]]
    assert comment[:-1].isprintable()


PRETTY = """\
#map = affine_map<(d0) -> (d0)>
module {
  func.func @a_long_name(%arg0: tensor<4xf32>) {
    "t.op"(%arg0) {m = #map} : (tensor<4xf32>) -> ()
    return
  }
}
"""
NICE = """\
func.func @main(%a: tensor<4xf32>) {
  "t.op"(%a) {m = affine_map<(d0) -> (d0)>} : (tensor<4xf32>) -> ()
  return
}
"""

Finished = Callable[[Callable[[str], bool]], tuple[str, int]]


class ReadsGenericFormOnly:
    """A condition that asks a release whose pretty form is another."""

    name = ConditionName.OTHER_BUILDS

    def check(self, candidate: Candidate[Any], run: Run | None) -> Refusal | None:
        return None if '"func.func"' in candidate.text else Refusal(self.name)


@pytest.fixture
def finished(iree_toolchain: Callable[..., Toolchain], tmp_path: Path) -> Iterator[Finished]:
    """A function from a predicate to the final text and the number of runs."""
    normaliser = OptPrinter(iree_toolchain().opt, Limits(120.0))
    generic = normaliser.generic(PRETTY)
    assert generic is not None
    module = Module.parse(generic)

    with Journal.open(tmp_path / "journal", identity={}) as journal:

        def finish(fails: Callable[[str], bool]) -> tuple[str, int]:
            oracle = PredicateOracle(fails)
            judge = Judge(oracle, Memory(), conditions=[ReadsGenericFormOnly()], target=FAILURE)
            conversions = Conversions(normaliser, journal, lambda text: None)
            text = ReadablePrinter(judge, conversions, lambda text: None).readable(module)
            judge.close()
            return text, len(oracle.texts)

        yield finish


@pytest.mark.iree
def test_all_steps_cost_one_run(finished: Finished) -> None:
    assert finished(lambda text: True) == (NICE, 1)


@pytest.mark.iree
def test_a_step_that_the_failure_does_not_survive_is_left_out(finished: Finished) -> None:
    with_name = NICE.replace("main", "a_long_name")
    assert finished(lambda text: "a_long_name" in text)[0] == with_name
    text, _ = finished(lambda text: "module {" in text)
    assert text.startswith("module {") and "@main" in text and "m = affine_map" in text
    assert finished(lambda text: "#map" in text)[0].startswith("#map = affine_map")


@pytest.mark.iree
def test_what_fails_in_no_other_form_stays_generic(finished: Finished) -> None:
    assert finished(lambda text: '"func.func"' in text and "a_long_name" in text)[0].startswith(
        "#map = affine_map<(d0) -> (d0)>\n"
    )
