"""`mlir-reducer triage`: sort many failures into buckets and reduce one of each."""

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from oracles.profiles import DEFAULT
from oracles.run import memory
from oracles.run.confinement import Confinement, confine
from reducer.cli.commands.bucket_files import BucketReports, write_bucket_pages
from reducer.cli.commands.triage_database import default_database, listing
from reducer.cli.display.console import echo, print_status, show
from reducer.cli.display.record import write_json, write_text
from reducer.cli.display.triage import in_order, make_watcher, markdown_summary, summary_parts
from reducer.cli.options.shared import by_suffix, cores
from reducer.cli.signals import stop_on_signals
from reducer.cli.workspace import workspace
from reducer.cluster.cluster import Cluster
from reducer.cluster.executor import ClusterExecutor
from reducer.errors import CommandNotFound, ExitCode, MissingInput, UsageError
from reducer.escaping import shell_joined
from reducer.intake.allowed import allowed, known_flags, runs_reproducer
from reducer.search.sequential import MAX_RUNS
from reducer.storage.files import write_atomic
from reducer.storage.written import Written
from reducer.toolchain import ToolchainError, resolve_executable
from reducer.toolchain.metric_request import MetricRequest
from reducer.triage import (
    EVERYTHING,
    BugState,
    Caps,
    Compiler,
    Database,
    Executor,
    LocalExecutor,
    RunMatrix,
    Summary,
    Triage,
    TriageOptions,
    find_compiler,
    find_inputs,
    owned,
    read_flags_file,
)
from reducer.triage.junit import junit_xml

_MEGABYTE = 1 << 20


def triage(
    *,
    folders: tuple[Path, ...],
    versions: str | None,
    flags_file: Path | None,
    db: Path | None,
    jobs: int | str,
    timeout: float,
    memory_limit: int | None,
    metric: str | None,
    worse_than: str | None,
    by: float | None,
    reduce: bool,
    max_calls: int | None,
    flaky: int | None,
    report: bool,
    fail_on_new: bool,
    json_target: str | None,
    outputs: tuple[Path, ...],
    summary_target: str | None,
    quiet: bool,
    words: tuple[str, ...],
) -> int:
    """Compile every input in DIR…, sort the failures into buckets, and reduce one of each."""
    program, common = _command(words)
    files = by_suffix(outputs, ".html", ".xml")
    html, junit = files.get(".html"), files.get(".xml")
    lines = read_flags_file(flags_file) if flags_file else EVERYTHING
    inputs, unreadable = find_inputs(folders)
    if not inputs and not unreadable:
        named = ", ".join(map(str, folders))
        raise MissingInput(f"no inputs in {named}: no file ends in .mlir or .mlirbc")
    where = db or default_database(folders[0], metric)
    if html is not None:
        Written(where.parent).check(html)
    with ExitStack() as stack:
        place = stack.enter_context(workspace())
        stack.enter_context(owned(where))
        database = stack.enter_context(Database.open(where, log=print_status))
        watcher = make_watcher(quiet=quiet)
        stack.callback(watcher.close)
        compilers = _compilers(program, versions, watcher.message)
        request = None if metric is None else MetricRequest(metric, worse_than, by)
        _refuse_other_metric(database, request)
        if request is not None:
            request.check(Path(program).name, watcher.message)
            compilers = tuple(one.measuring(request) for one in compilers)
        matrix = RunMatrix(compilers, lines, common, str(Path.cwd()))
        typed = [*common, *(flag for line in lines for flag in line.flags)]
        _refuse_other_flags(database, compilers[0], typed)
        if runs_reproducer(typed):
            confine(Confinement((program,), place=str(place.folder)))
        options = TriageOptions(
            Caps(timeout, _memory(memory_limit), flaky or 1),
            reduce=reduce,
            max_calls=max_calls,
            flaky=None if flaky is None else max(flaky, MAX_RUNS),
        )
        stop = threading.Event()
        executor = stack.enter_context(_executing(matrix.compilers, jobs))
        stack.enter_context(stop_on_signals(stop, leave=place.clean_up))
        run = Triage(database, matrix, options, executor, watcher, stop)
        summary = run.run(inputs, unreadable)
        writing = BucketReports(database, run.matrix, options.caps, inputs, stop)
        if report and options.reduce and not summary.interrupted:
            writing.write(summary.bugs, jobs if isinstance(jobs, int) else cores(), watcher.message)
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
        write_text(summary_target, markdown_summary(in_order(summary.bugs), summary.unread))
    if (summary.internal_errors or writing.internal_errors) and not summary.interrupted:
        return ExitCode.INTERNAL
    return _ending(summary, fail_on_new)


def _refuse_other_flags(database: Database, compiler: Compiler, typed: Sequence[str]) -> None:
    """Check that a database, which came with the inputs, runs no flag that a file must not ask for.

    Raises:
        UsageError: it does, and the user has not typed that flag.
    """
    for row in database.rows("SELECT DISTINCT flags FROM configurations"):
        if others := [flag for flag in json.loads(row["flags"]) if flag not in typed]:
            known = known_flags(resolve_executable(compiler.program, compiler.version))
            for what in allowed(("", *others), known).left_out:
                raise UsageError(
                    f"{database.path} has flags that may do harm: {what}; if you trust them, type "
                    "them in the command, or give another database with --db"
                )


def _refuse_other_metric(database: Database, metric: MetricRequest | None) -> None:
    """Check that nothing else was measured, or that nothing was: a bug would seem to be fixed.

    Raises:
        UsageError: a database has other results.
    """
    asked = f"({metric.name})" if metric else ""
    for row in database.rows("SELECT name FROM compilers"):
        measured = " worse than " in row["name"]
        if measured != bool(asked) or not row["name"].endswith(asked):
            raise UsageError(f"{database.path} has results of {row['name']}; give another --db")


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


def _ending(summary: Summary, fail_on_new: bool) -> int:
    if summary.interrupted:
        return ExitCode.INTERRUPTED
    if fail_on_new and summary.count(BugState.NEW) + summary.count(BugState.REOPENED):
        return ExitCode.NOT_INTERESTING
    if summary.unusable:
        return ExitCode.USAGE
    if summary.unreadable or any(cell.problem for cell in summary.cells):
        return ExitCode.BAD_INPUT
    return ExitCode.REDUCED


@contextmanager
def _executing(compilers: Iterable[Compiler], jobs: int | str) -> Iterator[Executor]:
    """The executor of a triage's tasks: this machine, or a cluster.

    Raises:
        Unavailable: the cluster does not exist, or no worker has one of the compilers.
    """
    with ExitStack() as held:
        executor: Executor
        if isinstance(jobs, int):
            executor = LocalExecutor(jobs)
        else:
            cluster = Cluster(jobs.rpartition(",")[2])
            held.callback(cluster.close)
            executor = ClusterExecutor(cluster, {one.version for one in compilers}, print_status)
        held.callback(executor.close)
        yield executor
