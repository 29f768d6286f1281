"""What the search hands to the oracle, the verdict on it, and how the size of two is compared.

A clean-up pass of the compiler prints everything anew, with other numbers: no verdict that was
known before need be asked for again.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic

from reducer.ir import D, Document, Module
from reducer.ir.lexer import BLOCK, VALUE, Outside


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
class SizeKey:
    """The measure that every accepted step makes smaller.

    Ops first, then sizes and ranks, then element types, then characters. Types are looked at only
    where the ops are equally many: for a large module that is most of the work.
    """

    document: Document

    def __lt__(self, other: "SizeKey") -> bool:
        mine, its = self.document, other.document
        if mine.op_count != its.op_count:
            return mine.op_count < its.op_count
        return (*mine.type_cost, len(mine.text)) < (*its.type_cost, len(its.text))


def size_key(document: Document) -> SizeKey:
    """How large a document is, to be compared with that of another."""
    return SizeKey(document)


def is_nothing(document: Document) -> bool:
    """Whether it is the empty module, which no reduction starts from if it fails (see `Sanity`)."""
    if not isinstance(document, Module) or document.op_count:
        return False
    return not any(document.syntax(op).attributes for op in document.roots)


_LARGEST = 1 << 20  # characters; of large texts few are run, and hardly any twice
_NAME = Outside(rf"{VALUE}|{BLOCK}")


def canonical(text: str) -> str:
    """The text with values and blocks numbered in the order in which they are first named.

    Equal results mean equal programs. The opposite need not hold: names that two functions share
    in one text and not in the other keep the two texts apart.
    """
    if len(text) > _LARGEST:
        return text
    numbers: dict[str, str] = {}

    def number(match: re.Match[str]) -> str:
        name = match[0]
        return numbers.setdefault(name, f"{name[0]}{len(numbers)}")

    return _NAME.sub(number, text)
