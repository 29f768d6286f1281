"""What later runs found out about a result: what its failure needs, and which releases have it."""

from collections.abc import Sequence
from dataclasses import dataclass

from reducer.driver.records.figures import PassRecord, blames_of
from reducer.explain.explainer import Fact
from reducer.explain.growth import Growth
from reducer.locate.blame import Blame
from reducer.report.facts import Version
from reducer.search.candidate import Verdict
from reducer.storage.json_values import JsonValues

Piece = tuple[bool, str]
"""A part of a sentence, and whether it is code."""


@dataclass(frozen=True)
class Findings:
    """What is known about a result besides its reduction; None and () if nobody asked."""

    boundary: tuple[Fact, ...] | None = None
    releases: tuple[Version, ...] = ()
    growth: Growth | None = None
    blames: tuple[Blame, ...] = ()


def findings_of(metadata: object) -> Findings:
    """The findings in the metadata of a bug report. What is missing or malformed is unknown."""
    read = JsonValues(metadata)
    facts, rows = read.parts("boundary"), read.parts("versions")
    known = [one.read(Version) for one in rows or ()]
    return Findings(
        None if facts is None else tuple(one for fact in facts if (one := fact.read(Fact))),
        tuple(one for one in known if one is not None and one.version),
        (read.part("growth") or read.part("locate").part("growth")).read(Growth),
        blames_of(
            read.part("locate"), PassRecord.from_json(read.part("reduction").part("pass_level"))
        ),
    )


@dataclass(frozen=True)
class Need:
    """One part of the program or command, and what changing it does, as a sentence.

    `tone` is `good` if the program compiles then, `bad` if it fails in any case, else `open`.
    """

    kind: str
    subject: str
    line: int | None
    tone: str
    sentence: tuple[Piece, ...]


_TONES = {Verdict.NOT_INTERESTING: "good", Verdict.SAME: "bad"}
_ORDER = ("good", "open", "bad")
_VERBS = {
    Verdict.NOT_INTERESTING: "Compiles",
    Verdict.OTHER_FAILURE: "Fails in another way",
    Verdict.TIMEOUT: "Does not finish",
}
_PHRASES = ("dropped", "simpler")
"""Changes of an attribute or a flag that are not its new value."""


def needs_of(facts: Sequence[Fact]) -> list[Need]:
    """What the failure needs: first what makes it go away, last what makes no difference."""
    rows = [
        Need(one.kind, one.subject, one.line, _TONES.get(one.verdict, "open"), _sentence(one))
        for one in facts
    ]
    return sorted(rows, key=lambda row: _ORDER.index(row.tone))


def _sentence(fact: Fact) -> tuple[Piece, ...]:
    if fact.verdict is Verdict.SAME:
        return ((False, "Still fails"), *_with(fact.still, fact))
    if fact.verdict not in _VERBS:
        return ((False, "No change to it gives a valid program"),)
    told: list[Piece] = [(False, _VERBS[fact.verdict]), *_change(fact)]
    if fact.verdict is Verdict.OTHER_FAILURE and fact.outcome:
        told += [(False, ": "), (True, fact.outcome)]
    if fact.still:
        told += [(False, "; still fails"), *_with(fact.still, fact)]
    return tuple(told)


def _change(fact: Fact) -> list[Piece]:
    """` with 2 in place of ?`, or ` when it is deleted`."""
    if _is_phrase(fact, fact.change):
        return [(False, f" when it is {fact.change}")]
    now: list[Piece] = [(False, " in place of "), (True, fact.now)] if fact.now else []
    return [(False, " with "), (True, fact.change), *now]


def _with(changes: Sequence[str], fact: Fact) -> list[Piece]:
    phrases = [one for one in changes if _is_phrase(fact, one)]
    values = [one for one in changes if one not in phrases]
    told: list[Piece] = []
    for number, value in enumerate(values):
        told += [(False, ", " if number else " with "), (True, value)]
    if phrases:
        told.append((False, f"{', or' if values else ''} when it is {' or '.join(phrases)}"))
    return told


def _is_phrase(fact: Fact, change: str) -> bool:
    return fact.kind in ("op", "flag") or change in _PHRASES
