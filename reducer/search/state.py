"""The best document so far, and what happens when a better one is found."""

from collections.abc import Callable
from typing import Generic

from reducer.ir import D, GenericSyntaxError
from reducer.search.candidate import Candidate, size_key
from reducer.search.evaluator import Evaluator


class SearchState(Generic[D]):
    """What the stages of a search share. Only `accept` changes the document.

    Args:
        parse: makes a document from a transformation's text; may raise GenericSyntaxError.
        evaluator: how candidates are judged; it is the same for a whole search.
        on_accept: called with each new best before the search goes on, to save it.
        checkpoint: called by long searches now and then, between candidates. It may run the
            compiler on the best, and ends the search if it raises.
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

    def candidate(self, write: Callable[[], str | None], origin: str) -> Candidate[D] | None:
        """What an edit makes of the document, if it is smaller.

        None also where the edit changes nothing, and where its text cannot be read: an edit of
        text may come upon a spelling that it does not know, and that costs this candidate only.

        Args:
            write: makes the edit's text; may raise GenericSyntaxError where it reads its own text.
        """
        try:
            text = write()
            document = None if text is None else self.parse(text)
        except GenericSyntaxError:
            return None
        if document is None or not size_key(document) < size_key(self.document):
            return None
        return Candidate(document, origin)

    def accept(self, candidate: Candidate[D]) -> None:
        """Takes an interesting candidate as the new best."""
        self._on_accept(candidate)
        self.document = candidate.document
