"""Second programs: made of the result of a reduction, each at a level of its own.

All are the same act: what fails at that level is found in the first program, reduced by the driver
that has reduced the first one, run once more as it is printed, and recorded. A kind of them is one
value, a `SecondProgram`; a `Making` is what its `make` has at hand.

Nothing here affects the earlier result: if there is no second program, no file is left.
"""

import math
import shlex
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from oracles import Command, Limits, Oracle, Outcome, Signature
from oracles.base import outcome_digest
from oracles.signature.comparison import same_failure
from reducer.asking import Budget, Stopped
from reducer.conversions import OptPrinter
from reducer.driver.records.figures import Costs, PassRecord
from reducer.driver.records.record import Report
from reducer.driver.settings import (
    Event,
    Listener,
    Phase,
    Progress,
    Settings,
    Size,
    messages_to,
)
from reducer.driver.stages.following import Ended, Reduce
from reducer.errors import ReducerError
from reducer.escaping import one_line
from reducer.ir import GenericSyntaxError, Module, PlainText
from reducer.locate.opt_tool import OptTool
from reducer.storage.journal import Journal, JournalNamespace
from reducer.storage.result_folder import ResultFolder

R = TypeVar("R")
T = TypeVar("T")

_RUN_TIMEOUT = 60.0  # seconds for one run if the user set no limit


@dataclass(frozen=True)
class First:
    """The program that a second one is made of, and what may be spent on that.

    Attributes:
        source: its path; the second one is written into its folder.
        target: the signature of its failure under the oracle.
        stop: ends the work early.
        reduce: the driver.
        opt: the `…-opt` tool of the compiler under test.
        calls: the runs that are left to the user; `until`, on the monotonic clock, ends the time.
        journal: that of the reduction to it.
        enough: limits that are enough for a run; only the result is confirmed with the oracle's.
    """

    text: str
    source: Path
    oracle: Oracle
    target: Signature
    listener: Listener
    stop: threading.Event
    reduce: Reduce
    opt: Path | None = None
    jobs: int = 1
    keep_generic: bool = False
    calls: float = math.inf
    until: float = math.inf
    journal: Path | None = None
    enough: Limits | None = None

    @staticmethod
    def of(ended: Ended) -> "First":
        """The result of a reduction, and the rest of the user's budget."""
        report, settings = ended.report, ended.settings
        calls, seconds = settings.max_calls, settings.max_seconds
        return First(
            report.text,
            settings.output,
            ended.oracle,
            report.signature,
            ended.listener,
            ended.stop,
            ended.reduce,
            settings.opt,
            settings.jobs,
            settings.keep_generic,
            math.inf if calls is None else max(0, calls - report.charged),
            math.inf if seconds is None else time.monotonic() + seconds - report.wall_seconds,
            settings.journal,
            report.enough,
        )


@dataclass(frozen=True)
class Second:
    """A program at another level, and what fails on it.

    Attributes:
        name: the pass that fails, or is wrong.
        level: where the program comes from, in words.
        pipeline: what the command runs, if that is a pipeline.
        oracle: judges a text by the command.
        tells: whether the command says nothing of the failure, so that the file does.
        found_by: the later pass that fails on what this one breaks, if that is how it is known.
    """

    name: str
    text: str
    signature: Signature
    level: str
    pipeline: str | None
    command: Command
    oracle: Callable[[str], Oracle]
    tells: bool = False
    found_by: str = ""


@dataclass(frozen=True, kw_only=True)
class PassReport(PassRecord):
    """The record of the pass-level result, its failure, its text, and what judges it."""

    signature: Signature
    oracle: Oracle
    text: str


@dataclass(frozen=True)
class SecondProgram(Generic[R]):
    """A kind of second program.

    Attributes:
        makes: what it is, in words.
        phase: the name of the stage that people see.
        section: that of its runs in the journal.
        calls: how often a program may be run, and `seconds` the CPU time of that.
        tool: the `…-opt` tool that runs it; None if nothing can be made of a program.
        make: finds and reduces it; may raise `Stopped`.
        shown: the level that progress is shown of; '' if it is not shown.
    """

    makes: str
    phase: str
    section: str
    calls: int
    seconds: float
    tool: Callable[[First], Path | None]
    make: Callable[["Making"], R | None]
    shown: str = ""

    def of(self, first: First) -> R | None:
        """What can be made of a program; if nothing, its listener may be told why."""
        if (opt := self.tool(first)) is None:
            return None
        first.listener(Phase(self.phase))
        say = messages_to(first.listener)
        try:
            with (
                tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder,
                Journal.reopen(first.journal or Path(folder) / "journal", log=say) as journal,
            ):
                return self.make(Making(first, self, opt, journal))
        except Stopped:
            pass
        except (ReducerError, OSError) as error:
            say(f"no {self.makes}: {error}")
        return None


class Making:
    """The making of one second program, within its budget.

    Attributes:
        file: the path of the result.
        full: the limits with which the result is confirmed.
        tool: the `…-opt` tool; its `asking` is what all runs go through.
        one_minimal: whether the last reduction ran to its end.
    """

    def __init__(self, first: First, kind: SecondProgram[R], opt: Path, journal: Journal) -> None:
        self.first = first
        self.file = ResultFolder.of(first.source).before_pass
        limits = first.oracle.limits
        self.full = replace(limits, seconds=limits.seconds or _RUN_TIMEOUT)
        self.tool = OptTool(
            opt,
            limits=self.full if first.enough is None else self.full.at_most(first.enough),
            cancel=first.stop,
            calls=int(min(first.calls, kind.calls)),
            seconds=kind.seconds,
            until=first.until,
            known=JournalNamespace(journal, kind.section),
        )
        self.asking = self.tool.asking
        self.printer = OptPrinter(opt, self.tool.limits)
        self.one_minimal = False
        self._kind = kind
        self._journal = journal

    def say(self, why: str) -> None:
        """Say why there is no second program."""
        messages_to(self.first.listener)(f"no {self._kind.makes}: {why}")

    def remembered(self, what: str, find: Callable[[], str], read: Callable[[str], T]) -> T | None:
        """What was found out about the first program, now or before; None if no run is left."""
        first = self.first
        asked = f"{first.oracle.key} {self.tool.limits} {first.target.to_json()} "
        key = f"{self._kind.section}: {what} {outcome_digest(first.text, oracle=asked)}"
        known = self._journal.read(key, lambda text: (read(text),))
        if known is not None:
            return known[0]
        try:
            text = find()
        except Stopped:
            return None
        if not self.asking.cancel.is_set():  # an interrupted run shows nothing
            self._journal.put_text(key, text)
        return read(text)

    # ---- reduction -----------------------------------------------------------------------------

    def reduced(self, text: str, oracle: Oracle) -> str:
        """The text after a reduction of its own with what is left.

        Raises:
            ReducerError: it cannot be reduced.
            Stopped: the run was ended before there was a result.
        """
        asking = self.asking
        left = Budget(int(asking.calls_left), asking.seconds_left, asking.budget.until)
        report = self.reduction(text, oracle, left)
        asking.cost.add(report.costs.calls, report.costs.cpu_seconds, charged=report.charged)
        self.one_minimal = report.one_minimal
        return report.text

    def reduction(self, text: str, oracle: Oracle, budget: Budget) -> Report:
        """A reduction of its own, whose runs are not counted here; raises what `reduced` does."""
        first, digest = self.first, outcome_digest(text, oracle=f"{oracle.key} {oracle.limits} ")
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            settings = Settings(
                input=self.file,
                text=text,
                output=Path(folder) / "reduced.mlir",
                journal=Path(folder) / "journal",
                opt=self.tool.opt,
                jobs=first.jobs,
                keep_generic=first.keep_generic,
                keep_flags=True,  # these are of the pass alone
                comments=False,
                also_found=False,
                compares_degenerate=False,  # the input-level result decides
                max_calls=max(1, budget.calls or 0),
                max_seconds=None
                if budget.until == math.inf
                else max(1e-3, budget.until - time.monotonic()),
                max_cpu_seconds=max(1e-3, budget.cpu or 0.0),
            )
            noted = JournalNamespace(self._journal, f"{self._kind.section} {digest}")
            return first.reduce(settings, oracle, self._tell, first.stop, noted)

    def _tell(self, event: Event) -> None:
        """Forward events as those of this level, without messages: the first result stands."""
        shown, listener = self._kind.shown, self.first.listener
        match event:
            case Phase(name) if shown:
                listener(Phase(f"{shown}: {name}"))
            case Progress() if shown:
                listener(replace(event, level=shown))

    # ---- result --------------------------------------------------------------------------------

    def finish(self, second: Second) -> PassReport | None:
        """Write the file and run the printed command on it, as it is.

        Nothing is written if the user has interrupted the run: it would be reduced half the way.
        """
        asking, file = self.asking, self.file
        if asking.cancel.is_set():
            return None
        unfinished = "" if self.one_minimal else _UNFINISHED
        run = f"// RUN: {shown_command(second.command, '%s')}"
        text = f"{run}\n// {second.level}\n{unfinished}{second.text}"
        oracle = second.oracle(text)
        outcome = oracle.confirm(text, file.name, limits=self.full, cancel=asking.cancel)
        asking.cost.add(1, outcome.cpu_seconds)
        if not same_failure(second.signature, outcome.signature):
            return None
        folder = ResultFolder(file.parent)
        folder.create()
        folder.written.write(file, text + (_first_error(outcome) if second.tells else ""))
        return self._report(second, file, oracle)

    def same_program(self, name: str) -> PassReport:
        """The report about a first program that is at the level of its pass already."""
        first = self.first
        command = first.oracle.command
        assert command is not None
        level = f"the input-level reproducer: it runs {name} alone" if name else "the input"
        self.one_minimal = True
        second = Second(
            name, first.text, first.target, level, None, command, lambda text: first.oracle
        )
        return replace(self._report(second, first.source, first.oracle), same_program=True)

    def _report(self, second: Second, path: Path, oracle: Oracle) -> PassReport:
        cost = self.asking.cost
        return PassReport(
            pass_name=second.name,
            found_by=second.found_by,
            pipeline=second.pipeline,
            level=second.level,
            output_path=path,
            output=size_of(second.text, self.printer),
            command=tuple(oracle.display(str(path))),
            failure=second.signature.text,
            signature=second.signature,
            oracle=oracle,
            text=second.text,
            verified=True,
            one_minimal=self.one_minimal,
            costs=Costs(cost.calls, cost.cpu_seconds + self.printer.cost.cpu_seconds),
        )


_UNFINISHED = (
    "// not fully reduced: the budget of the pass level was spent, or an internal error occurred\n"
)


def _first_error(outcome: Outcome) -> str:
    errors = [one.message for one in outcome.diagnostics if one.severity == "error"]
    return "".join(f"// error: {line}\n" for line in errors[:1])


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
