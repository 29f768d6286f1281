"""The rewrite at fault: what follows the program of the failing pass, with the IR around it.

The IR before the rewrite is reduced further, as long as that rewrite alone makes it fail alike.
"""

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from json import dumps
from pathlib import Path
from typing import NamedTuple

from oracles import Limits, Signature
from oracles.base import capabilities_of, outcome_digest
from oracles.compilers.command import INPUT
from oracles.plugin import Case, Plugin, PluginOracle
from oracles.stored import parsed
from reducer.asking import Stopped
from reducer.conversions import OptPrinter
from reducer.driver.records.figures import Costs
from reducer.driver.records.record import Report
from reducer.driver.settings import Phase
from reducer.driver.stages.following import (
    Ended,
    Following,
    InnerReduction,
    PassReport,
    Reduce,
    shell_line,
)
from reducer.errors import ReducerError
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import GENERIC, Fails, RewriteSearch, crash_judge
from reducer.storage.journal import Journal
from reducer.storage.result_folder import ResultFolder

MAX_CALLS = 100
MAX_SECONDS = 120.0
_CANDIDATES = 19  # of the IR before the rewrite; each takes up to two runs, as does the last check
_PATIENCE = 60.0  # seconds for all of them
_RUN_TIMEOUT = 60.0  # seconds for one run if the user set no limit


class Judging(NamedTuple):
    """Who judges the program of a pass, None if that is another's, and who proves a rewrite wrong.

    What is proved by comparing IR before and after on all inputs is told in words, or ''.
    """

    judge: Callable[[PassReport, OptTool], Fails | None]
    prove: Callable[[RewriteSearch, BlamedRewrite], str] = lambda search, found: ""


def _by_failure(level: PassReport, tool: OptTool) -> Fails | None:
    if (compiler := capabilities_of(level.oracle).failures) is None:
        return None
    return crash_judge(compiler, level.signature, tool)


BY_FAILURE = Judging(_by_failure)
"""Of a tool that fails."""


@dataclass(frozen=True)
class _OneRewrite:
    """Judges programs by what the pass makes of them with the one rewrite and no other."""

    search: RewriteSearch
    found: BlamedRewrite

    def judge(self, case: Case) -> Signature | None:
        """The failure if it is the same; none if it is not, or the runs are spent."""
        with suppress(Stopped):
            command = self.search.alone(self.found, case.text)
            if command is not None and self.search.fails(command, case.text):
                return self.search.target
        return None


def _reduced(search: RewriteSearch, found: BlamedRewrite, inner: InnerReduction) -> BlamedRewrite:
    """The rewrite with less IR before it, and what it makes of that."""
    target, tool = search.target.kind.traits, search.tool
    if not found.sure or not found.pattern or not found.before or found.folds or target.exhausts:
        return found
    spec = f"{search.oracle.key} {found.pattern} {found.op}"
    judge = Plugin("rewrite", spec, _OneRewrite(search, found))
    shown = search.oracle.display
    oracle = PluginOracle(judge, None, None, limits=tool.limits, shown=shown)
    section = f"rewrite {outcome_digest(found.before, oracle=spec)}"
    calls, until = min(_CANDIDATES, int(tool.asking.calls_left) // 2), time.monotonic() + _PATIENCE
    try:
        report = inner.run(
            found.before, oracle, section, calls=calls, seconds=_PATIENCE,
            until=min(tool.asking.budget.until, until),
        )  # fmt: skip
        printer = OptPrinter(inner.opt, tool.limits)
        text = printer.pretty(report.text) or report.text
        command = search.alone(found, text)
        if command is None or not search.fails(command, text):
            return found
        after = search.made(command, text, valid=False) if found.after else ""
        text = (GENERIC in after and printer.generic(text)) or text
    except (ReducerError, Stopped):
        return found
    return replace(found, before=text, after=after, alone=command.argv, reduced=True)


def find_rewrite(
    level: PassReport,
    judging: Judging,
    *,
    stop: threading.Event,
    journal: Journal,
    reduce: Reduce,
    limits: Limits | None = None,
    calls: int = MAX_CALLS,
    until: float = math.inf,
) -> PassReport:
    """The report with the rewrite at fault, and IR before and after it, reduced by `reduce`.

    If it cannot be told, if runs or time are spent, or if `stop` is set, the report is as it was.
    """
    oracle = capabilities_of(level.oracle).compiler
    if oracle is None or not level.pass_name:
        return level
    full = limits or replace(oracle.limits, seconds=oracle.limits.seconds or _RUN_TIMEOUT)
    executable, seconds = oracle.executable, MAX_SECONDS
    tool = OptTool(executable, limits=full, cancel=stop, calls=calls, seconds=seconds, until=until)
    fails = judging.judge(level, tool)
    if fails is None:
        return level
    target = level.signature
    key = f"rewrite {outcome_digest(level.text, oracle=f'{oracle.key} {target.to_json()} ')}"
    known = journal.read(key, lambda text: (BlamedRewrite.from_json(parsed(text or "{}")),))
    found = known[0] if known else None
    if known is None:
        source, ignore = level.output_path, lambda event: None  # the results before it stand
        inner = InnerReduction(source, executable, ignore, stop, journal, reduce)
        try:
            search = RewriteSearch(oracle, level.text, target, fails, tool)
            found = search.run()
            found = found and _reduced(search, found, inner)
            if found is not None:
                with suppress(Stopped):
                    found = replace(found, proof=judging.prove(search, found))
        except Stopped:
            return level
        if not stop.is_set():
            journal.put_text(key, dumps(found.to_json()) if found else "")
    if found is None:
        return level
    file = level.output_path.read_bytes() if level.output_path.is_file() else b""
    found = found.in_program(level.text, file.decode(errors="surrogateescape"))
    seconds = level.costs.cpu_seconds + tool.cost.cpu_seconds
    return replace(level, rewrite=found, costs=Costs(level.costs.calls + tool.cost.calls, seconds))


def _write(found: BlamedRewrite, program: Path, folder: ResultFolder) -> None:
    """The IR before and after the rewrite, each with what makes it, and what fails on it."""
    if not found.make or not found.before:
        return
    before, after = folder.before_rewrite, folder.after_rewrite
    made = f"from {program.name} by: {_line(found.make[0], program.name)}"
    run = f"// RUN: {_line(found.alone, '%s')}\n" if found.alone else ""
    how = f"{run}// made {'(and then reduced) ' if found.reduced else ''}{made}"
    folder.create()
    folder.written.write(before, f"{how}\n{found.before.rstrip()}\n")
    if found.after:
        source = before if found.reduced else program
        line = _line(found.alone if found.reduced else found.make[-1], source.name)
        text = f"// made from {source.name} by: {line}\n{found.after.rstrip()}\n"
        folder.written.write(after, text)


def _line(argv: tuple[str, ...], name: str) -> str:
    return shell_line([name if word == INPUT else word for word in argv])


def blaming(judging: Judging) -> Following:
    """The stage that names the rewrite, within the rest of the user's budget."""

    def run(ended: Ended) -> Report:
        report, settings = ended.report, ended.settings
        level = report.pass_level
        if not isinstance(level, PassReport) or level.rewrite is not None:
            return report
        ended.listener(Phase("find the rewrite at fault"))
        calls, until = MAX_CALLS, math.inf
        if settings.max_calls is not None:
            calls = max(0, min(calls, settings.max_calls - report.charged - level.costs.calls))
        if settings.max_seconds is not None:
            until = time.monotonic() + settings.max_seconds - report.wall_seconds
        with Journal.reopen(settings.journal) as journal:
            found = find_rewrite(
                level,
                judging,
                stop=ended.stop,
                journal=journal,
                reduce=ended.reduce,
                limits=report.enough,
                calls=calls,
                until=until,
            )
        if found.rewrite is not None and not ended.stop.is_set():
            _write(found.rewrite, level.output_path, ResultFolder.of(settings.output))
        return replace(report, pass_level=found)

    return Following("rewrite at fault", run)


BLAME_REWRITE = blaming(BY_FAILURE)
