"""Programs that fail only in generic form, and those before them that fail in pretty form."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from oracles import Kind, Outcome, Signature
from reducer.driver.stages import finishing
from reducer.identity.degenerate import DegenerateChoice
from reducer.toolchain import Toolchain
from tests.driver.test_table import context_of
from tests.support.in_process import output_of
from tests.support.predicate import FAILED, PASSED, PredicateOracle
from tests.support.stages import search

LOOP = """\
func.func @main(%n: index, %m: index) {
  affine.for %i = 0 to affine_map<(d0)[s0] -> (d0 + s0 * 4)>(%n)[%m] {
    "t.op"(%i) : (index) -> ()
  }
  return
}
"""
WENT_BACK = "a smaller program fails only in generic form; the result fails in pretty form"
GAVE_UP = "the pretty form does not fail the same way; the result is in generic form"


@dataclass(frozen=True)
class Reduced:
    """The printed result, the notes about it, and all texts that were run."""

    text: str
    notes: list[str]
    texts: list[str]


Reduce = Callable[..., Reduced]


@pytest.fixture
def reduced(iree_toolchain: Callable[..., Toolchain], tmp_path: Path) -> Reduce:
    """A function that reduces `LOOP` to a valid program that meets a condition."""
    opt = iree_toolchain().opt

    def reduce(wanted: Callable[[str], bool], *, keep_generic: bool = False) -> Reduced:
        oracle = PredicateOracle(lambda text: wanted(text) and _is_valid(opt, text))
        context, notes = context_of(oracle, tmp_path, text=LOOP, opt=opt)
        context.settings = replace(context.settings, keep_generic=keep_generic)
        search(context)
        finishing.print_for_people(context)
        context.judging.full.close()
        return Reduced(context.found.printed.readable, notes, oracle.texts)

    return reduce


def _is_valid(opt: Path, text: str) -> bool:
    return bool(output_of(opt, text, "--allow-unregistered-dialect"))


def test_a_map_that_the_pretty_form_does_not_show_is_not_simplified_away(reduced: Reduce) -> None:
    """A loop to `(d0) -> (d0)` of %a is printed as a loop to %a, without a map."""
    found = reduced(_has_a_map_of_a_dim)
    assert found.notes == [WENT_BACK]
    assert (
        found.text
        == """\
func.func @main(%a: index) {
  affine.for %b = 0 to affine_map<(d0)[s0] -> (d0)>(%a)[%a] {
  }
  return
}
"""
    )


def test_what_was_said_of_the_smaller_program_is_forgotten(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    opt = iree_toolchain().opt
    oracle = PredicateOracle(lambda text: _has_a_map_of_a_dim(text) and _is_valid(opt, text))
    context, notes = context_of(oracle, tmp_path, text=LOOP, opt=opt)
    context.found.degenerate = DegenerateChoice(("an unused result",), kept=True)
    search(context)
    context.judging.full.close()
    assert notes == [WENT_BACK]
    assert context.found.degenerate is None


def test_generic_form_on_request_may_be_smaller(reduced: Reduce) -> None:
    found = reduced(_has_a_map_of_a_dim, keep_generic=True)
    assert '"affine.for"(' in found.text
    assert found.notes == []


def test_where_no_step_fails_in_pretty_form_the_smallest_one_stays(reduced: Reduce) -> None:
    found = reduced(lambda text: text == LOOP or '"affine.for"(' in text)
    assert found.text.count('"affine.for"(') == 1
    assert found.notes == [GAVE_UP]


def _outcome(kind: Kind, template: str, *stack: str) -> Outcome:
    return replace(FAILED, kind=kind, signature=Signature(kind, template, frames=stack))


@pytest.mark.parametrize(
    ("printed", "note"),
    [
        (_outcome(Kind.CRASH, "SIGSEGV", "b", "c"), GAVE_UP),
        (_outcome(Kind.TIMEOUT, "", ""), GAVE_UP),
        (_outcome(Kind.VERIFIER, "no loop"), WENT_BACK),
    ],
)
def test_a_crash_that_is_elsewhere_as_printed_is_chance(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path, printed: Outcome, note: str
) -> None:
    opt, crash = iree_toolchain().opt, _outcome(Kind.CRASH, "SIGSEGV", "a", "b", "c")
    oracle = PredicateOracle(
        lambda text: _has_a_map_of_a_dim(text) and _is_valid(opt, text),
        failure=crash,
        otherwise=lambda text: printed if "affine.for %" in text else PASSED,
    )
    context, notes = context_of(oracle, tmp_path, text=LOOP, opt=opt)
    search(context)
    finishing.print_for_people(context)
    context.judging.full.close()
    assert notes == [note]


def test_a_result_that_fails_in_pretty_form_costs_no_further_run(reduced: Reduce) -> None:
    found = reduced(lambda text: "t.op" in text)
    assert found.notes == []
    assert [text for text in found.texts if '"func.func"' not in text] == [LOOP, found.text]


def _has_a_map_of_a_dim(text: str) -> bool:
    return "affine_map<(d0)" in text
