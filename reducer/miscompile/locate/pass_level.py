"""The second reproducer of a wrong result: the module before the wrong pass, and that pass alone.

Several passes may be needed for a wrong result although only one is wrong: the others make what it
mistakes. So the first reproducer's passes before it are run, and what they write is a program of
its own, compared in the same way, for a command that runs one pass.
"""

import json
import math
import tempfile
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import Command, CompilerOracle, Limits, Outcome, Signature
from oracles.base import outcome_digest
from oracles.signature.comparison import same_failure
from oracles.stored import conforming, parsed
from reducer.asking import Asking, Budget, Stopped
from reducer.conversions import OptPrinter
from reducer.driver.records.figures import Costs
from reducer.driver.settings import Listener, Message, Phase
from reducer.driver.stages.following import (
    UNFINISHED,
    Ended,
    InnerReduction,
    PassReport,
    Reduce,
    shown_command,
    size_of,
)
from reducer.driver.stages.pass_level import following, second_reproducer
from reducer.driver.stages.rewrite_level import Judging, blaming
from reducer.errors import ReducerError
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import Fails
from reducer.miscompile.locate.small_widths import prove
from reducer.miscompile.locate.wrong_pass import first_wrong_pass, result_judge, sole_pass_of
from reducer.miscompile.oracle import ValuesOracle, values_of
from reducer.storage.journal import Journal
from reducer.storage.result_folder import ResultFolder
from reducer.units import plural

MAX_CALLS = 60  # each is a run of the passes and a few of the program
MAX_SECONDS = 120.0
_RUN_TIMEOUT = 60.0  # seconds for one run if the user set no limit


@dataclass(frozen=True)
class WrongPassLevel:
    """What a reduction to `text` has left.

    Attributes:
        text: the input-level reproducer.
        source: its path.
        oracle: the comparison under which it is wrong.
        target: the signature of its failure.
    """

    text: str
    source: Path
    oracle: ValuesOracle
    target: Signature
    jobs: int = 1
    keep_generic: bool = False


@dataclass(frozen=True)
class _Found:
    """The pass, the commands that run what is before it ('' if it is first) and it alone."""

    name: str
    before: str
    alone: Command
    pipeline: str
    text: str


def reduce_wrong_pass(
    work: WrongPassLevel,
    *,
    listener: Listener,
    stop: threading.Event,
    reduce: Reduce,
    journal: Path | None = None,
    calls: int = MAX_CALLS,
    until: float = math.inf,
) -> PassReport | None:
    """Write `before_pass` in the folder of the result: the module that the wrong pass receives.

    Runs are cached in `journal`, that of the reduction to the first. `reduce` is the driver.

    It has the same class of wrong result, by the same comparison and a fresh run, when that pass
    runs alone; its kind may be disagreement, as fewer can tell what is right there. At most `calls`
    comparisons are made, never more than `MAX_CALLS` and `MAX_SECONDS` of CPU time, and none after
    `until`, on the monotonic clock. Returns None, and leaves no file, if the compiler under test
    transforms no modules, if nobody can tell which pass it is, or if the pass alone shows no such
    result on that module. A command of one pass is at this level already: the report says so.
    """
    if work.oracle.command is None:
        return None

    def make(known: Journal, inside: Listener) -> PassReport | None:
        listener(Phase("find the wrong pass"))
        most = min(calls, MAX_CALLS)
        return _WrongPassReduction(work, listener, inside, stop, known, reduce, most, until).run()

    return second_reproducer(make, listener, journal)


def _wrong_pass(ended: Ended, calls: int, until: float) -> PassReport | None:
    report, settings = ended.report, ended.settings
    if (oracle := values_of(ended.oracle)) is None:
        return None
    return reduce_wrong_pass(
        WrongPassLevel(
            report.text,
            settings.output,
            oracle,
            report.signature,
            settings.jobs,
            settings.keep_generic,
        ),
        listener=ended.listener,
        stop=ended.stop,
        reduce=ended.reduce,
        journal=settings.journal,
        calls=calls,
        until=until,
    )


WRONG_PASS_LEVEL = following(_wrong_pass)
"""The stage to append for a `ValuesOracle`."""


def _by_result(level: PassReport, tool: OptTool) -> Fails | None:
    """The judge of a tool that makes another program."""
    values = values_of(level.oracle)
    return None if values is None else result_judge(values, level.text, tool)


BY_RESULT = Judging(_by_result, prove)
BLAME_WRONG_REWRITE = blaming(BY_RESULT)
"""The stage to append after it."""


class _WrongPassReduction:
    def __init__(
        self,
        work: WrongPassLevel,
        listener: Listener,
        inside: Listener,
        stop: threading.Event,
        journal: Journal,
        reduce: Reduce,
        calls: int,
        until: float,
    ) -> None:
        self.work = work
        self.listener = listener
        self.inside = inside
        self.stop = stop
        self.journal = journal
        self.reduce = reduce
        self.executable = work.oracle.comparison.candidate.executable
        own = work.oracle.limits
        self.limits = Limits(own.seconds or _RUN_TIMEOUT, own.memory)
        self.printer = OptPrinter(self.executable, self.limits)
        budget = Budget(calls, MAX_SECONDS, until)
        self.asking = Asking(None, budget, self.limits, stop)
        self.one_minimal = False
        self.target = work.target  # or what the module that the pass receives shows in its place

    def run(self) -> PassReport | None:
        command = self.work.oracle.command
        if command is None:
            return None
        tool = OptTool(self.executable, limits=self.limits, cancel=self.stop, calls=1, seconds=60)
        try:
            only = sole_pass_of(command, tool.knows_pass)
        except Stopped:  # interrupted before it told its passes
            return None
        if only is not None:
            return self._same_program(only)
        try:
            found = self._find(command, tool)
            self.asking.check()
            if found is not None:
                return self._second(found)
        except Stopped:
            pass
        if (calls := self.asking.cost.calls) and not self.stop.is_set():
            told = f"{plural(calls, 'comparison')} did not tell which pass is wrong"
            self.listener(Message(f"no pass-level reproducer: {told}"))
        return None

    def _second(self, found: _Found) -> PassReport | None:
        """The program of that pass, if it is wrong there alone."""
        oracle = self._oracle(found)
        alone = self.asking.ask(oracle, found.text)
        if not self._takes(alone):
            self.listener(Message(f"no pass-level reproducer: {_seen(found.name, alone)}"))
            return None
        return self._finish(replace(found, text=self._reduced(found.text, oracle)))

    # ---- the pass --------------------------------------------------------------------------

    def _find(self, command: Command, tool: OptTool) -> _Found | None:
        """The wrong pass and the module before it, from the journal if it was found before."""
        asked = f"{self.work.oracle.key} {self.limits} {self.work.target.to_json()} "
        key = f"wrong pass {outcome_digest(self.work.text, oracle=asked)}"
        known = self.journal.read(key, lambda text: (_from_json(parsed(text), command),))
        if known is not None:
            return known[0]
        found = self._ask(command, tool)
        self.asking.check()  # what was cut short tells nothing
        self.journal.put_text(key, json.dumps(_as_json(found)))
        return found

    def _ask(self, command: Command, tool: OptTool) -> _Found | None:
        def is_wrong(shorter: Command) -> bool | None:
            oracle = self.work.oracle.with_command(shorter)
            kind = self.asking.ask(oracle, self.work.text).kind
            return None if kind.traits.undecided else kind.traits.wrong_results

        found = first_wrong_pass(command, tool.knows_pass, is_wrong)
        if found is None:
            return None
        text = self.work.text if found.before is None else self._after(found.before)
        before = shown_command(found.before, self.work.source.name) if found.before else ""
        return _Found(found.name, before, found.alone, found.pipeline, text) if text else None

    def _after(self, command: Command) -> str:
        """What the passes of a command make of the reproducer; '' if that cannot be told."""
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            target = Path(folder) / "before.mlir"
            oracle = CompilerOracle(command, self.executable, output=str(target))
            outcome = self.asking.ask(oracle, self.work.text)
            if not outcome.succeeded or not target.is_file():
                return ""
            return target.read_text(encoding="utf-8", errors="surrogateescape")

    # ---- reduction -------------------------------------------------------------------------

    def _takes(self, outcome: Outcome) -> bool:
        """Whether a program is wrong like the result, be it a miscompile or a disagreement.

        On the module that a pass receives, others can tell what is right than on the result.
        """
        self.target, seen = self.work.target, outcome.signature
        if not outcome.kind.traits.wrong_results:
            return False
        if same_failure(self.target, replace(seen, kind=self.target.kind)):
            self.target = seen
        return self.target is seen

    def _oracle(self, found: _Found) -> ValuesOracle:
        return self.work.oracle.on_program(found.text, found.alone)

    def _reduced(self, text: str, oracle: ValuesOracle) -> str:
        """The module after a reduction of its own; itself if none is possible."""
        if self.asking.is_spent:
            return text
        work = self.work
        inner = InnerReduction(
            work.source,
            self.executable,
            self.inside,
            self.stop,
            self.journal,
            self.reduce,
            work.jobs,
            work.keep_generic,
        )
        digest = outcome_digest(text, oracle=f"{oracle.key} {self.limits} ")
        try:
            report = inner.run(
                text,
                oracle,
                f"wrong pass {digest}",
                calls=int(self.asking.calls_left),
                seconds=self.asking.seconds_left,
                until=self.asking.budget.until,
            )
        except (ReducerError, Stopped):
            return text
        costs = report.costs
        self.asking.cost.add(costs.calls, costs.cpu_seconds, charged=report.charged)
        self.one_minimal = report.one_minimal
        return report.text

    # ---- result ----------------------------------------------------------------------------

    def _finish(self, found: _Found) -> PassReport | None:
        """Write the file, and compare the program in it once more, judged anew.

        Nothing is written if the user has interrupted the run: it would be reduced half the way.
        """
        if self.stop.is_set():
            return None
        file = ResultFolder.of(self.work.source).before_pass
        command, level = found.alone, self._level(found)
        unfinished = "" if self.one_minimal else UNFINISHED
        text = f"// RUN: {shown_command(command, '%s')}\n// {level}\n{unfinished}{found.text}"
        oracle = self.work.oracle.on_program(text, command)
        outcome = oracle.confirm(text, file.name, limits=self.limits, cancel=self.stop)
        self.asking.cost.add(1, outcome.cpu_seconds)
        if not same_failure(self.target, outcome.signature):
            return None
        told = [one.message for one in outcome.diagnostics if one.severity == "error"]
        text += "".join(f"// error: {line}\n" for line in told[:1])
        folder = ResultFolder(file.parent)
        folder.create()
        folder.written.write(file, text)
        report = self._report(found.name, level, found.text, file, oracle)
        return replace(report, pipeline=found.pipeline)

    def _level(self, found: _Found) -> str:
        level = f"cut from the input-level reproducer: {found.name} is its first pass"
        if found.before:
            by = f"reached from the input-level reproducer by: {found.before}"
            level = f"cut from the IR before {found.name}, {by}"
        is_open = self.target.kind is not self.work.target.kind
        return f"a {self.target.kind}, {level}" if is_open else level

    def _same_program(self, name: str) -> PassReport:
        """The report about a result that is at the level of its pass already."""
        work = self.work
        level = f"the input-level reproducer: it runs {name} alone"
        self.one_minimal = True
        report = self._report(name, level, work.text, work.source, work.oracle)
        return replace(report, same_program=True)

    def _report(
        self, name: str, level: str, text: str, path: Path, oracle: ValuesOracle
    ) -> PassReport:
        cost = self.asking.cost
        return PassReport(
            pass_name=name,
            pipeline=None,
            level=level,
            output_path=path,
            output=size_of(text, self.printer),
            command=tuple(oracle.display(str(path))),
            failure=self.target.text,
            signature=self.target,
            oracle=oracle,
            text=text,
            verified=True,
            one_minimal=self.one_minimal,
            costs=Costs(cost.calls, cost.cpu_seconds + self.printer.cost.cpu_seconds),
        )


def _seen(name: str, alone: Outcome) -> str:
    """What was seen of a pass alone on the module that it receives, if not the same failure."""
    where = f"with {name} alone, on the module that it receives,"
    if alone.succeeded:
        return f"{where} no difference was seen"
    if alone.kind.traits.undecided:
        return ": ".join((f"{where} nothing can tell whether it is wrong", *alone.remarks[:1]))
    return f"{where} there is another failure: {alone.signature.text}"


def _as_json(found: _Found | None) -> dict[str, object] | None:
    if found is None:
        return None
    return {**vars(found), "alone": list(found.alone.argv)}


def _from_json(data: dict[str, object] | None, command: Command) -> _Found | None:
    """What `_as_json` has made, for the command under test."""
    if data is None:
        return None
    alone = replace(command, argv=conforming(data["alone"], tuple[str, ...]))
    name, before, pipeline, text = (
        conforming(data[key], str) for key in ("name", "before", "pipeline", "text")
    )
    return _Found(name, before, alone, pipeline, text)
