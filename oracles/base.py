"""The interface of every oracle, and how outcomes are cached."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from oracles.compilers.command import Command
from oracles.evidence import Carried, ResultEvidence
from oracles.run.capture import shorten
from oracles.run.run_process import Limits, ProcessResult
from oracles.signature.diagnostics import Diagnostic
from oracles.signature.outcome import MAX_STDERR_LENGTH, Outcome, Signature

if TYPE_CHECKING:
    from oracles.compilers.compiler import CompilerOracle
    from oracles.metrics.oracle import MetricOracle
    from oracles.pattern import PatternOracle
    from oracles.profiles import Dispatches, Phases


class Oracle(Protocol):
    """Runs a candidate and reports what happens. Thread-safe.

    It is a runner (what is started on the candidate, how, and within which limits) and a judge
    (what of the outcome is the failure). `capabilities_of` says what the two can do together.
    """

    @property
    def limits(self) -> Limits:
        """Limits for calls of `run` without any."""
        ...

    @property
    def command(self) -> Command | None:
        """The compiler command that it runs; None for a script, whose commands are unknown."""
        ...

    def with_command(self, command: Command) -> "Oracle":
        """The same oracle for another command of the same program; only if it has a command."""
        ...

    @property
    def key(self) -> str:
        """Stable identity for caches: the command and the programs behind it, not the limits.

        Files are read on the first call only: every cache lookup calls this, and the oracle's
        outcomes must stay under the key that it had before it ran.
        """
        ...

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Run one candidate to completion. Setting `cancel` kills the run: kind CANCELLED.

        Raises:
            OSError: the program cannot be started, or the candidate cannot be written.
        """
        ...

    def shortened(self) -> Sequence["Oracle"]:
        """Oracles that do less and less of the same work, cheapest first; may be empty.

        They report the same signature as this oracle if the failure lies in the work they still do.
        """
        ...

    def wants(self, outcome: Outcome) -> bool:
        """Whether the outcome of the first run is a failure to reduce."""
        ...

    def display(self, input_name: str) -> list[str]:
        """A command line that reproduces the failure with the input in `input_name`."""
        ...

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """Run exactly the command line of `display` in an empty folder that holds only the input.

        `cancel` and exceptions are as in `run`.
        """
        ...


@dataclass(frozen=True)
class Capabilities:
    """What a runner and a judge can do together, beyond `Oracle`; what they cannot is None.

    Attributes:
        executable: the program under test.
        compiler: runs the compiler under test, and knows its verifier and symbols.
        failures: the same, if what counts is how it fails. Then there are levels, IR before a pass,
            stacks, and other builds and flags to ask.
        output: if what counts is what the compiler prints, or its exit code.
        numbers: if what counts is a number of the compiler, in comparison with another.
        results: if what counts is what the compiled program computes.
        script: the user's script that decides.
    """

    executable: Path | None = None
    compiler: "CompilerOracle | None" = None
    failures: "CompilerOracle | None" = None
    output: "PatternOracle | None" = None
    numbers: "MetricOracle | None" = None
    results: "ResultOracle | None" = None
    script: Path | None = None

    @property
    def of_one_run(self) -> "CompilerOracle | PatternOracle | None":
        """If one run of the compiler decides, which may read other files than the candidate."""
        return self.failures or self.output

    @property
    def phases(self) -> "Phases | None":
        """The phases after which the compiler can be stopped without losing the failure."""
        return None if self.failures is None else self.failures.phases

    @property
    def dispatches(self) -> "Dispatches | None":
        """How to compile the dispatches of an input alone."""
        return None if self.failures is None else self.failures.dispatches


def capabilities_of(oracle: Oracle) -> Capabilities:
    """What an oracle can do; nothing more than `Oracle` says if it is a class of somebody's own."""
    own: Capabilities | None = getattr(oracle, "capabilities", None)
    return own or Capabilities()


class NamedOracle(ABC):
    """What oracles share that do not stop early, and confirm by doing the same once more."""

    @abstractmethod
    def named(self, name: str) -> Oracle:
        """The same oracle, which gives candidates this file name."""

    def shortened(self) -> Sequence[Oracle]:
        """Empty: the failure may show at the very end."""
        return ()

    def confirm(
        self,
        text: str | bytes,
        input_name: str,
        *,
        limits: Limits,
        cancel: threading.Event | None = None,
    ) -> Outcome:
        """Judge once more, with the input under its final name, and as a user starts programs."""
        limits = replace(limits, layout=None)
        return self.named(input_name).run(text, limits=limits, cancel=cancel)


class PluginError(Exception):
    """The oracle does not exist, or does not follow the protocol."""


class ResultOracle(Protocol):
    """An `Oracle` of what compiled programs compute, on inputs that are chosen for each of them.

    The driver knows no more of it: what compares results is loaded by whoever asks for that.
    """

    def objection(self) -> str:
        """Why nobody can judge candidates, although the input is known to be wrong; or ''."""

    @property
    def unconfirmed(self) -> Oracle | None:
        """The same oracle, which takes the word of one judge if several would be asked."""

    def wrong_result(self) -> tuple[str, int] | None:
        """A function of the input and the number of its result that is wrong; None if none is."""

    @property
    def is_comparing(self) -> bool:
        """Whether the command has ended on the input, and its results are compared now."""

    def pinned(self, text: str) -> "ResultOracle":
        """The oracle that makes only the failing call in `text`, and knows how to show it.

        This oracle itself if nothing is wrong.
        """

    def steps(self, input_name: str, values_name: str) -> list[list[str]]:
        """The command lines that show the failure of a file with the compiler's own tools.

        Only an oracle that is pinned to a call knows them. If the values of its arguments are too
        long for a command line, they are read from the file `values_name`.
        """

    def input_steps(self, input_name: str) -> list[list[str]]:
        """The same for the input, if its run has shown a failure; empty if they need that file."""

    @property
    def long_inputs(self) -> str:
        """The content of that file, '' if there is none."""

    def evidence(self, text: str, folder: str, carried: Carried) -> ResultEvidence:
        """What a report shows, if this oracle is pinned to a call in `text`.

        `carried` puts an archive of parameters into `folder`, and returns its name there.
        """


def outcome_of_process(
    result: ProcessResult,
    signature: Signature,
    *,
    exit_code: int | None,
    diagnostics: tuple[Diagnostic, ...] = (),
    passes: tuple[str, ...] = (),
    stack: tuple[str, ...] = (),
) -> Outcome:
    """An outcome with the cost and the (truncated) output of one process."""
    return Outcome(
        kind=signature.kind,
        signature=signature,
        exit_code=exit_code,
        seconds=result.seconds,
        cpu_seconds=result.cpu_seconds,
        peak_memory=result.peak_memory,
        diagnostics=diagnostics,
        stderr=shorten(result.stderr, MAX_STDERR_LENGTH),
        passes=passes,
        stack=stack,
    )


CANDIDATE = "input.mlir"
"""The file name of a candidate whose input has the usual suffix; what is kept always says this."""


def candidate_name(suffix: str) -> str:
    """The file name of candidates, which have the suffix of the input: some programs go by it."""
    return f"{CANDIDATE.removesuffix('.mlir')}{suffix}"


def suffix_of(oracle: Oracle) -> str:
    """The suffix of the files that an oracle's programs read."""
    name: str = getattr(getattr(oracle, "inner", oracle), "name", CANDIDATE)
    return name.removeprefix(candidate_name(""))


def write_candidate(folder: Path, name: str, text: str | bytes) -> Path:
    """Write a candidate into an oracle's private folder, byte for byte."""
    path = folder / name
    path.write_bytes(text.encode(errors="surrogateescape") if isinstance(text, str) else text)
    return path


def file_identity(path: Path) -> str:
    """An identity that changes when the file is replaced or rebuilt."""
    try:
        stat = path.stat()
    except OSError:
        return f"{path}:missing"
    return f"{path.resolve()}:{stat.st_size}:{stat.st_mtime_ns}"


class Cache(Protocol):
    """A store of outcomes keyed by content (a session's journal)."""

    def get(self, digest: str) -> Outcome | None: ...

    def put(self, digest: str, outcome: Outcome, ops: int) -> None: ...


def outcome_digest(text: str, repetition: int = 0, oracle: str = "") -> str:
    """The content hash under which outcomes are cached.

    Repeated runs have their own hashes, as do runs of an oracle other than the cache's owner.
    """
    digest = sha256(f"{oracle}{text}".encode(errors="surrogateescape")).hexdigest()
    return f"{digest}#{repetition}" if repetition else digest


_PIPED = ("<", "-", "/dev/stdin", "/dev/fd/", "/proc/")
"""How names of pipes begin. What has such a name is another file for every process."""


@dataclass(frozen=True)
class CandidateFile:
    """A candidate in the folder of a run, and which file that an error names is that.

    Attributes:
        path: where it is.
        written: when it was written, in nanoseconds, by the clock of the file system.
    """

    path: Path
    written: int

    @classmethod
    def write(cls, folder: Path, name: str, text: str | bytes) -> "CandidateFile":
        """Write a candidate into the private folder of a run, byte for byte.

        Raises:
            OSError: it cannot be written.
        """
        path = write_candidate(folder, name, text)
        return cls(path, path.stat().st_mtime_ns)

    def is_meant_by(self, file: str, command: Command) -> bool:
        """Whether a file that an error of the command names is the candidate, or made of it.

        A script may pass it on by any name, or through a pipe. But a file that was there before,
        such as a library that a pass loads, is another one. What cannot be found was removed, or
        a script has read it in another folder: it is another file if the command names one like it.
        """
        if file.startswith(_PIPED):
            return True
        try:
            return (self.path.parent / file).stat().st_mtime_ns >= self.written
        except (OSError, ValueError):
            is_own = Path(file).is_absolute() or Path(file).name == self.path.name
            return is_own or not command.names(file)
