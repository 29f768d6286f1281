"""A part of a journal for a reduction inside another one, as at the level of the failing pass."""

from oracles import Outcome
from reducer.session.journal import Journal


class Section(Journal):
    """Verdicts, texts and facts under names of their own.

    Args:
        journal: whose file it is; closing the section leaves it open.
        name: tells this section from others, and from the reduction around it.
    """

    def __init__(self, journal: Journal, name: str) -> None:
        self._journal = journal
        self._name = name

    def close(self) -> None:
        """Nothing: the journal goes on."""

    def settle(self) -> None:
        """Nothing: whose file it is has settled."""

    def doubt(self, doubtful: bool) -> None:
        """Nothing: what is found in a part says nothing of the whole reduction."""

    def get(self, digest: str) -> Outcome | None:
        return self._journal.get(self._own(digest))

    def put(self, digest: str, outcome: Outcome, ops: int) -> None:
        self._journal.put(self._own(digest), outcome, ops)

    def count(self) -> int:
        """How many verdicts are known in the whole journal."""
        return self._journal.count()

    def get_text(self, key: str) -> str | None:
        return self._journal.get_text(self._own(key))

    def put_text(self, key: str, text: str) -> None:
        self._journal.put_text(self._own(key), text)

    def get_meta(self, key: str) -> str | None:
        return self._journal.get_meta(self._own(key))

    def set_meta(self, key: str, value: str) -> None:
        self._journal.set_meta(self._own(key), value)

    def _own(self, key: str) -> str:
        return f"{self._name}: {key}"
