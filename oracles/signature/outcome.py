"""The outcome of running one candidate, and the signature that a reduction must preserve."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from oracles.signature.diagnostics import Diagnostic
from oracles.signature.kind import Kind
from oracles.stacks.frames import is_offset
from oracles.stored import fields_of

PIPELINE = "pipeline"
"""The stage of a failure in a pass."""


def pass_stage(name: str) -> str:
    """The stage of a failure in this pass.

    >>> pass_stage("CSEPass")
    'pipeline CSEPass'
    """
    return f"{PIPELINE} {name}"


@dataclass(frozen=True)
class Signature:
    """Identity of a bug: equal before and after a reduction, and on every run of one input.

    `template` is the message without anything that depends on the input (see `templates`), `op` the
    name of the failing operation, `stage` whether the input itself is rejected (`input`) or a pass
    failed (`pipeline`), `frames` the top functions of a crash, or offsets. `details` are further
    errors and notes (strict only); `level` is the strictness (see `derive`). If `varies`, the same
    program crashes in several places, and `frames` are what their stacks have in common.
    """

    kind: Kind
    template: str = ""
    op: str = ""
    stage: str = ""
    frames: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    level: str = "normal"
    varies: bool = False

    @property
    def is_about_an_op(self) -> bool:
        """Whether the message names an op that is wrong in itself, whatever is around it."""
        return self.template.startswith("'")

    @property
    def text(self) -> str:
        """The signature in one readable line."""
        line = f"{self.kind}: {self.template}" if self.template else str(self.kind)
        if self.op and self.op not in self.template:
            line += f" [{self.op}]"
        if self.stage:
            line += f" ({self.stage})"
        if self.frames:
            known = self.names_functions
            line += (" in " if known else " at ") + " < ".join(self.frames)
            line += "" if known else ", in no function of its own"
        if self.varies:
            line += ", the rest of the stack varies"
        if self.details:
            line += f" and {len(self.details)} more message{'s' * (len(self.details) > 1)}"
        return line

    @property
    def names_functions(self) -> bool:
        """Whether a frame is a function; the others are offsets in libraries, which are only
        comparable within one build."""
        return not all(map(is_offset, self.frames))

    @property
    def subject(self) -> str:
        """What the template does not say the bug is about: the op, or what it stands for; or ''.

        >>> Signature(Kind.LEGALIZATION, "illegal 'a.call'", 'a.call "onnx.If"').subject
        'onnx.If'
        """
        name, _, stands_for = self.op.partition(" ")
        return stands_for.strip('"') or (name if name not in self.template else "")

    @property
    def pass_name(self) -> str:
        """The pass that failed, if it is part of the signature, or ''."""
        stage, _, name = self.stage.partition(" ")
        return name if stage == PIPELINE else ""

    @property
    def named_pass(self) -> str:
        """The same for people: '' also if only the place of the pass in a tool is known."""
        return "" if is_offset(self.pass_name) else self.pass_name

    @property
    def is_arbitrary(self) -> bool:
        """Whether runs with this signature need not have anything in common.

        They reached a limit, and nothing is known about what they were doing.
        """
        return self.kind.traits.costly and not self.pass_name

    @property
    def bucket(self) -> str:
        """Short hash that identifies the bug: 12 hexadecimal digits."""
        fields = [self.kind, self.template, self.op, self.stage, list(self.frames)]
        if self.level != "normal":  # keeps the buckets of different levels distinct
            fields += [self.level, list(self.details)]
        if self.varies:
            fields.append("varies")
        return hashlib.sha256(json.dumps(fields).encode()).hexdigest()[:12]

    def to_json(self) -> dict[str, object]:
        """A JSON-compatible dictionary that `from_json` reads back."""
        data: dict[str, object] = {
            "kind": str(self.kind),
            "template": self.template,
            "op": self.op,
            "stage": self.stage,
            "frames": list(self.frames),
        }
        if self.level != "normal":
            data |= {"details": list(self.details), "level": str(self.level)}
        if self.varies:
            data["varies"] = True
        return data

    @classmethod
    def from_json(cls, data: dict[str, object]) -> "Signature":
        """The inverse of `to_json`; raises KeyError or ValueError on invalid data."""
        frames, details = data["frames"], data.get("details", [])
        if not isinstance(frames, list) or not isinstance(details, list):
            raise ValueError("signature frames and details must be lists")
        return cls(
            kind=Kind(str(data["kind"])),
            template=str(data["template"]),
            op=str(data["op"]),
            stage=str(data["stage"]),
            frames=tuple(str(frame) for frame in frames),
            details=tuple(str(detail) for detail in details),
            level=str(data.get("level", "normal")),
            varies=bool(data.get("varies", False)),
        )


__all__ = ["MAX_STDERR_LENGTH", "Diagnostic", "Kind", "Outcome"]

MAX_STDERR_LENGTH = 64 << 10
"""The maximum number of characters of standard error in an outcome (head and tail)."""


@dataclass(frozen=True)
class Outcome:
    """The result of one oracle run, with the cost of every process it needed.

    `exit_code` is negative for a signal and None if no process completed; `seconds` is wall-clock
    time, `cpu_seconds` user + system time, `peak_memory` bytes of the largest process. `pass_asked`
    is whether it took an extra run to learn the failing pass. `passes` are those that were running
    when the run reached a limit, innermost first, and `stack` is all of a crash that its signature
    is made of. `extra` says of each further process what it was for, and its seconds.
    `numbers` are those of a metric, by name (see `oracles.metrics`).
    """

    kind: Kind
    signature: Signature
    exit_code: int | None = None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    stderr: str = ""
    pass_asked: bool = False
    passes: tuple[str, ...] = ()
    stack: tuple[str, ...] = ()
    extra: tuple[tuple[str, float], ...] = ()
    numbers: tuple[tuple[str, float], ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is a failure to reduce (a success or a cancelled run has none)."""
        return self.kind.traits.failed

    @property
    def succeeded(self) -> bool:
        """Whether nothing is wrong."""
        return self.kind.traits.succeeded

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the oracle itself says of its verdict."""
        own = [one for one in self.diagnostics if not one.file]
        return tuple(one.message for one in own if one.severity in ("remark", "note"))

    def with_remark(self, text: str) -> "Outcome":
        """The outcome with a further remark of the oracle; itself if that is ''."""
        remark = Diagnostic("", 0, 0, "note", text)
        return replace(self, diagnostics=(*self.diagnostics, remark)) if text else self

    @property
    def cancelled(self) -> bool:
        """Whether the run was cancelled before it produced a result."""
        return self.kind.traits.cancelled

    def turned_down(self) -> "Outcome":
        """The outcome of a failure that is not wanted: as if the program had compiled.

        What the compiler printed stays, and so does its exit code.
        """
        return replace(self, kind=Kind.SUCCESS, signature=Signature(Kind.SUCCESS))

    def to_json(self) -> dict[str, Any]:
        """A JSON-compatible dictionary that `from_json` reads back, for a journal."""
        data = dict(vars(self))  # `asdict` would copy all that follows
        data["kind"] = str(self.kind)
        data["signature"] = self.signature.to_json()
        data["diagnostics"] = [diagnostic.to_json() for diagnostic in self.diagnostics]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Outcome":
        """The inverse of `to_json`; raises one of `UNREADABLE` on invalid data."""
        return fields_of(data, cls)
