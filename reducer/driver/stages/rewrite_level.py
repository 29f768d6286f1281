"""The rewrite at fault: what follows the program of the failing pass, with the IR around it.

The IR before the rewrite is reduced further, as long as that rewrite alone makes it fail alike.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from json import dumps
from pathlib import Path
from typing import NamedTuple

from oracles import Signature
from oracles.base import capabilities_of
from oracles.compilers.command import INPUT
from oracles.plugin import Case, Plugin, PluginOracle
from oracles.stored import parsed
from reducer.asking import Budget, Stopped
from reducer.driver.records.figures import Costs
from reducer.driver.records.record import Report
from reducer.driver.stages.following import Ended, Following
from reducer.driver.stages.second_program import (
    First,
    Making,
    PassReport,
    SecondProgram,
    shell_line,
)
from reducer.errors import ReducerError
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import GENERIC, Fails, RewriteSearch, crash_judge
from reducer.storage.result_folder import ResultFolder

_CANDIDATES = 19  # of the IR before the rewrite; each takes up to two runs, as does the last check
_PATIENCE = 60.0  # seconds for all of them


class RewriteJudge(NamedTuple):
    """Who judges the program of a pass, None if that is another's, and who proves a rewrite wrong.

    What is proved by comparing IR before and after on all inputs is told in words, or ''.
    """

    judge: Callable[[PassReport, OptTool], Fails | None]
    prove: Callable[[PassReport, RewriteSearch, BlamedRewrite], str] = lambda *_: ""


def _by_failure(level: PassReport, tool: OptTool) -> Fails | None:
    if (compiler := capabilities_of(level.oracle).failures) is None:
        return None
    return crash_judge(compiler, level.signature, tool)


BY_FAILURE = RewriteJudge(_by_failure)
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


def _reduced(making: Making, search: RewriteSearch, rewrite: BlamedRewrite) -> BlamedRewrite:
    """The rewrite with less IR before it, and what it makes of that."""
    target, tool, printer = search.target.kind.traits, making.tool, making.printer
    is_one = rewrite.sure and rewrite.before and bool(rewrite.pattern) != bool(rewrite.folds)
    if not is_one or target.exhausts:
        return rewrite
    spec = f"{search.oracle.key} {rewrite.pattern} {rewrite.op}"
    judge = Plugin("rewrite", spec, _OneRewrite(search, rewrite))
    oracle = PluginOracle(judge, None, None, limits=tool.limits, shown=search.oracle.display)
    calls, until = min(_CANDIDATES, int(tool.asking.calls_left) // 2), time.monotonic() + _PATIENCE
    budget = Budget(calls, _PATIENCE, min(tool.asking.budget.until, until))
    try:
        report = making.reduction(rewrite.before, oracle, budget)
        text = printer.pretty(report.text) or report.text
        command = search.alone(rewrite, text)
        if command is None or not search.fails(command, text):
            return rewrite
        after = search.made(command, text, valid=False) if rewrite.after else ""
        text = (GENERIC in after and printer.generic(text)) or text
    except (ReducerError, Stopped):
        return rewrite
    return replace(rewrite, before=text, after=after, alone=command.argv, reduced=True)


def find_rewrite(first: First, level: PassReport, judging: RewriteJudge) -> PassReport:
    """The report with the rewrite at fault, and IR before and after it, reduced.

    If it cannot be told, if runs or time are spent, or if the user stops, it is as it was.

    Args:
        first: what the program of the pass was made of.
    """

    def make(making: Making) -> PassReport | None:
        compiler, tool = capabilities_of(level.oracle).compiler, making.tool
        assert compiler is not None
        if (fails := judging.judge(level, tool)) is None:
            return None

        def find() -> str:
            search = RewriteSearch(compiler, level.text, level.signature, fails, tool)
            rewrite = search.run()
            if rewrite is None:
                return "{}"
            rewrite = _reduced(making, search, rewrite)
            with suppress(Stopped):
                rewrite = replace(rewrite, proof=judging.prove(level, search, rewrite))
            return dumps(rewrite.to_json())

        rewrite = making.remembered(
            "rewrite", find, lambda text: BlamedRewrite.from_json(parsed(text))
        )
        if rewrite is None:
            return None
        file = level.output_path.read_bytes() if level.output_path.is_file() else b""
        rewrite = rewrite.in_program(level.text, file.decode(errors="surrogateescape"))
        seconds = level.costs.cpu_seconds + tool.cost.cpu_seconds
        costs = Costs(level.costs.calls + tool.cost.calls, seconds)
        return replace(level, rewrite=rewrite, costs=costs)

    kind = SecondProgram(
        makes="rewrite at fault",
        phase="find the rewrite at fault",
        section="rewrite",
        calls=100,
        seconds=120.0,
        tool=lambda first: first.opt,
        make=make,
    )
    compiler = capabilities_of(level.oracle).compiler
    if compiler is None or not level.pass_name:
        return level
    within = replace(
        first,
        text=level.text,
        source=level.output_path,
        oracle=level.oracle,
        target=level.signature,
        opt=compiler.executable,
        calls=max(0, first.calls - level.costs.calls),
        jobs=1,
        keep_generic=False,
    )
    return kind.of(within) or level


def _write(rewrite: BlamedRewrite, program: Path, folder: ResultFolder) -> None:
    """The IR before and after the rewrite, each with what makes it, and what fails on it."""
    if not rewrite.make or not rewrite.before:
        return
    before, after = folder.before_rewrite, folder.after_rewrite
    made = f"from {program.name} by: {_line(rewrite.make[0], program.name)}"
    run = f"// RUN: {_line(rewrite.alone, '%s')}\n" if rewrite.alone else ""
    how = f"{run}// made {'(and then reduced) ' if rewrite.reduced else ''}{made}"
    folder.create()
    folder.written.write(before, f"{how}\n{rewrite.before.rstrip()}\n")
    if rewrite.after:
        source = before if rewrite.reduced else program
        line = _line(rewrite.alone if rewrite.reduced else rewrite.make[-1], source.name)
        text = f"// made from {source.name} by: {line}\n{rewrite.after.rstrip()}\n"
        folder.written.write(after, text)


def _line(argv: tuple[str, ...], name: str) -> str:
    return shell_line([name if word == INPUT else word for word in argv])


def blaming(judging: RewriteJudge) -> Following:
    """The stage that names the rewrite, within the rest of the user's budget."""

    def run(ended: Ended) -> Report:
        report, settings = ended.report, ended.settings
        level = report.pass_level
        if not isinstance(level, PassReport) or level.rewrite is not None:
            return report
        found = find_rewrite(First.of(ended), level, judging)
        if found.rewrite is not None and not ended.stop.is_set():
            _write(found.rewrite, level.output_path, ResultFolder.of(settings.output))
        return replace(report, pass_level=found)

    return Following("rewrite at fault", run)


BLAME_REWRITE = blaming(BY_FAILURE)
