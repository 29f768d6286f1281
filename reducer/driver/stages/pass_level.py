"""The second reproducer: small IR just before the failing pass, and a one-pass command.

Starts from the input-level reproducer. The IR that enters the failing pass is extracted from its
enclosing ops, the pipeline is reduced to what the failure needs, and the same engine reduces the
IR.
"""

import math
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from oracles import CompilerOracle, Limits, Oracle, Signature
from oracles.base import capabilities_of, outcome_digest
from oracles.signature.comparison import same_failure
from oracles.signature.stage import INPUT
from reducer.conversions import OptPrinter
from reducer.driver.records.figures import Costs
from reducer.driver.records.record import Report
from reducer.driver.settings import Event, Listener, Phase, Progress, messages_to
from reducer.driver.stages.following import (
    UNFINISHED,
    Ended,
    Following,
    InnerReduction,
    PassReport,
    Reduce,
    shell_line,
    shown_command,
    size_of,
)
from reducer.errors import ReducerError
from reducer.ir import GenericSyntaxError, Module
from reducer.locate.failing_pass import FailingPass, find_failing_pass, ir_before_failure
from reducer.locate.opt_tool import OptTool
from reducer.locate.pipeline import PipelineStep, anchored, extracted, pipeline_in
from reducer.search.judge import Stopped
from reducer.storage.journal import Journal, JournalNamespace
from reducer.storage.result_folder import ResultFolder

T = TypeVar("T")

PASS_LEVEL = "pass level"
MAX_CALLS = 400
MAX_SECONDS = 300.0
_RUN_TIMEOUT = 60.0  # seconds for one run if the user set no limit
_ROUNDS = 3  # of extracting and reducing; reduction may make an op extractable


@dataclass(frozen=True)
class PassLevel:
    """The starting point of a pass-level reduction.

    Attributes:
        text: the input-level reproducer.
        source: its path.
        oracle: the oracle of its command.
        wanted: the signature of its failure.
        opt: the `…-opt` tool of the compiler under test.
        output: the path of the result.
    """

    text: str
    source: Path
    oracle: CompilerOracle
    target: Signature
    opt: Path
    output: Path
    jobs: int = 1
    keep_generic: bool = False


def following(make: Callable[[Ended, int, float], PassReport | None]) -> Following:
    """The stage that adds a second reproducer, within the rest of the user's budget.

    There is none if that is not wanted, if the first is not verified, or if there is no file to put
    it next to.

    Args:
        make: makes it in at most so many calls, until some time on the monotonic clock.
    """

    def run(ended: Ended) -> Report:
        report, settings = ended.report, ended.settings
        if not settings.pass_level or not ended.is_worth_more or not settings.output.is_file():
            return report
        pass_file = settings.folder.before_pass
        if pass_file.exists() and settings.input.exists() and pass_file.samefile(settings.input):
            return report
        calls, until = MAX_CALLS, math.inf
        if settings.max_calls is not None:
            calls = max(0, min(calls, settings.max_calls - report.charged))
        if settings.max_seconds is not None:
            until = time.monotonic() + settings.max_seconds - report.wall_seconds
        found = make(ended, calls, until)
        return report if found is None else replace(report, pass_level=found)

    return Following("pass-level reproducer", run)


def _pass_level(ended: Ended, calls: int, until: float) -> PassReport | None:
    report, settings = ended.report, ended.settings
    return reduce_pass_level(
        report.text,
        oracle=ended.oracle,
        target=report.signature,
        opt=settings.opt,
        output=settings.output,
        listener=ended.listener,
        stop=ended.stop,
        jobs=settings.jobs,
        keep_generic=settings.keep_generic,
        calls=calls,
        until=until,
        reduce=ended.reduce,
        journal=settings.journal,
        enough=report.enough,
    )


PASS_LEVEL_STAGE = following(_pass_level)


def reduce_pass_level(
    text: str,
    *,
    oracle: Oracle,
    target: Signature,
    opt: Path | None,
    output: Path,
    listener: Listener,
    stop: threading.Event,
    jobs: int = 1,
    keep_generic: bool = False,
    calls: int = MAX_CALLS,
    until: float = math.inf,
    reduce: Reduce,
    journal: Path | None = None,
    enough: Limits | None = None,
) -> PassReport | None:
    """Write `before_pass` in the folder of `output` from the reproducer `text`, which is there.

    Runs are cached in `journal`, that of the reduction to `text`. `calls` limit the work, and so do
    `MAX_SECONDS` of CPU time; `until`, on the monotonic clock, and `stop` end it. Runs have the
    limits `enough`, if given; only the result is confirmed with those of the oracle. `reduce` is
    the driver.

    Nothing here affects the earlier result: the function returns None and leaves no file if only a
    script or a pattern knows the failure, if there is no `…-opt` tool, if no `…-opt` command shows
    the same failure, or if the file cannot be written. If the input-level reproducer runs one pass
    of that tool and nothing else, there is nothing to find: the report has the name of the pass,
    and no file is written, unless the pass fails on an op taken out of those around it.
    """
    if opt is None or (compiler := capabilities_of(oracle).failures) is None:
        return None

    def make(known: Journal, inside: Listener) -> PassReport | None:
        listener(Phase("find the failing pass"))
        pass_file = ResultFolder.of(output).before_pass
        work = PassLevel(text, output, compiler, target, opt, pass_file, jobs, keep_generic)
        full = replace(compiler.limits, seconds=compiler.limits.seconds or _RUN_TIMEOUT)
        tool = OptTool(
            opt,
            limits=full if enough is None else full.at_most(enough),
            cancel=stop,
            calls=calls,
            seconds=MAX_SECONDS,
            until=until,
            known=JournalNamespace(known, "pass level"),
        )
        return _PassReduction(work, tool, full, inside, known, reduce).run()

    return second_reproducer(make, listener, journal)


def second_reproducer(
    make: Callable[[Journal, Listener], PassReport | None],
    listener: Listener,
    journal: Path | None,
) -> PassReport | None:
    """What `make` makes, given the journal of the first reproducer and what hears of its reduction.

    If it cannot make anything, `listener` is told why.
    """
    say = messages_to(listener)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder,
            Journal.reopen(journal or Path(folder) / "journal", log=say) as known,
        ):
            return make(known, partial(_tell_inside, listener))
    except (ReducerError, OSError) as error:
        say(f"no pass-level reproducer: {error}")
        return None


def _tell_inside(listener: Listener, event: Event) -> None:
    """Forward events as those of the pass level, without messages: the first result stands."""
    match event:
        case Phase(name):
            listener(Phase(f"{PASS_LEVEL}: {name}"))
        case Progress():
            listener(replace(event, level=PASS_LEVEL))


class _PassReduction:
    def __init__(
        self,
        work: PassLevel,
        tool: OptTool,
        full: Limits,
        listener: Listener,
        journal: Journal,
        reduce: Reduce,
    ) -> None:
        self.reduce = reduce
        self.work = work
        self.tool = tool
        self.full = full
        self.listener = listener
        self.journal = journal
        self.one_minimal = False
        self.printer = OptPrinter(work.opt, tool.limits)

    def run(self) -> PassReport | None:
        if (alone := self._is_alone()) is not None and not self._is_nested():
            return self._same_program(alone)
        found = self._find()
        if found is None:
            return None
        try:
            for number in range(_ROUNDS):
                smaller = self._shortened(self._extracted(found))
                if number and smaller == found:
                    break
                found = smaller
                found = replace(found, text=self._reduced(found))
        except Stopped:
            self.one_minimal = False
        return self._finish(found)

    def _is_alone(self) -> str | None:
        """The name of the failing pass if the command runs that and nothing else.

        '' if the command runs no pass, because the input is invalid as it is; None otherwise. A
        name in a command may stand for a pipeline, so the compiler says what it has run.
        """
        oracle, target = self.work.oracle, self.work.target
        own = self.tool.passes_of(oracle)
        if own is None or len(own) > 1:
            return None
        if not own:
            return "" if target.stage == INPUT else None

        def passes() -> str:
            proposal = ir_before_failure(
                oracle.command, oracle.executable, self.work.text, target, self.tool
            )
            if proposal is None:
                return ""
            if proposal.step is None:  # the verifier rejects what that pass has made
                return proposal.name
            return " ".join(inner.name for inner in proposal.step.passes)

        return own[0] if self._remembered("passes that run", passes, str) == own[0] else None

    def _is_nested(self) -> bool:
        """Whether the pass fails without the ops that its pipeline names around the innermost."""
        command, text = self.work.oracle.command, self.work.text
        nests = [(word, steps) for word in command.flags if (steps := pipeline_in(word))]
        if len(nests) != 1:
            return False
        ((pipeline, steps),) = nests
        flags = tuple(word for word in command.flags if word != pipeline)
        found = FailingPass("", anchored(steps), flags, text, self.work.target)
        try:
            return self._extracted(found) is not found
        except Stopped:
            return False

    def _same_program(self, name: str) -> PassReport:
        """The report about a result that is at the level of its pass already."""
        work = self.work
        command = work.oracle.command
        return PassReport(
            pass_name=name,
            pipeline=None,
            level=f"the input-level reproducer: it runs {name} alone" if name else "the input",
            output_path=work.source,
            output=size_of(work.text, self.printer),
            command=tuple(command.words(str(work.source))),
            failure=work.target.text,
            signature=work.target,
            oracle=work.oracle,
            text=work.text,
            verified=True,
            one_minimal=True,
            same_program=True,
            costs=self._costs,
        )

    def _find(self) -> FailingPass | None:
        oracle, target = self.work.oracle, self.work.target

        def find() -> str:
            found = find_failing_pass(
                oracle.command, oracle.executable, self.work.text, target, self.tool
            )
            return found.to_json() if found else ""

        what = "failing pass and what it receives"
        return self._remembered(what, find, FailingPass.from_json)

    def _remembered(self, what: str, find: Callable[[], str], read: Callable[[str], T]) -> T | None:
        """What was found out about the program, now or before; None if the runs were spent."""
        oracle = self.work.oracle
        asked = f"{oracle.key} {self.tool.limits} {self.work.target.to_json()} "
        key = f"pass level: {what} {outcome_digest(self.work.text, oracle=asked)}"
        known = self.journal.read(key, lambda found: (read(found),))
        if known is not None:
            return known[0]
        try:
            found = find()
        except Stopped:
            return None
        if not self.tool.asking.cancel.is_set():  # an interrupted run shows nothing
            self.journal.put_text(key, found)
        return read(found)

    @property
    def _costs(self) -> Costs:
        cost = self.tool.cost
        return Costs(cost.calls, cost.cpu_seconds + self.printer.cost.cpu_seconds)

    # ---- reduction -------------------------------------------------------------------------

    def _extracted(self, found: FailingPass) -> FailingPass:
        """The failing op alone, if it fails alone."""
        generic = self.printer.generic(found.text)
        if generic is None:
            return found
        try:
            module = Module.parse(generic)
        except GenericSyntaxError:
            return found
        for text, step in extracted(module, found.step):
            if len(text) < len(generic) and self._fails(found, text, step, found.flags):
                return replace(found, text=text, step=step)
        return found

    def _shortened(self, found: FailingPass) -> FailingPass:
        """The failing pass with fewer options, passes and flags."""
        progress = True
        while progress:
            progress = False
            for step, flags in _shorter(found.step, found.flags):
                if self._fails(found, found.text, step, flags):
                    found = replace(found, step=step, flags=flags)
                    progress = True
                    break
        return found

    def _fails(
        self, found: FailingPass, text: str, step: PipelineStep | None, flags: tuple[str, ...]
    ) -> bool:
        return self.tool.fails_like(found.signature, text, step, flags) is not None

    def _reduced(self, found: FailingPass) -> str:
        """The text after a reduction of its own."""
        oracle = found.oracle(self.tool)
        digest = outcome_digest(found.text, oracle=f"{oracle.key} {oracle.limits} ")
        report = InnerReduction(
            self.work.output,
            self.work.opt,
            self.listener,
            self.tool.asking.cancel,
            self.journal,
            self.reduce,
            self.work.jobs,
            self.work.keep_generic,
        ).run(
            found.text,
            oracle,
            f"pass level {digest}",
            calls=int(self.tool.asking.calls_left),
            seconds=self.tool.asking.seconds_left,
            until=self.tool.asking.budget.until,
        )
        costs = report.costs
        self.tool.cost.add(costs.calls, costs.cpu_seconds, charged=report.charged)
        self.one_minimal = report.one_minimal
        return report.text

    # ---- result ----------------------------------------------------------------------------

    def _finish(self, found: FailingPass) -> PassReport | None:
        """Write the file and run the printed command on it, as it is.

        Nothing is written if the user has interrupted the run: it would be reduced half the way.
        """
        if self.tool.asking.cancel.is_set():
            return None
        command = self.tool.command(found.step, found.flags)
        level = self._level(found)
        unfinished = "" if self.one_minimal else UNFINISHED
        text = f"// RUN: {shell_line(command.words('%s'))}\n// {level}\n{unfinished}{found.text}"
        oracle = found.oracle(self.tool)
        outcome = oracle.confirm(
            text, self.work.output.name, limits=self.full, cancel=self.tool.asking.cancel
        )
        self.tool.cost.add(1, outcome.cpu_seconds)
        if not same_failure(found.signature, outcome.signature):
            return None
        folder = ResultFolder(self.work.output.parent)
        folder.create()
        folder.written.write(self.work.output, text)
        return PassReport(
            pass_name=found.name,
            pipeline=found.step.text if found.step else None,
            level=level,
            output_path=self.work.output,
            output=size_of(found.text, self.printer),
            command=tuple(oracle.display(str(self.work.output))),
            failure=found.signature.text,
            signature=found.signature,
            oracle=oracle,
            text=found.text,
            verified=True,
            one_minimal=self.one_minimal,
            costs=self._costs,
        )

    def _level(self, found: FailingPass) -> str:
        command = self.work.oracle.command
        by = shown_command(command, self.work.source.name)
        if found.step is None:
            return f"invalid before any pass, found by: {by}"
        name = found.step.passes[-1].name
        inside = f" (in which {found.name} fails)" if name != found.name else ""
        before = f"cut from the IR before {name}{inside}"
        return f"{before}, reached from the input-level reproducer by: {by}"


def _shorter(
    step: PipelineStep | None, flags: tuple[str, ...]
) -> Iterator[tuple[PipelineStep | None, tuple[str, ...]]]:
    """Smaller variants: first with less of the pipeline, then with fewer flags."""
    if step is not None:
        if step.bare() != step:
            yield step.bare(), flags
        for less in step.smaller():
            yield less, flags
    for number in range(len(flags)):
        yield step, (*flags[:number], *flags[number + 1 :])
