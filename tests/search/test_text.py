"""Reducing plain text: memory use stays low, however large it is."""

import gc
import threading
import tracemalloc
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from oracles import Limits, Outcome
from reducer.ir import PlainText
from reducer.search.judge import Judge
from reducer.search.polish import reduce_to_fixpoint
from reducer.search.state import SearchState
from reducer.transformations import text_transformations
from tests.support.predicate import FAILURE, Memory, PredicateOracle

LINE = '  %{} = "x.y"(%a) : (tensor<4x128xf32>) -> tensor<4x128xf32>\n'


class Forgetful(PredicateOracle):
    """An oracle that keeps no texts, so all memory in use belongs to the search."""

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        outcome = super().run(text)
        self.texts.clear()
        return outcome


def reduced(text: str, fails: Callable[[str], bool]) -> str:
    judge = Judge(Forgetful(fails), Memory(), target=FAILURE)
    state: SearchState[PlainText] = SearchState(
        PlainText(text), lambda edited: state.document.edited(edited), judge, lambda _: None
    )
    reduce_to_fixpoint(state, text_transformations(), lambda name: None)
    return state.document.text


def test_no_copies_are_kept_if_nothing_can_be_deleted() -> None:
    text = "f {\n" + "".join(LINE.format(number) for number in range(60)) + "}\n"
    gc.collect()
    tracemalloc.start()
    try:
        assert reduced(text, lambda candidate: False) == text
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 60 * len(text), f"{peak / len(text):.0f} times the text"


def test_an_edit_that_failed_on_another_text_is_tried_again() -> None:
    def fails(text: str) -> bool:
        return ("b" in text and ("a" in text) == ("c" in text)) or text == "b\n"

    assert reduced("a\nb\nc\nd\n", lambda text: "b" in text) == "b\n"
    assert reduced("b\nd\n", fails) == "b\n"


lines = st.lists(
    st.sampled_from(["{\n", "}\n", "x.y (\n", ") // {\n", '"}" [\n', "]\n", "a.b\n", "\n"])
)


@given(lines, lines, lines)
def test_derived_tables_match_recomputed_ones(
    before: list[str], gone: list[str], after: list[str]
) -> None:
    text = PlainText("".join([*before, *gone, *after]))
    left = "".join(before + after)
    run = (len(before), len(before) + len(gone))
    assert text.without([run]) == left
    assert text.edited(left).op_count == PlainText(left).op_count
    if text.is_balanced:
        assert text.is_balanced_without([run]) == PlainText(left).is_balanced
