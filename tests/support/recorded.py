"""Recorded compiler output under tests/oracles/recorded/, with the true group of each text.

Two texts belong to one group if and only if they have the same bug. `manifest.jsonl` has a line for
each: file, group, source, compiler, command, exit code (negative: a signal). Next to it is the
output of the short extra runs that the oracle makes for a signature; `symbols` are the names that
the compiler's library gives to the addresses of a stack.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oracles.run.run_process import End, ProcessResult
from oracles.signature.actions import Culprit
from oracles.signature.classify import Classification, classify
from oracles.signature.derive import Level, derive
from oracles.signature.outcome import Signature
from oracles.stacks.crash_stack import CrashStack

RECORDED = Path(__file__).parents[1] / "oracles" / "recorded"
MANIFEST = RECORDED / "manifest.jsonl"


@dataclass(frozen=True)
class Recording:
    """One recorded text."""

    file: str
    group: str
    source: str
    compiler: str
    command: str
    exit_code: int
    probes: dict[str, int] = field(default_factory=dict)
    symbols: dict[str, str] = field(default_factory=dict)
    same_text_as: str = ""
    """The group of another bug that cannot be distinguished by its text."""
    asked: str = ""
    """What the command requests beyond the usual, such as naming the pass."""

    @property
    def stderr(self) -> str:
        return (RECORDED / self.file).read_text()

    def signature(self, level: Level) -> Signature:
        """The oracle's signature for it, computed without a compiler."""
        return derive(self.classified(), level, _Probes(self))

    def classified(self) -> Classification:
        """What is read in its text."""
        return classify(_result(self.exit_code, self.stderr), lambda module: _Symbols(self))


def recordings() -> list[Recording]:
    """All of them, in order of their files."""
    return [Recording(**line) for line in manifest()]


def manifest() -> list[dict[str, Any]]:
    """The lines of the manifest, in order of their files."""
    if not MANIFEST.is_file():
        return []
    return [json.loads(line) for line in MANIFEST.read_text().splitlines()]


def add_line(entry: dict[str, Any]) -> None:
    """Add a line to the manifest, replacing any for the same file."""
    lines = {line["file"]: line for line in manifest()} | {entry["file"]: entry}
    MANIFEST.parent.mkdir(parents=True, exist_ok=True)
    MANIFEST.write_text("".join(json.dumps(lines[file]) + "\n" for file in sorted(lines)))


class _Probes:
    """Returns the recorded output."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    def verify(self, flags: Sequence[str]) -> ProcessResult | None:
        return self._probe("parse" if flags else "verify")

    def name_pass(self) -> ProcessResult:
        return self._probe("pass") or _result(1, "")

    def culprit(self, crash: CrashStack) -> Culprit:
        return Culprit()

    def _probe(self, name: str) -> ProcessResult | None:
        code = self._recording.probes.get(name)
        if code is None:
            return None
        path = RECORDED / self._recording.file.removesuffix(".txt")
        text = path.with_name(f"{path.name}.{name}.txt")
        return _result(code, text.read_text() if text.is_file() else "")


class _Symbols:
    """The names of a recorded stack's addresses, and no other symbols of the library."""

    def __init__(self, recording: Recording) -> None:
        self._names = {int(key, 16): name for key, name in recording.symbols.items()}

    def name(self, address: int) -> str:
        return self._names.get(address, "") or self._names.get(address + 1, "")

    def name_before(self, address: int) -> str:
        return ""

    def start_of(self, address: int) -> int | None:
        return None

    def load_base(self, frame0: int, frame1: int) -> int | None:
        return 0 if self._names else None

    def base_of(self, start: int, name: str) -> int | None:
        return None

    def base_of_returns(self, returns: Sequence[int]) -> int | None:
        return None


def _result(code: int, stderr: str) -> ProcessResult:
    return ProcessResult(End.EXITED, code, 0.0, 0.0, 0, "", stderr)
