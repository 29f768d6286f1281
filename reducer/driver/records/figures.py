"""The parts of the record of a reduction, each convertible to and from JSON values."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from oracles import Signature
from reducer.driver.settings import Size
from reducer.locate.blame import Blame, Certainty, pass_blame
from reducer.locate.blamed import BlamedRewrite
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
    def from_json(cls, data: object) -> Self | None:
        return JsonValues(data).read(cls, text="signature")


@dataclass(frozen=True)
class Costs:
    """Runs of the command, and CPU seconds (user and system) of all compilers and helper tools."""

    calls: int
    cpu_seconds: float

    def to_json(self) -> dict[str, Any]:
        return {"calls": self.calls, "cpu_seconds": round(self.cpu_seconds, 3)}


@dataclass(frozen=True)
class Candidates:
    """How many candidates got each verdict, and the sum of their ops relative to the input's."""

    by_verdict: dict[str, int]
    full_run_equivalents: float


@dataclass(frozen=True)
class Checks:
    """Runs of a tool that only parses and verifies, and how many candidates it rejected.

    They do not count as calls; their time is part of the compiler's.
    """

    runs: int = 0
    turned_away: int = 0
    cpu_seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "cpu_seconds": round(self.cpu_seconds, 3)}


@dataclass(frozen=True)
class OtherFailureRecord:
    """Another failure found on the way; `path` is the smallest program that showed it, if kept."""

    bucket: str = ""
    text: str = ""
    message: tuple[str, ...] = ()
    signature: Signature | None = None
    command: tuple[str, ...] = ()
    path: str | None = None
    lines: int = 0
    bytes: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "message": list(self.message),
            "signature": self.signature and self.signature.to_json(),
            "command": list(self.command),
        }


@dataclass(frozen=True, kw_only=True)
class PassRecord:
    """The second reproducer: small IR at the level of the failing pass.

    `pass_name` is the innermost pass that failed; '' if the input is invalid before any pass. If a
    later one, `found_by`, fails on what it makes, it is the one that breaks it.
    `same_program` is set if that is the result itself with its own command: there is no other file.
    `pipeline` is what `…-opt` runs, None if it rejects the IR as it is. Sizes exclude the comment
    at the top of the file. `failure` is its signature as text, `rewrite` what is at fault.
    """

    pass_name: str
    found_by: str = ""
    level: str
    output: Size
    output_path: Path = Path()
    pipeline: str | None = None
    failure: str = ""
    command: tuple[str, ...] = ()
    verified: bool = False
    one_minimal: bool = False
    same_program: bool = False
    costs: Costs = Costs(0, 0.0)
    rewrite: BlamedRewrite | None = None

    @property
    def blame(self) -> Blame:
        """What is claimed of the pass."""
        return pass_blame(self.pass_name, Certainty.SHOWN, self.found_by)

    def to_json(self) -> dict[str, Any]:
        return {
            "pass": self.pass_name,
            "found_by": self.found_by,
            "blame": self.blame.to_json(),
            "same_program": self.same_program,
            "pipeline": self.pipeline,
            "level": self.level,
            "verified": self.verified,
            "signature": self.failure,
            "output": program_json(self.output_path, self.output),
            "command": list(self.command),
            "one_minimal": self.one_minimal,
            "oracle": self.costs.to_json(),
            "rewrite": self.rewrite and self.rewrite.to_json(),
        }

    @classmethod
    def from_json(cls, data: object) -> Self | None:
        """Read the JSON; a bug report's metadata has only the name, level, lines and ops."""
        data = JsonValues(data)
        output = data.part("output")
        known = JsonValues({**data.plain(), "output": {"bytes": 0, **output.plain()}})
        read = known.read(cls, pass_name="pass", failure="signature", costs="oracle")
        path = output.path("path")
        if read is None or path is None:
            return None
        return replace(read, output_path=path)


def blames_of(locate: JsonValues, level: PassRecord | None) -> tuple[Blame, ...]:
    """What `locate --json` and a pass-level reproducer name, one of each kind.

    Where both do, the reproducer counts, which fails by itself.
    """
    told = [one.read(Blame) for one in locate.parts("blames") or ()]
    told += [one.blame for one in (level, level and level.rewrite) if one]
    return tuple({one.kind: one for one in told if one and one.name}.values())


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

    output: Size
    output_path: Path = Path()
    level: str = ""
    command: tuple[str, ...] = ()
    verified: bool = False
    made: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "level": self.level,
            "verified": self.verified,
            "output": program_json(self.output_path, self.output),
            "command": list(self.command),
            "made": self.made,
        }

    @classmethod
    def from_json(cls, data: object) -> Self | None:
        """Read the JSON; None if it does not name a program."""
        told = JsonValues(data)
        read, path = told.read(cls), told.part("output").path("path")
        return None if read is None or path is None else replace(read, output_path=path)


@dataclass(frozen=True)
class Origin:
    """An op of the input that survives in the result in some form; its location, if known."""

    op: str = ""
    file: str = ""
    line: int | None = None
    column: int | None = None
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        place = {"line": self.line, "column": self.column, "text": self.text}
        return {"op": self.op, "file": self.file, **({} if self.line is None else place)}


def program_json(path: Path | None, size: Size | None) -> dict[str, Any]:
    named = {} if path is None else {"path": str(path)}
    return {**named, **({} if size is None else asdict(size))}
