"""`mlir-reducer report --similar`: what is known already that resembles the failure."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from oracles.profiles import profile_of
from reducer.report import Facts
from reducer.report.similar import Evidence, Known, Match, rank
from reducer.report.similar.evidence import passes_named
from reducer.report.wording import target_of
from reducer.units import cut, plural

SHOWN = 5
"""How many matches are listed for people; `--json` has all of them."""

_WIDTH = 80
_PIPELINE = "pass-pipeline"


def similar_to(facts: Facts, known: Sequence[Known], *, own: Path) -> list[Match]:
    """What is known, the most similar to the failure first.

    Args:
        own: the folder of the report about the failure itself, which is left out.
    """
    others = [one for one in known if Path(one.place).absolute() != own.absolute()]
    return rank(evidence_of(facts), others)


def evidence_of(facts: Facts) -> Evidence:
    """What identifies the failure of a report."""
    program = facts.compiler.name
    return Evidence.of_failure(
        facts.signature,
        facts.text,
        passes=[facts.pass_name, *_passes_of(facts.check.words)],
        functions=[line.split(None, 1)[1] for line in facts.stack if line.startswith("#")],
        targets=[program, *target_of(facts.check.words)],
    )


def _passes_of(words: Sequence[str]) -> list[str]:
    """The passes that the flags of an `…-opt` tool name; a compiler's flags are none."""
    profile = profile_of(words[0])
    if profile.compiler and words[0].endswith(profile.compiler):
        return []
    flags = (word for word in words[1:] if word.startswith("-"))
    return [name for flag in flags for name in passes_named(flag) if name != _PIPELINE]


def similar_text(matches: Sequence[Match]) -> str:
    """The matches that a person should look at before filing."""
    likely = [match for match in matches if match.is_likely]
    if not likely:
        return f"similar  none of {plural(len(matches), 'known failure')} resembles this one"
    lines = [f"similar  look at these before filing ({len(matches):,} are known):"]
    for match in likely[:SHOWN]:
        lines += _entry(match)
    if len(likely) > SHOWN:
        lines.append(f"         and {len(likely) - SHOWN:,} more; --json FILE lists all")
    return "\n".join(lines)


def as_json(matches: Sequence[Match]) -> dict[str, Any]:
    """All matches as plain values, the most similar first."""
    return {"similar": [match.to_json() for match in matches]}


def _entry(match: Match) -> list[str]:
    known = match.known
    state = f" ({known.state.lower()})" if known.state else ""
    head = f"  {match.score:4.0%}  {known.name}{state}  {known.title}"
    lines = [cut(head, _WIDTH), f"        {match.reason}"]
    return [*lines, f"        {known.url}"] if known.url else lines
