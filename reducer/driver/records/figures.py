"""The parts of the record of a reduction, each convertible to and from JSON values."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from oracles import Signature
from reducer.driver.settings import Size


class JsonValues:
    """The values of a JSON object by key: None for a missing value or one of another type.

    Anything other than an object is read as an object without values.
    """

    def __init__(self, data: object) -> None:
        self._data: dict[str, Any] = data if isinstance(data, dict) else {}

    def __bool__(self) -> bool:
        return bool(self._data)

    def text(self, key: str) -> str | None:
        value = self._data.get(key)
        return value if isinstance(value, str) else None

    def number(self, key: str) -> float | None:
        value = self._data.get(key)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def count(self, key: str) -> int | None:
        value = self.number(key)
        return value if isinstance(value, int) else None

    def flag(self, key: str) -> bool | None:
        value = self._data.get(key)
        return value if isinstance(value, bool) else None

    def texts(self, key: str) -> tuple[str, ...] | None:
        value = self._data.get(key)
        return tuple(map(str, value)) if isinstance(value, list) else None

    def counts(self, key: str) -> dict[str, int] | None:
        value = self._data.get(key)
        if not isinstance(value, dict):
            return None
        part = JsonValues(value)
        counts = {name: part.count(name) for name in value}
        return {name: count for name, count in counts.items() if count is not None}

    def part(self, key: str) -> Self:
        """A nested object."""
        return type(self)(self._data.get(key))

    def parts(self, key: str) -> list[Self] | None:
        """A list of objects, without items that are not objects."""
        value = self._data.get(key)
        if not isinstance(value, list):
            return None
        return [type(self)(one) for one in value if isinstance(one, dict)]

    def plain(self) -> dict[str, Any]:
        """The object itself."""
        return self._data


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
class DegenerateChoice:
    """The choice between a degenerate program and a larger one with the same signature.

    `features` say in words what is degenerate; `kept` whether the result has it. `same_ir` says
    whether the pass `pass_name` receives IR of the same shape either way; it is None if that is not
    known, if the larger program does not fail in the same way, or if it needs something else to.
    """

    features: tuple[str, ...]
    kept: bool
    same_ir: bool | None = None
    pass_name: str = ""

    @property
    def text(self) -> str:
        """The choice and its reason in one sentence."""
        which = self.pass_name or "the failing pass"
        features = _listed(self.features)
        if not self.kept and self.same_ir is None:
            return (
                f"A smaller program, with {features}, fails with the same message; it was "
                "not kept, because the input has none there, and what makes the result fail is not "
                "in it."
            )
        if not self.kept:
            return (
                f"A smaller program, with {features}, fails with the same message; it was not kept "
                f"because {which} receives other ops or loops there."
            )
        if self.same_ir:
            return (
                f"The result has {features} where the input has none; in a larger program, closer "
                f"to the input, {which} receives the same ops and loops."
            )
        return (
            f"The result has {features} where the input has none, and may show another bug: there "
            "is no larger program to compare it with."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "features": list(self.features),
            "kept": self.kept,
            "same_ir": self.same_ir,
            "pass": self.pass_name,
            "text": self.text,
        }

    @classmethod
    def from_json(cls, data: JsonValues) -> Self | None:
        features, kept = data.texts("features"), data.flag("kept")
        if features is None or kept is None:
            return None
        return cls(features, kept, data.flag("same_ir"), data.text("pass") or "")


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


def _listed(words: Sequence[str]) -> str:
    """a, b and c"""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


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
