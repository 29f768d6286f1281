"""Rank what is known by how much of the evidence of a failure it shares.

The same signature comes first, then the same message, and within each the share of the evidence:
each piece weighs as much as it is rare among what is known (the inverse document frequency of
Okapi BM25, Robertson and Zaragoza 2009), times what its kind is worth. A message says most, an op
or a word little; what the failure does not have is not counted against anybody, since issues are
long and tell of much else.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reducer.report.similar.evidence import Evidence
from reducer.report.similar.known import Known

WEIGHTS: Mapping[str, float] = {
    "message": 4.0,
    "function": 2.0,
    "pass": 2.0,
    "op": 1.0,
    "word": 0.25,
    "target": 0.25,
}
"""What one piece of evidence of each kind is worth, relative to an op."""

LEAST = 0.2
"""The least share of the evidence with which something is worth a look."""

_SHOWN = 4  # functions and ops that an explanation names

Piece = tuple[str, str]
"""A piece of evidence: its kind, a key of `WEIGHTS`, and what it is."""


@dataclass(frozen=True)
class Match:
    """Something known, and what it shares with a failure.

    `score` is the share of the evidence, from 0 to 1. `same_signature` and `same_message` come
    before any score. `shared` is sorted, what weighs most first.
    """

    known: Known
    score: float
    same_signature: bool
    shared: tuple[Piece, ...]

    @property
    def same_message(self) -> bool:
        return any(kind == "message" for kind, _ in self.shared)

    @property
    def is_likely(self) -> bool:
        """Whether a person should look at it before filing."""
        return self.same_signature or self.same_message or self.score >= LEAST

    @property
    def reason(self) -> str:
        """What is shared, in words; words and targets only if there is nothing else."""
        reasons = ["same signature"] if self.same_signature else []
        reasons += ["same message"] if self.same_message and not self.same_signature else []
        passes, functions, ops = map(self._of_kind, ("pass", "function", "op"))
        reasons += [f"same pass: {', '.join(passes)}"] if passes else []
        reasons += [f"both crash in {_listed(functions)}"] if functions else []
        reasons += [f"shares {_listed(ops)}"] if ops else []
        return "; ".join(reasons) or "similar wording"

    def _of_kind(self, kind: str) -> list[str]:
        return [name for one, name in self.shared if one == kind]

    def to_json(self) -> dict[str, object]:
        """The match as plain values."""
        return {
            "title": self.known.title,
            "number": self.known.number,
            "url": self.known.url,
            "place": self.known.place,
            "score": round(self.score, 4),
            "same_signature": self.same_signature,
            "same_message": self.same_message,
            "likely": self.is_likely,
            "reason": self.reason,
            "shared": [{"kind": kind, "what": what} for kind, what in self.shared],
        }


def rank(failure: Evidence, issues: Sequence[Known]) -> list[Match]:
    """All of `issues`, the most similar first; equal ones in the order of their names.

    Takes time linear in the size of `issues`.
    """
    pieces = list(_pieces(failure))
    has = [_shared(pieces, one.evidence) for one in issues]
    frequency = {piece: sum(piece in found for found in has) for piece in pieces}
    weight = {piece: WEIGHTS[piece[0]] * rarity(frequency[piece], len(issues)) for piece in pieces}
    total = sum(weight.values()) or 1.0
    matches = [
        Match(
            one,
            sum(weight[piece] for piece in pieces if piece in found) / total,
            bool(failure.bucket) and failure.bucket == one.evidence.bucket,
            tuple(sorted(found, key=lambda piece: (-weight[piece], piece))),
        )
        for one, found in zip(issues, has, strict=True)
    ]
    return sorted(matches, key=_order)


def rarity(having: int, of: int) -> float:
    """The weight of what `having` of `of` documents have; never negative.

    >>> rarity(1, 100) > rarity(50, 100) > rarity(100, 100) > 0
    True
    """
    return math.log(1 + (of - having + 0.5) / (having + 0.5))


def _order(match: Match) -> tuple[bool, bool, float, str, str]:
    one = match.known
    return (not match.same_signature, not match.same_message, -match.score, one.place, one.title)


def _pieces(failure: Evidence) -> Iterator[Piece]:
    for kind, names in (
        ("message", failure.messages),
        ("function", failure.functions),
        ("pass", failure.passes),
        ("op", failure.ops),
        ("word", failure.words),
        ("target", failure.targets),
    ):
        for name in sorted(names):
            yield kind, name


def _shared(pieces: Sequence[Piece], other: Evidence) -> frozenset[Piece]:
    """The pieces that something known has, too."""
    names: Mapping[str, Collection[str]] = {
        "function": other.functions,
        "op": other.ops,
        "word": other.words,
        "target": other.targets,
    }
    ends = {end for name in other.passes for end in _ends(name)}
    shared = []
    for kind, name in pieces:
        if kind == "message":
            has = any(name in line for line in other.messages)
        elif kind == "pass":
            has = name in ends or not other.passes.isdisjoint(_ends(name))
        else:
            has = name in names[kind]
        if has:
            shared.append((kind, name))
    return frozenset(shared)


def _ends(name: str) -> Iterator[str]:
    """A pass's name, and what is left of it without prefixes, which projects put before it.

    >>> list(_ends("iree-codegen-gpu-pad"))
    ['iree-codegen-gpu-pad', 'codegen-gpu-pad', 'gpu-pad']
    """
    words = name.split("-")
    yield name
    for start in range(1, len(words) - 1):
        yield "-".join(words[start:])


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
