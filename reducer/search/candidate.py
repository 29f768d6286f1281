"""Candidates, verdicts, what they cost, the size order of documents, and a canonical form.

A clean-up pass of the compiler renumbers all values. Verdicts are looked up by the canonical form,
so renaming alone never causes another run.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Generic

from oracles import Oracle
from reducer.asking import Cost
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


@dataclass
class CostCounter(Cost):
    """What a reduction has spent, excluding cached verdicts; `candidate_ops` sums up all runs."""

    by_verdict: dict[str, int] = field(default_factory=dict)
    candidate_ops: int = 0

    def add_run(self, verdict: Verdict, cpu_seconds: float, ops: int) -> None:
        """Count a run; it is charged when its outcome is first asked for."""
        self.add(1, cpu_seconds, charged=0)
        self.note(verdict, ops)

    def note(self, verdict: str, ops: int, calls: int = 1) -> None:
        """Note what runs that are counted have shown of programs with so many ops."""
        with self._lock:
            self.by_verdict[verdict] = self.by_verdict.get(verdict, 0) + calls
            self.candidate_ops += calls * ops

    def add_probes(self, cost: Cost, ops: int) -> None:
        """Count runs that examine a failure and judge no candidate; each is given `ops` ops."""
        self.add(cost.calls, cost.cpu_seconds)
        self.note("probe", ops, cost.calls)


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
