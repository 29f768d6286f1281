"""What follows once the result of a reduction stands, such as a reproducer for the failing pass.

Nothing here can spoil the result: what cannot be made is told in the end. A second reproducer is
reduced by the driver that has reduced the first one.
"""

import math
import shlex
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from oracles import Command, Oracle, Signature
from reducer.conversions import OptPrinter
from reducer.driver.records.figures import PassRecord
from reducer.driver.records.record import Report
from reducer.driver.settings import Listener, Settings, Size
from reducer.driver.stage import Attempts
from reducer.escaping import one_line
from reducer.ir import GenericSyntaxError, Module, PlainText
from reducer.storage.journal import Journal, JournalNamespace


class Reduce(Protocol):
    """The driver, which a stage may use for a program of its own (see `reduction.reduce_in`)."""

    def __call__(
        self,
        settings: Settings,
        oracle: Oracle,
        listener: Listener,
        stop: threading.Event,
        journal: Journal,
    ) -> Report:
        """Reduce another program, with what is cached in this journal.

        Raises:
            ReducerError: it cannot be reduced.
            Stopped: the run was ended before there was a result.
        """
        ...


@dataclass(frozen=True)
class Ended:
    """A reduction whose result is on disk.

    Attributes:
        report: its record so far.
        oracle: judges the result, with the command that is left.
        stop: is set if the user wants to stop.
        attempts: collects what cannot be made.
        reduce: reduces a program of a stage's own.
    """

    report: Report
    settings: Settings
    oracle: Oracle
    listener: Listener
    stop: threading.Event
    attempts: Attempts
    reduce: Reduce

    @property
    def is_worth_more(self) -> bool:
        """Whether there is a complete, verified result, which fails every time."""
        report = self.report
        return report.status == "reduced" and report.verified and report.flaky is None


@dataclass(frozen=True)
class Following:
    """A stage that follows: what it makes, in words, and the record with that."""

    makes: str
    run: Callable[[Ended], Report]

    def carry_out(self, ended: Ended) -> Report:
        """The record with what this stage has added, if it could."""
        changed = [ended.report]
        with ended.attempts.attempt(self.makes):
            changed.append(self.run(ended))
        return changed[-1]


@dataclass(frozen=True)
class InnerReduction:
    """What all reductions of a second reproducer have in common.

    Attributes:
        source: the path of the program that is shown as their input.
        opt: the `…-opt` tool of the compiler under test.
        listener: receives their events.
        stop: ends them early.
        journal: that of the first reduction.
        reduce: the driver.
    """

    source: Path
    opt: Path
    listener: Listener
    stop: threading.Event
    journal: Journal
    reduce: Reduce
    jobs: int = 1
    keep_generic: bool = False

    def run(
        self, text: str, oracle: Oracle, section: str, *, calls: int, seconds: float, until: float
    ) -> Report:
        """Reduce a program in at most so many runs and CPU seconds, and until some time, noted in a
        section of the journal.

        Raises:
            ReducerError: it cannot be reduced.
            Stopped: the run was ended before there was a result.
        """
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            settings = Settings(
                input=self.source,
                text=text,
                output=Path(folder) / "reduced.mlir",
                journal=Path(folder) / "journal",
                opt=self.opt,
                jobs=self.jobs,
                keep_generic=self.keep_generic,
                keep_flags=True,  # these are of the pass alone
                comments=False,
                also_found=False,
                compares_degenerate=False,  # the input-level result decides
                max_calls=max(1, calls),
                max_seconds=None if until == math.inf else max(1e-3, until - time.monotonic()),
                max_cpu_seconds=max(1e-3, seconds),
            )
            noted = JournalNamespace(self.journal, section)
            return self.reduce(settings, oracle, self.listener, self.stop, noted)


UNFINISHED = (
    "// not fully reduced: the budget of the pass level was spent, or an internal error occurred\n"
)


@dataclass(frozen=True, kw_only=True)
class PassReport(PassRecord):
    """The record of the pass-level result, its failure, its text, and what judges it."""

    signature: Signature
    oracle: Oracle
    text: str


def size_of(text: str, printer: OptPrinter) -> Size:
    """The size of a program that a tool can read; its lines count as ops if it cannot."""
    size, generic = Size.of(PlainText(text)), printer.generic(text)
    try:
        ops = Module.parse(generic).op_count if generic else size.ops
    except GenericSyntaxError:
        ops = size.ops
    return Size(size.lines, ops, size.bytes)


def shown_command(command: Command, input_name: str) -> str:
    """A command in one line, with its program by name: the folder is nobody's business."""
    words = command.words(input_name)
    program = Path(Path(words[len(command.launcher)]).name)
    return shell_line(command.run_with(program, words))


def shell_line(words: list[str]) -> str:
    """The command in one line for a shell, with conventional quoting of the pipeline."""
    out: list[str] = []
    for word in words:
        flag, equals, value = word.partition("=")
        if equals and flag.startswith("--") and shlex.quote(value) != value:
            out.append(f"{flag}={shlex.quote(value)}")
        else:
            out.append(word if word == "%s" else shlex.quote(word))
    return one_line(" ".join(out).replace("\n", " "))
