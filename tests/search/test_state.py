"""Edits that yield unparsable text make no candidates, in all kinds of search."""

from collections.abc import Callable, Sequence

import pytest

from reducer.ir import GenericSyntaxError, Module
from reducer.search.judge import Judge
from reducer.search.state import SearchState
from reducer.search.sweep import sweep
from reducer.search.windows import grow_around, halve
from reducer.transformations import BoundaryTypes, Site
from reducer.transformations.delete_ops import DeleteOps
from reducer.transformations.sizes import ShrinkSizes
from tests.support.predicate import FAILURE, Memory, PredicateOracle
from tests.support.searching import descend
from tests.support.sides import function

BODY = [f'"t.op{number}"() {{of = tensor<64xf32>}} : () -> ()' for number in range(40)]
MODULE = Module.parse(function("\n".join([*BODY, '"func.return"() : () -> ()'])))
ABI = BoundaryTypes.of(MODULE)


def unreadable(text: str) -> Module:
    raise GenericSyntaxError(1, text[:20], "not for this reader")


class ReadsItsOwnResult:
    """A transformation that parses its own output, as some do."""

    name = "reads its own result"
    all_at_once = False

    def sites(self, module: Module) -> list[Site]:
        return DeleteOps(ABI).sites(module)

    def apply(self, module: Module, sites: Sequence[Site]) -> str | None:
        return Module.parse("not MLIR").text


def state_of(parse: Callable[[str], Module]) -> tuple[SearchState[Module], PredicateOracle]:
    oracle = PredicateOracle(lambda text: True)
    judge = Judge(oracle, Memory(), target=FAILURE)
    return SearchState(MODULE, parse, judge, lambda candidate: None), oracle


SEARCHES: list[Callable[[SearchState[Module]], object]] = [
    lambda state: halve(state, ABI),
    lambda state: grow_around(state, ABI, [MODULE.t.name.index("t.op7")]),
    lambda state: sweep(state, DeleteOps(ABI)),
    lambda state: sweep(state, ReadsItsOwnResult()),
    lambda state: descend(state, ShrinkSizes()),
]


@pytest.mark.parametrize("search", SEARCHES, ids=["halve", "grow", "sweep", "edit", "descend"])
def test_unparsable_candidates_are_skipped(
    search: Callable[[SearchState[Module]], bool],
) -> None:
    state, oracle = state_of(unreadable)
    assert search(state) is False
    assert oracle.texts == []


def test_the_next_candidate_is_tried() -> None:
    def parse(text: str) -> Module:
        return unreadable(text) if '"t.op0"' in text else Module.parse(text)

    state, oracle = state_of(parse)
    assert halve(state, ABI)
    second_half = Module.parse(oracle.texts[0])
    assert second_half.t.name[2:-1] == [f"t.op{number}" for number in range(20, 40)]


def test_what_cannot_be_edited_is_not_accepted() -> None:
    def parse(text: str) -> Module:
        return MODULE.edited(text.replace('"func.return"', 'unreadable\n"func.return"'))

    state, oracle = state_of(parse)  # which takes any text
    assert not sweep(state, DeleteOps(ABI))
    assert oracle.texts and state.document is MODULE
