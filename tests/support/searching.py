"""The state of a search in which one worker asks an oracle."""

from reducer.ir import Module
from reducer.search.evaluator import Evaluator
from reducer.search.state import SearchState
from tests.support.predicate import FAILURE, Memory, PredicateOracle


def state_of(module: Module, oracle: PredicateOracle) -> SearchState[Module]:
    """A search for a smaller module with the failure of the oracle; nothing was asked yet."""
    evaluator = Evaluator(oracle, Memory(), target=FAILURE)
    return SearchState(module, Module.parse, evaluator, lambda candidate: None)
