"""How much of a failure must stay the same: three levels of strictness.

- `normal` tells bugs apart: kind, message template, operation, the pass where the text names it,
  the first meaningful frames of a stack.
- `loose` keeps the kind of trouble: the essence of the message, whatever the operation, and the
  top meaningful frame. For a bug that shows in many ops, or a result smaller at any price.
- `strict` keeps the words: the message as written (names, types, numbers), every further error
  and note, the pass, all meaningful frames. For a failure with look-alikes.

No level sees what changes from one run to the next: addresses, SSA names, locations, paths.
"""

import re
from enum import StrEnum

from oracles.classify import Finding
from oracles.exact import exact_of
from oracles.kind import Kind
from oracles.normalise import essence_of
from oracles.signature import Signature
from oracles.stage import PIPELINE

DETAILS_KEPT = 50
"""Further errors and notes in a strict signature; a flood says no more than its first few."""


class Level(StrEnum):
    """Strictness of a signature."""

    STRICT = "strict"
    NORMAL = "normal"
    LOOSE = "loose"


def signature_at(level: Level, finding: Finding, kind: Kind, stage: str) -> Signature:
    """The signature of a finding. `stage` is where it failed, with the pass where known."""
    if level is Level.LOOSE:
        where = stage if finding.nameless else stage.split(" ", 1)[0]
        essence = _essence(kind, finding.template)
        return Signature(kind, essence, "", where, finding.frames[:1], level=level)
    if level is Level.STRICT:
        return Signature(
            kind,
            exact_of(finding.message) or finding.template,
            finding.op,
            stage or _pass_stage(finding),
            finding.stack,
            details=_details(finding),
            level=level,
        )
    if not finding.frames and not stage:
        stage = _pass_stage(finding)  # a crash without any name but that of the pass
    return Signature(kind, finding.template, finding.op, stage, finding.frames)


def _essence(kind: Kind, template: str) -> str:
    if kind is Kind.ASSERTION:  # the words are the compiler's own; only where it stands goes
        return re.sub(r" in [\w:~]+(?: \[[^\]]*\])?$", "", template)
    return essence_of(template)


def _pass_stage(finding: Finding) -> str:
    return f"{PIPELINE} {finding.pass_name}" if finding.pass_name else ""


def _details(finding: Finding) -> tuple[str, ...]:
    """Every error and note but the first error, sorted: dispatches fail in any order."""
    texts: set[str] = set()
    for diagnostic in finding.diagnostics:
        if diagnostic.severity == "error":
            texts |= {exact_of(text) for text in (diagnostic.message, *diagnostic.notes)}
    texts -= {exact_of(finding.message), ""}
    return tuple(sorted(texts)[:DETAILS_KEPT])
