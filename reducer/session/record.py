"""The record of a reduction: what it started from, how it ended and what it cost.

The driver makes it once. The table at the end, `--json`, the page, the bug report and triage are
made from it. `to_json` gives the fields of `reduce --json`; `from_json` reads them back, and those
of a bug report's `metadata.json`.
"""

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Self

from oracles import Signature
from reducer.search.sequential import Rate
from reducer.session.best import OnDisk
from reducer.session.history import History
from reducer.session.json_values import JsonValues
from reducer.session.sanity import Flakiness
from reducer.session.settings import Size


@dataclass(frozen=True)
class Failure:
    """The failure that was kept: its kind, its signature as text, and its bucket."""

    kind: str
    text: str
    bucket: str

    @classmethod
    def of(cls, signature: Signature) -> Self:
        return cls(str(signature.kind), signature.text, signature.bucket)

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        kind, text, bucket = data.text("kind"), data.text("signature"), data.text("bucket")
        if kind is None or text is None or bucket is None:
            return None
        return cls(kind, text, bucket)


@dataclass(frozen=True)
class Costs:
    """Runs of the command, and the CPU seconds, user and system, of all compilers and helpers."""

    calls: int
    compiler_seconds: float

    def to_json(self) -> dict[str, Any]:
        return {"calls": self.calls, "compiler_seconds": round(self.compiler_seconds, 3)}

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        calls, seconds = data.count("calls"), data.number("compiler_seconds")
        return None if calls is None or seconds is None else cls(calls, seconds)


@dataclass(frozen=True)
class Candidates:
    """How many candidates got each verdict, and the ops of all of them over those of the input."""

    by_verdict: dict[str, int]
    full_run_equivalents: float

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        verdicts, runs = data.counts("by_verdict"), data.number("full_run_equivalents")
        return None if verdicts is None or runs is None else cls(verdicts, runs)


@dataclass(frozen=True)
class Checks:
    """Runs of a tool that only parses and verifies, and how many candidates they turned away.

    They are no calls; their time is part of the compiler's.
    """

    runs: int = 0
    turned_away: int = 0
    compiler_seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "compiler_seconds": round(self.compiler_seconds, 3)}

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        runs, turned_away = data.count("runs"), data.count("turned_away")
        seconds = data.number("compiler_seconds")
        if runs is None or turned_away is None or seconds is None:
            return None
        return cls(runs, turned_away, seconds)


@dataclass(frozen=True)
class OtherFailureRecord:
    """Another failure met on the way; `path` is the smallest program that showed it, if kept."""

    bucket: str
    text: str
    message: tuple[str, ...] = ()
    signature: Signature | None = None
    command: tuple[str, ...] = ()
    path: str | None = None
    lines: int = 0
    bytes: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "bucket": self.bucket,
            "text": self.text,
            "message": list(self.message),
            "signature": self.signature and self.signature.to_json(),
            "command": list(self.command),
            "path": self.path,
            "lines": self.lines,
            "bytes": self.bytes,
        }

    @classmethod
    def from_json(cls, data: JsonValues) -> Self:
        return cls(
            bucket=data.text("bucket") or "",
            text=data.text("text") or "",
            message=data.texts("message") or (),
            signature=_signature(data.part("signature")),
            command=data.texts("command") or (),
            path=data.text("path"),
            lines=data.count("lines") or 0,
            bytes=data.count("bytes") or 0,
        )


@dataclass(frozen=True, kw_only=True)
class PassRecord:
    """The second reproducer: small IR at the level of the failing pass.

    `pass_name` is the innermost pass that failed; '' if the input is invalid before any pass.
    `pipeline` is what `…-opt` runs, None if it rejects the IR as it is. Sizes leave out the
    comment at the top of the file. `failure` is its signature as text.
    """

    pass_name: str
    pipeline: str | None
    level: str
    output_path: Path
    output: Size
    failure: str = ""
    command: tuple[str, ...] = ()
    verified: bool = False
    one_minimal: bool = False
    costs: Costs = Costs(0, 0.0)

    def to_json(self) -> dict[str, Any]:
        return {
            "pass": self.pass_name,
            "pipeline": self.pipeline,
            "level": self.level,
            "verified": self.verified,
            "signature": self.failure,
            "output": _program_json(self.output_path, self.output),
            "command": list(self.command),
            "one_minimal": self.one_minimal,
            "oracle": self.costs.to_json(),
        }

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        """A bug report's metadata has no more than the name, the level, and lines and ops."""
        output = data.part("output")
        name, level, path = data.text("pass"), data.text("level"), _path(output)
        lines, ops = output.count("lines"), output.count("ops")
        if name is None or level is None or path is None or lines is None or ops is None:
            return None
        return cls(
            pass_name=name,
            pipeline=data.text("pipeline"),
            level=level,
            output_path=path,
            output=Size(lines, ops, output.count("bytes") or 0),
            failure=data.text("signature") or "",
            command=data.texts("command") or (),
            verified=data.flag("verified") is True,
            one_minimal=data.flag("one_minimal") is True,
            costs=Costs.from_json(data.part("oracle")) or Costs(0, 0.0),
        )


@dataclass(frozen=True)
class Origin:
    """An op of the input of which something is left; where it stands, as far as that is known."""

    op: str
    file: str
    line: int | None = None
    column: int | None = None
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        place = {"line": self.line, "column": self.column, "text": self.text}
        return {"op": self.op, "file": self.file, **({} if self.line is None else place)}

    @classmethod
    def from_json(cls, data: JsonValues) -> Self:
        return cls(
            data.text("op") or "",
            data.text("file") or "",
            data.count("line"),
            data.count("column"),
            data.text("text") or "",
        )


@dataclass(frozen=True, kw_only=True)
class ReductionRecord:
    """What is known about a reduction. None is what is not known, or what there is none of.

    `status` is `reduced`, `budget` or `interrupted`. Sizes are those of the programs without the
    comments around them. `on_disk` says whether the result is in `output_path`, or what is there in
    its place. `flaky` is measured only where it was asked for. `also_left_out` counts other
    failures that were too many or too large to keep. `origin` is looked up for a bug report only.
    """

    status: str | None = None
    verified: bool | None = None
    failure: Failure | None = None
    input_path: Path | None = None
    input: Size | None = None
    output_path: Path | None = None
    output: Size | None = None
    on_disk: OnDisk | None = None
    costs: Costs | None = None
    candidates: Candidates | None = None
    checks: Checks | None = None
    wall_seconds: float | None = None
    command: tuple[str, ...] | None = None
    one_minimal: bool | None = None
    notes: tuple[str, ...] | None = None
    flaky: Flakiness | None = None
    also_found: tuple[OtherFailureRecord, ...] | None = None
    also_left_out: int | None = None
    pass_level: PassRecord | None = None
    origin: tuple[Origin, ...] | None = None

    # ---- parts of it -----------------------------------------------------------------------

    def figures(self) -> "ReductionRecord":
        """Sizes and costs alone: nothing that names anything."""
        return ReductionRecord(
            input=self.input,
            costs=self.costs,
            candidates=self.candidates,
            checks=self.checks,
            wall_seconds=self.wall_seconds,
            one_minimal=self.one_minimal,
        )

    def past(self) -> "ReductionRecord":
        """How the program came to be, but not how it fails now."""
        return replace(
            self.figures(),
            input_path=self.input_path,
            also_found=self.also_found,
            origin=self.origin,
        )

    def updated(self, other: "ReductionRecord") -> "ReductionRecord":
        """With all that `other` knows."""
        values = {each.name: getattr(other, each.name) for each in fields(ReductionRecord)}
        return replace(self, **{name: value for name, value in values.items() if value is not None})

    # ---- from and to plain values ----------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """The fields of `reduce --json` as far as they are known, and `origin`."""
        failure = self.failure
        others, origin = self.also_found, self.origin
        values = {
            "status": self.status,
            "verified": self.verified,
            "kind": failure and failure.kind,
            "signature": failure and failure.text,
            "bucket": failure and failure.bucket,
            "input": _program_json(self.input_path, self.input) or None,
            "output": _program_json(self.output_path, self.output) or None,
            "on_disk": self.on_disk,
            "oracle": _oracle_json(self.costs, self.candidates) or None,
            "checks": self.checks and self.checks.to_json(),
            "wall_seconds": None if self.wall_seconds is None else round(self.wall_seconds, 3),
            "command": None if self.command is None else list(self.command),
            "one_minimal": self.one_minimal,
            "notes": None if self.notes is None else list(self.notes),
            "flaky": self.flaky and asdict(self.flaky),
            "also_found": None if others is None else [one.to_json() for one in others],
            "also_left_out": self.also_left_out,
            "pass_level": self.pass_level and self.pass_level.to_json(),
            "origin": None if origin is None else [one.to_json() for one in origin],
        }
        # Where the end is known, it is known that there are none of these.
        told = ("flaky", "pass_level") if self.status is not None else ()
        return {key: value for key, value in values.items() if value is not None or key in told}

    @classmethod
    def from_json(cls, data: object) -> "ReductionRecord":
        """The inverse. What is missing, or is not of its type, is not known."""
        read = JsonValues(data)
        others, origin = read.parts("also_found"), read.parts("origin")
        disk = read.text("on_disk")
        return ReductionRecord(
            status=read.text("status"),
            verified=read.flag("verified"),
            failure=Failure.from_json(read),
            input_path=_path(read.part("input")),
            input=_size(read.part("input")),
            output_path=_path(read.part("output")),
            output=_size(read.part("output")),
            on_disk=next((one for one in OnDisk if one == disk), None),
            costs=Costs.from_json(read.part("oracle")),
            candidates=Candidates.from_json(read.part("oracle")),
            checks=Checks.from_json(read.part("checks")),
            wall_seconds=read.number("wall_seconds"),
            command=read.texts("command"),
            one_minimal=read.flag("one_minimal"),
            notes=read.texts("notes"),
            flaky=_flakiness(read.part("flaky")),
            also_found=None if others is None else tuple(map(OtherFailureRecord.from_json, others)),
            also_left_out=read.count("also_left_out"),
            pass_level=PassRecord.from_json(read.part("pass_level")),
            origin=None if origin is None else tuple(map(Origin.from_json, origin)),
        )

    @classmethod
    def from_history(cls, history: History) -> "ReductionRecord":
        """What a journal tells: only figures, and never a command."""
        return ReductionRecord(
            input_path=Path(history.name),
            input=history.input,
            costs=Costs(history.total.calls, history.total.compiler_seconds),
            wall_seconds=history.total.seconds,
            one_minimal=history.one_minimal,
        )


def _program_json(path: Path | None, size: Size | None) -> dict[str, Any]:
    named = {} if path is None else {"path": str(path)}
    return {**named, **({} if size is None else asdict(size))}


def _path(data: JsonValues) -> Path | None:
    path = data.text("path")
    return None if path is None else Path(path)


def _size(data: JsonValues) -> Size | None:
    lines, ops, size = data.count("lines"), data.count("ops"), data.count("bytes")
    return None if lines is None or ops is None or size is None else Size(lines, ops, size)


def _oracle_json(costs: Costs | None, candidates: Candidates | None) -> dict[str, Any]:
    calls = {} if costs is None else costs.to_json()
    if candidates is None:
        return calls
    runs = round(candidates.full_run_equivalents, 3)
    judged = {"by_verdict": candidates.by_verdict, "full_run_equivalents": runs}
    order = ("calls", "by_verdict", "compiler_seconds", "full_run_equivalents")
    both = {**calls, **judged}
    return {key: both[key] for key in order if key in both}


def _signature(data: JsonValues) -> Signature | None:
    try:
        return Signature.from_json(data.plain())
    except (KeyError, ValueError):
        return None


def _flakiness(data: JsonValues) -> Flakiness | None:
    rate = _rate(data.part("input"))
    return None if rate is None else Flakiness(rate, _rate(data.part("result")))


def _rate(data: JsonValues) -> Rate | None:
    failed, runs = data.count("failed"), data.count("runs")
    return None if failed is None or runs is None else Rate(failed, runs)
