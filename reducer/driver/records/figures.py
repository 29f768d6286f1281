"""The parts of the record of a reduction, each convertible to and from JSON values."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from oracles import Signature
from reducer.driver.settings import Size
from reducer.storage.json_values import JsonValues


@dataclass(frozen=True)
class Failure:
    """The target failure: its kind, its signature as text, and its bucket."""

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
    """Runs of the command, and CPU seconds (user and system) of all compilers and helper tools."""

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
    """How many candidates got each verdict, and the sum of their ops relative to the input's."""

    by_verdict: dict[str, int]
    full_run_equivalents: float

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        verdicts, runs = data.counts("by_verdict"), data.number("full_run_equivalents")
        return None if verdicts is None or runs is None else cls(verdicts, runs)


@dataclass(frozen=True)
class Checks:
    """Runs of a tool that only parses and verifies, and how many candidates it rejected.

    They do not count as calls; their time is part of the compiler's.
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
    """Another failure found on the way; `path` is the smallest program that showed it, if kept."""

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
    `same_program` is set if that is the result itself with its own command: there is no other file.
    `pipeline` is what `…-opt` runs, None if it rejects the IR as it is. Sizes exclude the comment
    at the top of the file. `failure` is its signature as text.
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
    same_program: bool = False
    costs: Costs = Costs(0, 0.0)

    def to_json(self) -> dict[str, Any]:
        return {
            "pass": self.pass_name,
            "same_program": self.same_program,
            "pipeline": self.pipeline,
            "level": self.level,
            "verified": self.verified,
            "signature": self.failure,
            "output": program_json(self.output_path, self.output),
            "command": list(self.command),
            "one_minimal": self.one_minimal,
            "oracle": self.costs.to_json(),
        }

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        """Read the JSON; a bug report's metadata has only the name, level, lines and ops."""
        output = data.part("output")
        name, level, path = data.text("pass"), data.text("level"), path_of(output)
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
            same_program=data.flag("same_program") is True,
            costs=Costs.from_json(data.part("oracle")) or Costs(0, 0.0),
        )


@dataclass(frozen=True, kw_only=True)
class LevelRecord:
    """A program at another level than that of the result, on which its command fails as well.

    Attributes:
        level: `input` for the dialects of the input.
        output_path: where the program is; the input itself if nothing smaller is known.
        output: its size, without the comments.
        command: the command that fails on it.
        verified: whether that command was run on it as it is.
        made: what was made of it, as a sentence.
    """

    level: str
    output_path: Path
    output: Size
    command: tuple[str, ...]
    verified: bool
    made: str

    def to_json(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "verified": self.verified,
            "output": program_json(self.output_path, self.output),
            "command": list(self.command),
            "made": self.made,
        }

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        """Read the JSON; None if it does not name a program."""
        path, size = path_of(data.part("output")), size_of(data.part("output"))
        if path is None or size is None:
            return None
        return cls(
            level=data.text("level") or "",
            output_path=path,
            output=size,
            command=data.texts("command") or (),
            verified=data.flag("verified") is True,
            made=data.text("made") or "",
        )


@dataclass(frozen=True)
class Origin:
    """An op of the input that survives in the result in some form; its location, if known."""

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


def program_json(path: Path | None, size: Size | None) -> dict[str, Any]:
    named = {} if path is None else {"path": str(path)}
    return {**named, **({} if size is None else asdict(size))}


def path_of(data: JsonValues) -> Path | None:
    path = data.text("path")
    return None if path is None else Path(path)


def size_of(data: JsonValues) -> Size | None:
    lines, ops, size = data.count("lines"), data.count("ops"), data.count("bytes")
    return None if lines is None or ops is None or size is None else Size(lines, ops, size)


def _signature(data: JsonValues) -> Signature | None:
    try:
        return Signature.from_json(data.plain())
    except (KeyError, ValueError):
        return None
