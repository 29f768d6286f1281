"""`mlir-reducer triage`: sort many failures into buckets and reduce one of each."""

import threading
from contextlib import closing
from pathlib import Path
from typing import Any

from oracles.profiles import DEFAULT
from oracles.run import memory
from reducer import api
from reducer.cli.commands.triage_database import listing
from reducer.cli.display.console import echo, show
from reducer.cli.display.record import write_json, write_text
from reducer.cli.display.triage import in_order, make_watcher, markdown_summary, summary_parts
from reducer.cli.options.table import Options
from reducer.cli.options.values import by_suffix
from reducer.cli.request.backlog import find_backlog
from reducer.cli.signals import stop_on_signals
from reducer.cli.workspace import workspace
from reducer.errors import CommandNotFound, ExitCode, UsageError
from reducer.escaping import shell_joined
from reducer.report.bucket_files import write_bucket_pages
from reducer.search.sequential import MAX_RUNS
from reducer.storage.files import write_atomic
from reducer.storage.written import Written
from reducer.toolchain import ToolchainError
from reducer.toolchain.metric_request import MetricRequest
from reducer.triage import (
    EVERYTHING,
    BugState,
    Caps,
    Compiler,
    Summary,
    TriageOptions,
    Watcher,
    find_compiler,
    find_inputs,
    read_flags_file,
)
from reducer.triage.database import default_database
from reducer.triage.junit import junit_xml

_MEGABYTE = 1 << 20


def triage(asked: Options) -> int:
    """Compile every input in DIR…, sort the failures into buckets, and reduce one of each."""
    json_target, summary_target, quiet = asked.json_target, asked.summary_target, asked.quiet
    files = by_suffix(asked.outputs, ".html", ".xml")
    html, junit = files.get(".html"), files.get(".xml")
    where = asked.db or default_database(asked.folders[0], asked.metric)
    if html is not None:
        Written(where.parent).check(html)
    with closing(make_watcher(quiet=quiet)) as watcher:
        summary = triaged(asked, where, watcher)
    to_stdout = "-" in (json_target, summary_target)
    if not quiet:
        show(*summary_parts(summary), err=to_stdout)
    if json_target is not None:
        write_json(json_target, summary.to_json())
    if junit is not None:
        write_atomic(junit, junit_xml(summary))
    if not quiet:
        echo(f"database {where}; to list it: {shell_joined(listing(where))}", err=True)
    if html is not None:
        write_bucket_pages(html, in_order(summary.bugs), where, summary.unread)
    if summary_target is not None:
        text = markdown_summary(in_order(summary.bugs), summary.unread, summary.answers)
        write_text(summary_target, text)
    return ending(summary, fail_on_new=asked.fail_on_new)


def triaged(asked: Options, database: Path, watcher: Watcher) -> Summary:
    """The bugs that COMMAND has on the inputs in DIR…."""
    program, flags = _command(asked.words)
    lines = read_flags_file(asked.flags_file) if asked.flags_file else EVERYTHING
    backlog, programs = find_backlog(asked.folders)
    inputs = find_inputs(asked.folders, programs)
    metric, tries = asked.metric, asked.tries
    with workspace() as place:
        compilers = _compilers(program, asked.versions, watcher.message)
        stop = threading.Event()
        with stop_on_signals(stop, leave=place.clean_up):
            return api.triage(
                inputs,
                compilers,
                flags,
                database=database,
                options=TriageOptions(
                    Caps(asked.patience, _memory(asked.memory_limit), tries or 1),
                    reduce=asked.reduce,
                    max_calls=asked.max_calls,
                    flaky=None if tries is None else max(tries, MAX_RUNS),
                ),
                lines=lines,
                metric=None
                if metric is None
                else MetricRequest(metric, asked.worse_than, asked.by),
                report=asked.report,
                jobs=asked.workers,
                watcher=watcher,
                stop=stop,
                known=backlog,
            )


def _command(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The program and the flags for all inputs."""
    if words and not words[0].startswith("-"):
        return words[0], words[1:]
    return DEFAULT.compiler, words


def _compilers(program: str, versions: str | None, log: Any) -> tuple[Compiler, ...]:
    """The compilers, each once.

    Raises:
        UsageError: the list of versions is empty.
        ToolchainError: a version cannot be installed.
        CommandNotFound: the program does not exist.
    """
    if versions is None:
        try:
            return (find_compiler(program, None, log),)
        except ToolchainError as error:
            raise CommandNotFound(str(error)) from error
    wanted = [word for word in (part.strip() for part in versions.split(",")) if word]
    if not wanted:
        raise UsageError("--iree needs at least one version")
    return tuple(dict.fromkeys(find_compiler(program, version, log) for version in wanted))


def _memory(megabytes: int | None) -> int:
    return memory.memory_limit() if megabytes is None else megabytes * _MEGABYTE


def ending(summary: Summary, *, fail_on_new: bool = False) -> ExitCode:
    """How the command ends."""
    if summary.interrupted:
        return ExitCode.INTERRUPTED
    if summary.internal_errors:
        return ExitCode.INTERNAL
    if fail_on_new and summary.count(BugState.NEW) + summary.count(BugState.REOPENED):
        return ExitCode.NOT_INTERESTING
    if summary.unusable:
        return ExitCode.USAGE
    if summary.unreadable or any(cell.problem for cell in summary.cells):
        return ExitCode.BAD_INPUT
    return ExitCode.REDUCED
