"""From what a compiler run printed to its signature, at one of three levels of strictness.

- `normal` tells bugs apart: kind, message template, operation, the pass where the text names it,
  the first meaningful frames of a stack.
- `loose` keeps the kind of trouble: the essence of the message, whatever the operation, and the
  top meaningful frame. For a bug that shows in many ops, or a result smaller at any price.
- `strict` keeps the words: the message as written (names, types, numbers), every further error
  and note, the pass, all meaningful frames. For a failure with look-alikes.

No level sees what changes from one run to the next: addresses, SSA names, locations, paths.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from oracles.classify import Classification, failing_pass
from oracles.kind import Kind
from oracles.outcome import Signature
from oracles.process import ProcessResult
from oracles.stage import PIPELINE, input_stage
from oracles.templates import essence_of, fold_addresses, fold_locations, without_printed_operation

MAX_EXACT_LENGTH = 1000
"""A longer message no longer helps."""

_SSA = re.compile(r"%(?!llvm\.)[\w$.#:-]*[\w$#]")


def exact_of(message: str) -> str:
    """Names, types and numbers stay; SSA names, addresses, locations and paths go.

    >>> exact_of("'a.b' op operand %3 of type tensor<4x?xf32> at /tmp/x.mlir:3:4, got 12")
    "'a.b' op operand % of type tensor<4x?xf32> at <path>, got 12"
    """
    text = message.strip().split("\n", 1)[0]
    text = fold_locations(fold_addresses(without_printed_operation(text)))
    text = re.sub(r"(?<=[ (,])!\d+\b", "!", _SSA.sub("%", text))  # metadata is numbered too
    return re.sub(r"\s+", " ", text).strip()[:MAX_EXACT_LENGTH]


MAX_DETAILS = 50
"""Further errors and notes in a strict signature; a flood says no more than its first few."""


class Level(StrEnum):
    """Strictness of a signature."""

    STRICT = "strict"
    NORMAL = "normal"
    LOOSE = "loose"


def signature_at(level: Level, classification: Classification, kind: Kind, stage: str) -> Signature:
    """The signature of a finding. `stage` is where it failed, with the pass where known."""
    if level is Level.LOOSE:
        where = stage if classification.nameless else stage.split(" ", 1)[0]
        essence = _essence(kind, classification.template)
        return Signature(kind, essence, "", where, classification.frames[:1], level=level)
    if level is Level.STRICT:
        return Signature(
            kind,
            exact_of(classification.message) or classification.template,
            classification.op,
            stage or _pass_stage(classification),
            classification.stack,
            details=_details(classification),
            level=level,
        )
    if not classification.frames and not stage:
        stage = _pass_stage(classification)  # a crash without any name but that of the pass
    return Signature(kind, classification.template, classification.op, stage, classification.frames)


def _essence(kind: Kind, template: str) -> str:
    if kind.traits.condition:  # the words are the compiler's own; only where it stands goes
        return re.sub(r" in [\w:~]+(?: \[[^\]]*\])?$", "", template)
    return essence_of(template)


def _pass_stage(classification: Classification) -> str:
    return f"{PIPELINE} {classification.pass_name}" if classification.pass_name else ""


def _details(classification: Classification) -> tuple[str, ...]:
    """Every error and note but the first error, sorted: dispatches fail in any order."""
    texts: set[str] = set()
    for diagnostic in classification.diagnostics:
        if diagnostic.severity == "error":
            texts |= {exact_of(text) for text in (diagnostic.message, *diagnostic.notes)}
    texts -= {exact_of(classification.message), ""}
    return tuple(sorted(texts)[:MAX_DETAILS])


class Probes(Protocol):
    """Further runs on the same candidate."""

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        """The `-opt` tool, which runs no pass; None where there is no such tool."""
        ...

    def name_pass(self) -> ProcessResult:
        """The compiler once more, told to name the pass that fails."""
        ...


def derive(
    classification: Classification, level: Level, probes: Probes, *, names_pass: bool = False
) -> Signature:
    """The signature of a run at a level. `told`: that run was already told to name the pass.

    At `normal`, the pass counts where the user's own flags make the compiler name it, or where
    nothing else names the bug. Whether we told it must not show, or an earlier failure of another
    kind would change a signature.
    """
    kind, stage = classification.kind, ""
    if classification.primary is not None and not classification.nameless:
        stage, kind = PIPELINE, classification.kind
        if not classification.settled:
            stage, kind = input_stage(classification, probes.verify)
        known = "" if names_pass and level is Level.NORMAL else classification.pass_name
        if level is Level.STRICT and stage == PIPELINE and not names_pass:
            known = known or failing_pass(probes.name_pass().stderr)
        if known and not kind.traits.rejected and stage in (PIPELINE, ""):
            stage = f"{PIPELINE} {known}"
    elif classification.nameless:
        name = classification.pass_name
        if not name and not names_pass:
            name = failing_pass(probes.name_pass().stderr)
        stage = f"{PIPELINE} {name}".rstrip()
    return signature_at(level, classification, kind, stage)
