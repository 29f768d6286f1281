"""The state of a search: the best document so far, and the documents made lately."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from reducer.ir import D, GenericSyntaxError
from reducer.search.candidate import Candidate
from reducer.search.conditions import Refused, unreadable
from reducer.search.judge import Judge

_MOST_CHARACTERS = 2_000_000  # of all documents together, which take some 20 times as much memory
_LARGEST = 100_000  # characters; few larger programs are made twice

T = TypeVar("T")


class Recent:
    """What was made of texts, the least recently used forgotten first. For one thread.

    Different edits make the same text, and workers that are ahead (see `speculation`) look at a
    candidate many times before it is asked about. What a document knows about itself (its ops, the
    sites of transformations) is found out once.
    """

    def __init__(self) -> None:
        self._made: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._characters = 0

    def made(self, text: str, how: Hashable, make: Callable[[str], T]) -> T:
        """`make(text)`, or what it gave before for the same `how`. Exceptions are not kept."""
        if len(text) > _LARGEST:
            return make(text)
        key = how, text
        known = self._made.get(key)
        if known is not None:
            self._made.move_to_end(key)
            value: T = known[0]
            return value
        value = make(text)
        self._made[key] = value, len(text)
        self._characters += len(text)
        while self._characters > _MOST_CHARACTERS:
            self._characters -= self._made.popitem(last=False)[1][1]
        return value


class SearchState(Generic[D]):
    """The state that search algorithms share. Only `accept` and `turn_back` change the document.

    Args:
        parse: makes a document of a transformation's text; may raise GenericSyntaxError.
        judge: judges candidates; the same until the search is turned back.
        on_accept: called with each new best, to save it before the search continues.
        checkpoint: called periodically by long searches, between candidates. It may run the
            compiler on the best; an exception from it ends the search.
    """

    def __init__(
        self,
        document: D,
        parse: Callable[[str], D],
        judge: Judge,
        on_accept: Callable[[Candidate[D]], None],
        checkpoint: Callable[[], None] = lambda: None,
    ) -> None:
        self.document = document
        self.parse = parse
        self.judge = judge
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
            refusal = self.judge.query.conditions.before_a_run(candidate)
        except GenericSyntaxError as error:
            return Refused(origin, unreadable(str(error)))
        return candidate if refusal is None else Refused(origin, refusal, after.op_count)

    def accept(self, candidate: Candidate[D]) -> None:
        """Make an interesting candidate the new best."""
        self._on_accept(candidate)
        self.document = candidate.document

    def turn_back(self, document: D, judge: Judge) -> None:
        """Go on from an earlier document, with stricter judgment from here on."""
        self.document = document
        self.judge = judge
