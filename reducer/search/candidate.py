"""Candidates, verdicts, the size order of documents, and a canonical form of programs.

A clean-up pass of the compiler renumbers all values. Verdicts are looked up by the canonical form,
so renaming alone never causes another run.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Generic

from oracles import Oracle
from reducer.ir import D, Document, GenericSyntaxError, Module
from reducer.ir.lexer import BLOCK, COMMENT, STRING, VALUE
from reducer.ir.shapes import number_cost


class Verdict(StrEnum):
    """The outcome of a candidate, compared with the target signature."""

    SAME = "same"
    OTHER_FAILURE = "other-failure"
    NOT_INTERESTING = "not-interesting"
    INVALID = "invalid"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Candidate(Generic[D]):
    """A program to try, and the name of the transformation or step that produced it.

    `base` is the program that was edited, if there is one, and `oracle` runs it, if that is not the
    search's own: of a command that is tried, with the same program.
    """

    document: D
    origin: str
    base: D | None = field(default=None, compare=False, repr=False)
    oracle: Oracle | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        return self.document.text


@dataclass(frozen=True, slots=True)
class SizeKey:
    """The size order of documents; every accepted step decreases it.

    Compares ops, then sizes and ranks, then element types, then characters, then numbers. Types are
    only examined if the op counts are equal, since that is most of the work for a large module.
    """

    document: Document

    def __lt__(self, other: "SizeKey") -> bool:
        mine, its = self.document, other.document
        if mine.op_count != its.op_count:
            return mine.op_count < its.op_count
        mine_cost, its_cost = (*mine.type_cost, len(mine.text)), (*its.type_cost, len(its.text))
        if mine_cost != its_cost:
            return mine_cost < its_cost
        return number_cost(mine.text) < number_cost(its.text)


def size_key(document: Document) -> SizeKey:
    """A key that orders documents by size."""
    return SizeKey(document)


def is_readable(document: Document) -> bool:
    """Whether a document can be edited: an edit may have made text that cannot be parsed."""
    try:
        if isinstance(document, Module):
            document.read()
    except GenericSyntaxError:
        return False
    return True


def is_nothing(document: Document) -> bool:
    """Whether a document is the empty module, without ops and module attributes.

    No reduction starts if the empty module fails (see `SanityChecks`).
    """
    if not isinstance(document, Module) or document.op_count or not is_readable(document):
        return False
    return not any(document.syntax(op).attributes for op in document.roots)


_LARGEST = 1 << 20  # characters; few larger texts are run, and hardly any of them twice
_PIECES = re.compile(f"({STRING}|{COMMENT}|{VALUE}|{BLOCK})")


@lru_cache(maxsize=32)  # each candidate is looked up several times
def canonical(text: str) -> str:
    """The text with values and blocks renumbered in the order of their first occurrence.

    Equal results imply equal programs. The converse need not hold: if two functions share a name in
    one text but not in the other, the results differ. Very large texts are returned unchanged.
    """
    if len(text) > _LARGEST:
        return text
    pieces = _PIECES.split(text)
    names = [piece for piece in dict.fromkeys(pieces[1::2]) if piece[0] in "%^"]
    numbered = {name: f"{name[0]}{number}" for number, name in enumerate(names)}
    pieces[1::2] = [numbered.get(piece, piece) for piece in pieces[1::2]]
    return "".join(pieces)
