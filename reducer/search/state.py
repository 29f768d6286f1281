"""The best document so far, and what happens when a better one is found."""

from collections.abc import Callable
from typing import Generic

from reducer.ir import D
from reducer.search.candidate import Candidate
from reducer.search.evaluator import Evaluator


class State(Generic[D]):
    """What the stages of a search share. Only `accept` changes the document.

    Args:
        parse: makes a document from a transformation's text; may raise GenericSyntaxError.
        on_accept: called with each new best before the search goes on, to save it.
    """

    def __init__(
        self,
        document: D,
        parse: Callable[[str], D],
        evaluator: Evaluator,
        on_accept: Callable[[Candidate[D]], None],
    ) -> None:
        self.document = document
        self.parse = parse
        self.evaluator = evaluator
        self._on_accept = on_accept

    def accept(self, candidate: Candidate[D]) -> None:
        """Takes an interesting candidate as the new best."""
        self._on_accept(candidate)
        self.document = candidate.document
