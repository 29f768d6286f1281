"""Derive a signature from the output of a compiler run, at one of three levels of strictness.

- `normal` distinguishes bugs: kind, message template, operation, the pass if the output names it,
  the first meaningful frames of a stack.
- `loose` keeps the general nature: the essence of the message, whatever the operation, and the top
  meaningful frame. For a bug that shows in many ops, or for the smallest possible result.
- `strict` keeps the exact words: the message as printed (names, types, numbers), every further
  error and note, the pass, all meaningful frames. For a failure that resembles others.

No level includes what varies from run to run: addresses, SSA names, locations, paths.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Protocol

from oracles.rows import row_of
from oracles.run.run_process import ProcessResult
from oracles.signature.actions import Culprit
from oracles.signature.classify import Classification, failing_pass
from oracles.signature.kind import Kind
from oracles.signature.outcome import Signature, pass_stage
from oracles.signature.reasons import LED_TO
from oracles.signature.stage import PIPELINE, exception_stage, input_stage
from oracles.signature.templates import (
    essence_of,
    fold_addresses,
    fold_locations,
    without_printed_operation,
)
from oracles.signature.unconverted_ops import template_about, user_of_unconverted
from oracles.stacks.crash_stack import CrashStack, names_culprit

MAX_EXACT_LENGTH = 1000
"""The maximum length of an exact message; more text adds nothing."""

_SSA = row_of(r"%(?!llvm\.)[\w$.#:-]*[\w$#]", "llvm/legalize-bitreverse")


def exact_of(message: str) -> str:
    """The message without SSA names, addresses, locations and paths; names, types, numbers stay.

    >>> exact_of("'a.b' op operand %3 of type tensor<4x?xf32> at /tmp/x.mlir:3:4, got 12")
    "'a.b' op operand % of type tensor<4x?xf32> at <path>, got 12"
    """
    text = message.strip().split("\n", 1)[0]
    text = fold_locations(fold_addresses(without_printed_operation(text)))
    text = re.sub(r"(?<=[ (,])!\d+\b", "!", _SSA.sub("%", text))  # metadata has numbers as well
    return re.sub(r"\s+", " ", text).strip()[:MAX_EXACT_LENGTH]


MAX_DETAILS = 50
"""The maximum number of further errors and notes in a strict signature."""


class Level(StrEnum):
    """Strictness of a signature."""

    STRICT = "strict"
    NORMAL = "normal"
    LOOSE = "loose"


def signature_at(level: Level, classification: Classification, kind: Kind, stage: str) -> Signature:
    """The signature of a classified run; `stage` is where it failed, with the pass if known."""
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
            classification.crash.frames,
            details=_details(classification),
            level=level,
        )
    if not stage and not any(map(names_culprit, classification.frames)):
        stage = _pass_stage(classification)  # no function identifies the crash
    return Signature(kind, classification.template, classification.op, stage, classification.frames)


def _essence(kind: Kind, template: str) -> str:
    if kind.traits.condition:  # compiler source text: drop only its location
        return re.sub(
            r" in [\w:~]+(?:\(\))?(?: \[[^\]]*\]| at \S+)?$", "", template.partition(LED_TO)[0]
        )
    return essence_of(template)


def _pass_stage(classification: Classification) -> str:
    return pass_stage(classification.pass_name) if classification.pass_name else ""


def _details(classification: Classification) -> tuple[str, ...]:
    """All errors and notes except the first error, sorted: dispatches fail in any order."""
    texts: set[str] = set()
    for diagnostic in classification.diagnostics:
        if diagnostic.severity == "error":
            texts |= {exact_of(text) for text in (diagnostic.message, *diagnostic.notes)}
    texts -= {exact_of(classification.message), ""}
    return tuple(sorted(texts)[:MAX_DETAILS])


def _at_limit(classification: Classification, level: Level) -> Signature:
    """The signature of a run that reached a limit: the innermost pass that was running.

    The functions inside the pass vary with the moment at which the limit was reached.
    """
    one = classification
    return Signature(one.kind, one.template, one.op, stage=_pass_stage(one), level=level)


class Probes(Protocol):
    """Extra runs on the same candidate."""

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        """Run the `-opt` tool without any pass; None if there is no such tool."""
        ...

    def name_pass(self) -> ProcessResult:
        """Run the compiler again with flags that make it name the failing pass and print its IR."""
        ...

    def culprit(self, crash: CrashStack) -> Culprit:
        """Run the compiler again and ask what it does when it crashes in this way."""
        ...


def derive(
    classification: Classification,
    level: Level,
    probes: Probes,
    *,
    names_pass: bool = False,
    is_input: Callable[[str], bool] = lambda file: True,
) -> Signature:
    """The signature of a run. `names_pass` is whether it already had the pass-naming flags.

    `is_input` is whether a file that an error names is the candidate.

    At `normal`, the pass is part of the signature if the user's own flags make the compiler name
    it, or if nothing else identifies the bug. Flags that we added must make no difference, or an
    earlier failure of another kind would change a signature. An op that is only left because of
    another one (see `unconverted_ops`) says nothing, so the compiler is asked for that one. If the
    verifier crashes on what a pass left, the compiler is asked for the pass; and for the op as well
    if there is no stack, which is all that is left after endless recursion.
    """
    if classification.unconverted and level is not Level.LOOSE:
        classification = _with_user(classification, probes, names_pass=names_pass)
    kind, stage = classification.kind, ""
    if kind.traits.costly:
        return _at_limit(classification, level)
    crash = classification.crash
    if (crash.after_pass or crash.lost) and level is not Level.LOOSE:
        classification = _with_culprit(classification, probes)
        stage = _pass_stage(classification)
    if classification.primary is not None and not classification.nameless:
        stage, kind = PIPELINE, classification.kind
        if not classification.settled:
            stage, kind = input_stage(classification, probes.verify, is_input)
        known = "" if names_pass and level is Level.NORMAL else classification.pass_name
        if level is Level.STRICT and stage == PIPELINE and not names_pass:
            known = known or failing_pass(probes.name_pass().stderr)
        if known and not kind.traits.rejected and stage in (PIPELINE, ""):
            stage = pass_stage(known)
    elif classification.exception is not None:
        stage, kind = exception_stage(classification, probes.verify)
    elif classification.nameless:
        name = classification.pass_name
        if not name and not names_pass:
            name = failing_pass(probes.name_pass().stderr)
        stage = f"{PIPELINE} {name}".rstrip()
    return signature_at(level, classification, kind, stage)


def _with_culprit(classification: Classification, probes: Probes) -> Classification:
    """The same with the pass that crashes, and with the op if there is no stack."""
    one = classification
    if one.pass_name and (one.op or not one.crash.lost):
        return one
    culprit = probes.culprit(one.crash)
    op = one.op or (culprit.op if one.crash.lost else "")
    return replace(one, op=op, pass_name=one.pass_name or culprit.pass_name)


def _with_user(
    classification: Classification, probes: Probes, *, names_pass: bool
) -> Classification:
    """The same about the op that an unconverted constant supplies, if that can be known."""
    user = classification.user
    if not user and not names_pass and classification.primary is not None:
        user = user_of_unconverted(probes.name_pass().stderr, classification.primary.operation)
    if not user:
        return classification
    template = template_about(user, classification.template, classification.message)
    return replace(classification, op=user, template=template)
