"""What the search hands to the oracle, and the oracle's verdict as far as the search cares."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic

from reducer.ir import D, Document, Module


class Verdict(StrEnum):
    """How a candidate fares against the wanted signature."""

    SAME = "same"
    OTHER_FAILURE = "other-failure"
    NOT_INTERESTING = "not-interesting"
    INVALID = "invalid"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Candidate(Generic[D]):
    """One program to try, and the name of what made it."""

    document: D
    origin: str

    @property
    def text(self) -> str:
        return self.document.text


@dataclass(frozen=True, slots=True)
class Weight:
    """The measure that every accepted step makes smaller.

    Ops first, then sizes and ranks, then element types, then characters. Types are looked at only
    where the ops are equally many: for a large module that is most of the work.
    """

    document: Document

    def __lt__(self, other: "Weight") -> bool:
        mine, its = self.document, other.document
        if mine.op_count != its.op_count:
            return mine.op_count < its.op_count
        return (*mine.type_cost, len(mine.text)) < (*its.type_cost, len(its.text))


def weight(document: Document) -> Weight:
    """How large a document is, to be compared with that of another."""
    return Weight(document)


def is_nothing(document: Document) -> bool:
    """Whether it is the empty module, which no reduction starts from if it fails (see `Sanity`)."""
    if not isinstance(document, Module) or document.op_count:
        return False
    return not any(document.syntax(op).attributes for op in document.roots)
