"""The state of a search in which one worker asks an oracle."""

from functools import partial
from typing import Any

from reducer.ir import Module
from reducer.search.descend import descent
from reducer.search.judge import Judge
from reducer.search.polish import Polishing
from reducer.search.schedule import FailedValues
from reducer.search.state import SearchState
from reducer.search.walk import walk
from reducer.transformations import Tuning
from tests.support.predicate import FAILURE, Memory, PredicateOracle


def state_of(module: Module, oracle: PredicateOracle) -> SearchState[Module]:
    """A search for a smaller module with the failure of the oracle; nothing was asked yet."""
    judge = Judge(oracle, Memory(), target=FAILURE)
    return SearchState(module, Module.parse, judge, lambda candidate: None)


def descend(
    state: SearchState[Module],
    tuning: Tuning[Module, Any],
    failed: FailedValues | None = None,
    *,
    again: bool = False,
    everything: bool = False,
) -> bool:
    """Give every parameter the simplest value that fails; return whether values were put off."""
    ends: list[bool] = []

    def then(document: Module, progress: bool, deferred: bool) -> None:
        ends.append(deferred)

    failed = failed or FailedValues()
    begin = partial(descent, state, tuning, state.document, failed, then=then)
    walk(begin(again=again, everything=everything), state)
    return ends[0]


def polish(*arguments: Any, **options: Any) -> None:
    """Polish the document of a state."""
    Polishing(*arguments, **options).run()
