"""The best document so far, and how it is replaced by a smaller one."""

from collections.abc import Callable
from typing import Generic

from reducer.ir import D, GenericSyntaxError
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName, Refusal, Refused
from reducer.search.evaluator import Evaluator


class SearchState(Generic[D]):
    """The state that search algorithms share. Only `accept` and `turn_back` change the document.

    Args:
        parse: makes a document of a transformation's text; may raise GenericSyntaxError.
        evaluator: judges candidates; the same until the search is turned back.
        on_accept: called with each new best, to save it before the search continues.
        checkpoint: called periodically by long searches, between candidates. It may run the
            compiler on the best; an exception from it ends the search.
    """

    def __init__(
        self,
        document: D,
        parse: Callable[[str], D],
        evaluator: Evaluator,
        on_accept: Callable[[Candidate[D]], None],
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self.document = document
        self.parse = parse
        self.evaluator = evaluator
        self.checkpoint = checkpoint
        self._on_accept = on_accept

    def made(
        self, write: Callable[[], str | None], origin: str, document: D | None = None
    ) -> Candidate[D] | Refused | None:
        """The candidate that an edit makes of the document, unless it is not worth a run.

        None if the edit changes nothing. A textual edit may meet syntax that it does not know,
        which should cost only this candidate.

        Args:
            write: returns the edit's text; may raise GenericSyntaxError if it parses that text
                itself.
            document: what the edit was applied to, if that is not the present document.
        """
        before = self.document if document is None else document
        try:
            text = write()
            after = None if text is None else self.parse(text)
            if after is None:
                return None
            candidate = Candidate(after, origin, before)
            refusal = self.evaluator.query.conditions.before_a_run(candidate)
        except GenericSyntaxError as error:
            return Refused(origin, Refusal(ConditionName.SYNTAX, str(error)))
        return candidate if refusal is None else Refused(origin, refusal, after.op_count)

    def accept(self, candidate: Candidate[D]) -> None:
        """Make an interesting candidate the new best."""
        self._on_accept(candidate)
        self.document = candidate.document

    def turn_back(self, document: D, evaluator: Evaluator) -> None:
        """Go on from an earlier document, with stricter judgment from here on."""
        self.document = document
        self.evaluator = evaluator
