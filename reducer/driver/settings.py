"""The settings of a reduction, and the events that it reports while it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from oracles import Oracle, Outcome
from reducer.errors import ReducerError
from reducer.ir import Document
from reducer.search.conditions import Refusal
from reducer.search.plan import Errand
from reducer.storage.files import check_output, is_plain, read_input
from reducer.storage.result_folder import ResultFolder, default_output


@dataclass(frozen=True)
class LoggedRun:
    """What a run by somebody else did with the input; `told` names its log, and when it was.

    If it is not `complete`, its signature is only what a compiler's output `said`.
    """

    outcome: Outcome
    told: str
    complete: bool = True


class LogTellsLess(ReducerError):
    """A log does not tell enough; `instead` is what is taken for it when it is begun again."""

    def __init__(self, message: str, instead: LoggedRun | None) -> None:
        super().__init__(message)
        self.instead = instead


@dataclass(frozen=True)
class Settings:
    """Everything that a reduction needs besides the oracle.

    Attributes:
        input: where the text came from (for messages only; the text itself is `text`).
        text: the program to reduce.
        output: the file for the best result so far and for the final one.
        journal: the SQLite file with cached verdicts; one of the same reduction is resumed.
        opt: an `…-opt` tool of the compiler under test, which converts text to and from generic
            form; if None, text is cut by lines and brackets.
        jobs: the maximum number of compilers run at once. The result is the same for any number.
        fresh: start with an empty journal.
        max_calls: stop after this many oracle calls.
        max_seconds: stop after this many seconds of wall-clock time.
        max_cpu_seconds: stop after this many seconds of CPU time of the command.
        keep_generic: leave the result in generic form.
        keep_flags: leave the command as it is.
        comments: put the command above the result and the message below it.
        also_found: keep candidates that fail differently, in the folder next to the output.
        ask_elsewhere: check that the result compiles wherever its original compiles.
        ask_releases: the only places to ask: these releases; None for all places there are.
        compares_degenerate: compare a degenerate result with the least larger program that is not.
        changes_level: the result may be in other dialects than the input.
        keeps: "sizes", "types" or both: make a second result that has those of the input.
        pass_level: make a second reproducer for the failing pass.
        reported: what the bug report will run; None if none is written.
        flaky: the failure may be intermittent; the maximum number of runs to decide about a
            candidate. None if every run of the same program should have the same outcome.
        parses: the compiler must be able to parse the input.
        logged: a run of the input that is known: the input is not run if a part of it fails alike.
        file: where the input lies, if the command is to be run on that as it is; else None.
    """

    input: Path
    text: str
    output: Path
    journal: Path
    opt: Path | None = None
    jobs: int = 1
    fresh: bool = False
    max_calls: int | None = None
    max_seconds: float | None = None
    max_cpu_seconds: float | None = None
    keep_generic: bool = False
    keep_flags: bool = False
    comments: bool = True
    also_found: bool = True
    ask_elsewhere: bool = False
    ask_releases: frozenset[str] | None = None
    compares_degenerate: bool = True
    changes_level: bool = True
    keeps: frozenset[str] = frozenset()
    pass_level: bool = False
    reported: "ReportRuns | None" = None
    flaky: int | None = None
    parses: bool = False
    logged: LoggedRun | None = None
    file: Path | None = None

    @staticmethod
    def of(program: Path | str, output: Path | str | None = None) -> "Settings":
        """The settings for a file; `dataclasses.replace` changes any of them.

        The result is next to it if no output is given.

        Raises:
            ReducerError: the file cannot be read, or the output cannot be written.
        """
        source = Path(program)
        text = read_input(source).text
        target = default_output(source) if output is None else Path(output)
        check_output(target, source)
        folder = ResultFolder.of(target, source)
        folder.check()
        is_whole = source.stat().st_size == len(text.encode(errors="surrogateescape"))
        return Settings(source, text, target, folder.journal, file=source if is_whole else None)

    @property
    def folder(self) -> ResultFolder:
        """The folder for everything except the result."""
        return ResultFolder.of(self.output, self.input)

    @property
    def program(self) -> Path:
        """What commands call the result: a device such as /dev/null cannot be read again."""
        return self.output if is_plain(self.output) else default_output(self.input)


@runtime_checkable
class ReportRuns(Protocol):
    """What the bug report about a result runs. Idle workers run it before it is asked for."""

    def program(self, oracle: Oracle, text: str) -> tuple[str, str]:
        """The program with its comments, and the name of its file."""
        ...

    def script(self, oracle: Oracle, text: str, outcome: Outcome) -> Errand:
        """The script of the report, for a program with this outcome."""
        ...


@dataclass(frozen=True)
class Size:
    """The size of a program."""

    lines: int
    ops: int
    bytes: int

    @staticmethod
    def of(document: Document) -> "Size":
        text = document.text
        lines = text.count("\n") + (bool(text) and not text.endswith("\n"))
        return Size(lines, document.op_count, len(text.encode(errors="surrogateescape")))


@dataclass(frozen=True)
class Tried:
    """A candidate that was tried.

    Attributes:
        origin: the name of the transformation or step that produced it.
        ops: of the candidate; None if nothing was made.
        refusal: why it was not accepted; None if it was.
    """

    origin: str
    ops: int | None
    refusal: Refusal | None = None


@dataclass(frozen=True)
class Progress:
    """A snapshot of a reduction: the size of the best so far, and the cost.

    Attributes:
        phase: what is being done: a stage of the search, or a transformation.
        best: the size of the best program so far.
        calls: how often the command was run.
        cached: how often a known outcome took the place of a run.
        cpu_seconds: of CPU time, for all compilers and tools.
        seconds: of wall time since the start.
        charged: the calls charged to the budget; see `Costs`.
        program: the best itself, None while that is the input and not yet read.
        tried: the candidate that was just judged, if that is the event.
        level: '' for the reduction of the input, otherwise where the program is.
    """

    phase: str
    best: Size
    calls: int
    cached: int
    cpu_seconds: float
    seconds: float
    charged: int = 0
    program: Document | None = None
    tried: Tried | None = None
    level: str = ""


@dataclass(frozen=True)
class Phase:
    """A new phase starts."""

    name: str


@dataclass(frozen=True)
class Message:
    """Something that the user should know."""

    text: str


@dataclass(frozen=True)
class Stands:
    """There is, or is about to be, a result on disk.

    Attributes:
        output: the file.
        ops: its size.
        oracle: judges it, with the command that is left.
        failure: what it shows, in words.
        is_complete: whether the reduction has ended by itself, and what is still made follows.
    """

    output: Path
    ops: int
    oracle: Oracle
    failure: str
    is_complete: bool


Event = Phase | Progress | Message | Stands
"""A `Progress` is an event when a verdict has arrived, or a candidate was accepted."""

Listener = Callable[[Event], None]
"""Receives events, on the thread that runs the reduction or on a worker's."""


def messages_to(listener: Listener) -> Callable[[str], None]:
    """A function that tells a listener a message."""
    return lambda text: listener(Message(text))
