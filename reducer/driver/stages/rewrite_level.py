"""The rewrite at fault: what follows the program of the failing pass, with the IR around it."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from json import dumps, loads
from pathlib import Path

from oracles import CompilerOracle, Limits
from oracles.base import outcome_digest
from oracles.compilers.command import INPUT
from oracles.compilers.compiler import compiler_of
from reducer.driver.records.figures import Costs
from reducer.driver.records.record import Report
from reducer.driver.settings import Phase
from reducer.driver.stages.following import Ended, Following, PassReport, shell_line
from reducer.locate.opt_tool import OptTool, ToolBudgetExhausted
from reducer.locate.rewrite import BlamedRewrite, Fails, RewriteSearch, crash_judge
from reducer.storage.journal import Journal
from reducer.storage.result_folder import ResultFolder

MAX_CALLS = 100
MAX_SECONDS = 120.0
_RUN_TIMEOUT = 60.0  # seconds for one run if the user set no limit

Judging = Callable[[PassReport, OptTool], Fails | None]
"""Who judges the program of a pass; None if that is another's."""

Proving = Callable[[RewriteSearch, BlamedRewrite], str]
"""What a comparison of IR before and after on all inputs says; '' if it cannot be made."""


def by_failure(level: PassReport, tool: OptTool) -> Fails | None:
    """The judge of a tool that fails."""
    if not isinstance(level.oracle, CompilerOracle):
        return None
    return crash_judge(level.oracle, level.signature, tool)


def find_rewrite(
    level: PassReport,
    judging: Judging,
    *,
    stop: threading.Event,
    prove: Proving | None = None,
    limits: Limits | None = None,
    calls: int = MAX_CALLS,
    until: float = math.inf,
    journal: Journal | None = None,
) -> PassReport:
    """The report with the rewrite at fault, and IR before and after it in the folder of the result.

    If it cannot be told, if runs or time are spent, or if `stop` is set, the report is as it was.
    """
    oracle = compiler_of(level.oracle)
    if oracle is None or not level.pass_name:
        return level
    full = limits or replace(oracle.limits, seconds=oracle.limits.seconds or _RUN_TIMEOUT)
    executable, seconds = oracle.executable, MAX_SECONDS
    tool = OptTool(executable, limits=full, cancel=stop, calls=calls, seconds=seconds, until=until)
    fails = judging(level, tool)
    if fails is None:
        return level
    target = level.signature
    key = f"rewrite {outcome_digest(level.text, oracle=f'{oracle.key} {target.to_json()} ')}"
    known = journal.get_text(key) if journal else None
    found = BlamedRewrite.from_json(loads(known)) if known else None
    if known is None:
        try:
            search = RewriteSearch(oracle, level.text, target, fails, tool)
            found = search.run()
            if found is not None and prove is not None:
                found = replace(found, proof=prove(search, found))
        except ToolBudgetExhausted:
            return level
        if journal is not None:
            journal.put_text(key, dumps(found.to_json()) if found else "")
    if found is None:
        return level
    seconds = level.costs.compiler_seconds + tool.compiler_seconds
    return replace(level, rewrite=found, costs=Costs(level.costs.calls + tool.calls, seconds))


def _write(found: BlamedRewrite, program: Path, folder: ResultFolder) -> None:
    """The IR before and after the rewrite, each with what makes it, and what fails on it."""
    files = (folder.before_rewrite, found.before), (folder.after_rewrite, found.after)
    run = f"// RUN: {_line(found.alone, '%s')}\n" if found.alone else ""
    for (file, text), made in zip(files, found.make, strict=False):
        if text:
            made_by = f"// made from {program.name} by: {_line(made, program.name)}\n"
            folder.create()
            folder.written.write(file, f"{run}{made_by}{text.rstrip()}\n")
        run = ""


def _line(argv: tuple[str, ...], name: str) -> str:
    return shell_line([name if word == INPUT else word for word in argv])


def blaming(judging: Judging, prove: Proving | None = None) -> Following:
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
                prove=prove,
                limits=report.enough,
                calls=calls,
                until=until,
                journal=journal,
            )
        if found.rewrite is not None and not ended.stop.is_set():
            _write(found.rewrite, level.output_path, ResultFolder.of(settings.output))
        return replace(report, pass_level=found)

    return Following("rewrite at fault", run)


BLAME_REWRITE = blaming(by_failure)
