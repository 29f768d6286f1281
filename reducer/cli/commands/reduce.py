"""`mlir-reducer reduce`: reduce an input."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import reducer
from oracles import Oracle
from oracles.base import capabilities_of
from reducer.cli.display.console import echo, print_status, show
from reducer.cli.display.progress import Display, ProgressBudget, make_display, tell
from reducer.cli.display.record import write_json
from reducer.cli.display.result_table import brief_parts, report_parts
from reducer.cli.display.shown_command import compiler_facts
from reducer.cli.ending import print_error
from reducer.cli.reasons import print_problems
from reducer.cli.request.intake import command_and_input, command_of_log, logged_run, own_file
from reducer.cli.request.oracle_options import (
    OracleOptions,
    releases_to_ask,
)
from reducer.cli.request.recorded import ResultRecord
from reducer.cli.signals import stop_on_signals
from reducer.cli.workspace import workspace
from reducer.driver.best import OnDisk
from reducer.driver.settings import Event, Settings, Stands
from reducer.errors import (
    ExitCode,
    UsageError,
)
from reducer.storage.files import check_output, is_plain, read_result
from reducer.storage.result_folder import ResultFolder, default_output
from reducer.storage.sqlite_file import locks_kept

if TYPE_CHECKING:
    from reducer.driver.records.record import Report
    from reducer.report import Bundle
    from reducer.report.stage import ReportStage

_ONLY_THE_RESULT = "interrupted: the result is complete, but not what follows it"
_NO_RESULT = (OnDisk.OTHER, OnDisk.NOTHING)
_NO_ROOM = (
    "no space is left (disk, quota, or limit); the result above stands; free some space and run "
    "the same command again"
)
_ENDINGS = {
    "reduced": ExitCode.REDUCED,
    "budget": ExitCode.BUDGET,
    "interrupted": ExitCode.INTERRUPTED,
}


@dataclass(frozen=True)
class Reduced:
    """What a reduction has left, and whether it was stopped."""

    report: "Report"
    bundle: "Bundle | None"
    journal: Path
    stopped: bool

    @property
    def code(self) -> ExitCode:
        """How the command ends."""
        report = self.report
        if report.lacks_room and report.status != "interrupted":
            return ExitCode.CANNOT_WRITE
        if report.status == "reduced" and self.stopped:
            return ExitCode.INTERRUPTED
        if report.internal_errors and report.status != "interrupted":
            return ExitCode.INTERNAL
        if report.status == "reduced" and not report.verified:
            return ExitCode.FLAKY
        return _ENDINGS[report.status]


def reduce(asked: OracleOptions) -> int:
    """Reduce INPUT to a small program on which COMMAND fails the same way."""
    started = time.monotonic()
    output = asked.output or default_output(asked.source)
    quiet, verbose, json_target = asked.quiet, asked.verbose, asked.json_target

    def display() -> Display:
        return make_display(
            quiet=quiet,
            verbose=verbose,
            budget=ProgressBudget(asked.max_calls, asked.max_seconds),
            output=output,
            started=started,
        )

    done = reduced(asked, output, display)
    report, bundle = done.report, done.bundle
    saved = "" if report.on_disk in _NO_RESULT else "; the result itself was saved"
    print_problems(report.internal_errors, report.problems, saved, traces=verbose)
    seconds = time.monotonic() - started
    if not quiet:
        parts = brief_parts(report, bundle)
        if verbose:
            parts = report_parts(report, bundle, seconds, compiler_facts(report.oracle))
        show(*parts, err=json_target == "-")
    if json_target is not None:
        write_json(json_target, {**report.to_json(), "whole": {"wall_seconds": round(seconds, 3)}})
    if done.code == ExitCode.CANNOT_WRITE:
        print_error(f"cannot write {done.journal}: {_NO_ROOM}")
    elif report.status == "reduced" and done.stopped:
        echo(_ONLY_THE_RESULT, err=True)
    return done.code


@locks_kept()
def reduced(asked: OracleOptions, output: Path, make_display: Callable[[], Display]) -> Reduced:
    """Reduce INPUT, and record in the folder of the result what shows its failure."""
    input, log, jobs, keep, given = asked.source, asked.log, asked.workers, asked.keep, asked.words
    source = asked.read()
    check_output(output, input)
    folder = ResultFolder.of(output, input)
    folder.check()
    folder.written.check(output)
    with workspace() as place, ExitStack() as held:
        logged, printed, text = asked, source.text, source.text
        if log is None:
            asked, text = command_and_input(asked, text, yes=asked.yes)
        else:
            logged, printed = replace(asked, source=log), read_result(log)
            asked = command_of_log(asked, logged, printed, text, yes=asked.yes)
        oracle, opt = asked.oracle(text)
        releases_to_ask(asked.profile_with, oracle, "--profile-with")
        oracle, at_once = held.enter_context(clustered(oracle, jobs))
        reporting = _report_stage() if asked.report else None
        settings = Settings(
            input=input,
            text=text,
            file=None if isinstance(jobs, str) else own_file(asked, text, given),
            output=output,
            journal=folder.journal,
            opt=opt,
            jobs=at_once,
            fresh=asked.fresh,
            max_calls=asked.max_calls,
            max_seconds=asked.max_seconds,
            keep_generic="generic" in keep,
            keep_flags="flags" in keep,
            ask_elsewhere=asked.elsewhere,
            flaky=asked.flaky,
            changes_level="level" not in keep,
            keeps=frozenset(keep) & {"sizes", "types"},
            logged=logged_run(oracle, text, printed, logged.source),
            parses=True,
            pass_level=asked.pass_level,
            reported=reporting.scripts if reporting else None,
        )
        display = make_display()

        def on_event(event: Event) -> None:
            tell(display, event)
            if isinstance(event, Stands):
                ResultRecord.of(output).keep_request(asked, event.oracle, event.failure)

        stop = threading.Event()
        appended = [reporting.stage] if reporting else []
        if asked.wrong_results:
            from reducer.miscompile.locate.pass_level import BLAME_WRONG_REWRITE, WRONG_PASS_LEVEL

            appended = [WRONG_PASS_LEVEL, BLAME_WRONG_REWRITE, *appended]
        try:
            with stop_on_signals(stop, place.clean_up, display):
                report = reducer.reduce(
                    settings, oracle, on_event=on_event, stop=stop, then=appended
                )
        finally:
            display.close()
    bundle = reporting.bundle if reporting else None
    if report.on_disk is OnDisk.RESULT and is_plain(output):
        known = bundle.facts.record if bundle else report.in_all()  # the report adds origins
        ResultRecord.of(output).add(
            read_result(output), report.failure.bucket, reduction=known.to_json()
        )
    return Reduced(report, bundle, folder.journal, stop.is_set())


def _report_stage() -> "ReportStage":
    from reducer.report.stage import ReportStage  # imports the page

    return ReportStage()


@contextmanager
def clustered(oracle: Oracle, jobs: int | str) -> Iterator[tuple[Oracle, int]]:
    """Yields the oracle with its runs on the cluster that `jobs` names, and how many run at once.

    Raises:
        UsageError: the oracle does not run a compiler.
        Unavailable: the cluster does not exist, or no worker has the compiler.
    """
    if isinstance(jobs, int):
        yield oracle, jobs
        return
    most, _, address = jobs.rpartition(",")
    if (compiler := capabilities_of(oracle).failures) is None:
        raise UsageError(
            "a cluster cannot be combined with --test, --match, --metric, --signature exit=N, or "
            "--wrong-results"
        )
    from reducer.cluster.cluster import Cluster, ClusterRunner, required_resources

    cluster = Cluster(address)
    try:
        capacity = cluster.capacity(required_resources(compiler.executable))
        there = replace(compiler, runner=ClusterRunner(cluster, print_status))
        yield there, min(int(most or capacity), capacity)
    finally:
        cluster.close()
