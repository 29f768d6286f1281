"""What every oracle offers, and how its outcomes are remembered."""

import threading
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from oracles.command import Command
from oracles.diagnostics import Diagnostic
from oracles.outcome import MAX_STDERR_LENGTH, Outcome, Signature
from oracles.process import Limits, ProcessResult
from oracles.watch import shorten


class Oracle(Protocol):
    """Answers what happens to one candidate. Safe to use from several threads at once."""

    limits: Limits
    """Used where `run` is given none; may be replaced, since a time limit adapts."""

    @property
    def command(self) -> Command | None:
        """What it runs, if that is a compiler's command; what a script runs is not known."""
        ...

    def with_command(self, command: Command) -> "Oracle":
        """The same question about another command of the same program, where there is a command."""
        ...

    @property
    def key(self) -> str:
        """Stable identity for caches: the command and the programs behind it, not the limits.

        Files are looked at when it is first asked for, and then no more: every look-up asks, and
        what an oracle has answered must stay under the key that it had before it ran.
        """
        ...

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Runs one candidate to its end. Setting `cancel` kills it: kind CANCELLED.

        Raises OSError where the program cannot be started or the candidate cannot be written.
        """
        ...

    def shortened(self) -> Sequence["Oracle"]:
        """Oracles that ask the same of ever less work, the cheapest first; perhaps none.

        Their signatures are those of this oracle if the failure lies in what they still do.
        """
        ...

    def wants(self, outcome: Outcome) -> bool:
        """Whether the outcome of a first run is a failure that may be kept."""
        ...

    def display(self, input_name: str) -> list[str]:
        """The words a user could type to see the same with the input in `input_name`."""
        ...

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """Runs the very words of `display` in an empty folder that holds only the input.

        `cancel` and what is raised are those of `run`.
        """
        ...


def outcome_of_process(
    result: ProcessResult,
    signature: Signature,
    *,
    exit_code: int | None,
    diagnostics: tuple[Diagnostic, ...] = (),
) -> Outcome:
    """An outcome with the cost and the (shortened) text of one process."""
    return Outcome(
        kind=signature.kind,
        signature=signature,
        exit_code=exit_code,
        seconds=result.seconds,
        cpu_seconds=result.cpu_seconds,
        peak_memory=result.peak_memory,
        diagnostics=diagnostics,
        stderr=shorten(result.stderr, MAX_STDERR_LENGTH),
    )


def write_candidate(folder: Path, name: str, text: str | bytes) -> Path:
    """Writes a candidate into an oracle's private folder, byte for byte."""
    path = folder / name
    path.write_bytes(text.encode(errors="surrogateescape") if isinstance(text, str) else text)
    return path


def file_identity(path: Path) -> str:
    """Changes when the file is replaced or rebuilt."""
    try:
        stat = path.stat()
    except OSError:
        return f"{path}:missing"
    return f"{path.resolve()}:{stat.st_size}:{stat.st_mtime_ns}"


class Cache(Protocol):
    """Where outcomes are remembered by content (a session's journal)."""

    def get(self, digest: str) -> Outcome | None: ...

    def put(self, digest: str, outcome: Outcome, ops: int) -> None: ...


def outcome_digest(text: str, repetition: int = 0, oracle: str = "") -> str:
    """The content hash that outcomes are remembered by.

    Repeated runs have their own, and so have runs of another oracle than the cache is for.
    """
    digest = sha256(f"{oracle}{text}".encode(errors="surrogateescape")).hexdigest()
    return f"{digest}#{repetition}" if repetition else digest
