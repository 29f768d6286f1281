"""What a bug report says, as plain data."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from oracles import Signature
from reducer.bundle.check import Check
from reducer.bundle.compiler import Compiler
from reducer.session.explaining import Fact

SCHEMA = "mlir-reducer-report/1"


@dataclass(frozen=True)
class PassFile:
    """The reproducer at the level of the failing pass: a file with its command in the first line.

    `name` is the pass, '' where the input itself is invalid; `level` says which IR this is.
    """

    name: str
    pipeline: str | None
    level: str
    text: str
    lines: int
    ops: int

    def beside(self, name: str) -> "PassFile":
        """The same where the program that it came from, once called `name`, is `repro.mlir`."""
        level = self.level.replace(name, "repro.mlir")
        return replace(self, level=level, text=self.text.replace(self.level, level, 1))

    def to_json(self) -> dict[str, Any]:
        """All but the text."""
        return {
            "pass": self.name,
            "pipeline": self.pipeline,
            "level": self.level,
            "output": {"path": "repro.pass.mlir", "lines": self.lines, "ops": self.ops},
        }


@dataclass(frozen=True)
class History:
    """How the program came to be, as `reduce --json` tells it; {} where that is not known."""

    record: dict[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.record)

    def number(self, *path: str) -> float | None:
        """A figure somewhere in the record; None where there is none."""
        value: Any = self.record
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, int | float) else None

    def items(self, key: str) -> list[dict[str, Any]]:
        """A list in the record; what is not of that form is left out."""
        value = self.record.get(key)
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


@dataclass(frozen=True)
class Version:
    """What one release does with the program, for the table of versions."""

    version: str
    verdict: str
    note: str = ""


@dataclass(frozen=True)
class Facts:
    """Everything that the report is made of.

    `text` is the program, `head` the comment above it, `place` the line of it that the failure
    points to, `source` the name of the input. `messages` are the lines that name the failure, `log`
    an excerpt of what the compiler printed and `stack` the functions of a crash. `boundary` and
    `versions` are None where nobody asked, `turns` say where versions differ; `files` are what the
    command names, by name.
    """

    head: str
    text: str
    signature: Signature
    check: Check
    compiler: Compiler
    messages: tuple[str, ...]
    log: str
    stack: tuple[str, ...]
    exit_code: int | None
    seconds: float
    lines: int
    ops: int
    place: int | None = None
    source: str = ""
    pass_name: str = ""
    pass_file: PassFile | None = None
    history: History = field(default_factory=History)
    boundary: tuple[Fact, ...] | None = None
    versions: tuple[Version, ...] | None = None
    turns: tuple[str, ...] = ()
    files: dict[str, Path] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The file `repro.mlir`: what names the failure stands below."""
        text = self.text if self.text.endswith("\n") or not self.head else f"{self.text}\n"
        tail = "".join(f"// {line}\n" for line in self.messages) if self.head else ""
        return f"{self.head}{text}{tail}"

    @property
    def command(self) -> tuple[str, ...]:
        """What fails, as words for a shell beside `repro.mlir`."""
        first, *rest = self.check.words
        return (first if self.check.carries_program else first.rsplit("/", 1)[-1], *rest)

    @property
    def bytes(self) -> int:
        """Of the program without comments."""
        return len(self.text.encode(errors="surrogateescape"))

    @property
    def bucket(self) -> str:
        return self.signature.bucket
