"""What the search hands to the oracle, and the oracle's verdict as far as the search cares."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic

from reducer.ir import D, Document


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


def weight(document: Document) -> tuple[int, int]:
    """The measure that every accepted step makes smaller: ops first, then characters."""
    return document.op_count, len(document.text)
