"""`mlir-reducer triage`"""

import shlex
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from oracles.memory import memory_limit
from oracles.profiles import DEFAULT
from reducer.cli.bucket_pages import html_option, write_bucket_pages
from reducer.cli.bucket_reports import BucketReports
from reducer.cli.cluster import executing, scheduler_option
from reducer.cli.completion import complete_versions
from reducer.cli.oracle_options import jobs_option
from reducer.cli.record import write_json
from reducer.cli.signals import stop_on_signals
from reducer.cli.trailing import TrailingCommand
from reducer.cli.triage_database import default_database, listing
from reducer.cli.triage_output import in_order, make_watcher, summary_text
from reducer.cli.workspace import workspace
from reducer.errors import CommandNotFound, ExitCode, OutputNotWritable, UsageError
from reducer.storage.files import write_atomic
from reducer.toolchain import ToolchainError
from reducer.triage import (
    EVERYTHING,
    BugState,
    Caps,
    Compiler,
    Database,
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


@click.command(
    cls=TrailingCommand,
    short_help="Turn folders of failing inputs into a short list of bugs.",
    epilog="""\b
Exit codes:
    0  done, whether or not inputs fail     69  compiler version not available
    1  new or reopened bugs, with           70  internal error in mlir-reducer
       --fail-on-new                        73  a file cannot be written
    2  usage error, or flags that a         75  another triage uses the database
       compiler does not accept            127  compiler not found
   65  an input could not be read or run   130  interrupted; run it again to continue
   66  no such folder or file""",
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR…")
@click.option(
    "--iree",
    "versions",
    metavar="VERSION,…",
    shell_complete=complete_versions,
    help="Compile with each of these releases (such as 3.12.0,3.13.0), installed on first use.",
)
@click.option(
    "--flags-file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A file with one set of flags per line, optionally for some inputs (docs/triage.md).",
)
@click.option(
    "--db",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The triage database. [default: .mlir-reducer/triage.sqlite in the first DIR]",
)
@jobs_option("the buckets do not depend on it")
@click.option(
    "--timeout",
    metavar="S",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    help="Treat a compiler that runs longer as hanging, which is a failure.",
)
@click.option(
    "--memory",
    metavar="MB",
    type=click.IntRange(min=1),
    help="Kill a compiler that uses more memory. [default: half of the machine's]",
)
@scheduler_option
@click.option("--no-reduce", is_flag=True, help="Only compile and sort failures into buckets.")
@click.option(
    "--max-calls",
    metavar="N",
    type=click.IntRange(min=1),
    help="Stop the reduction of a bucket after N runs and keep the best result so far.",
)
@click.option(
    "--reports/--no-reports",
    default=True,
    help="Also write a bug report for each reproducer, for `buckets export`. [default: yes]",
)
@click.option("--fail-on-new", is_flag=True, help="Exit with 1 if any bug is new or reopened.")
@click.option(
    "--json",
    "json_target",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Write the results as JSON; - for stdout.",
)
@click.option(
    "--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write JUnit XML for CI."
)
@html_option
@click.option(
    "--progress/--no-progress", default=None, help="Show progress. [default: on a terminal]"
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def triage(
    *,
    folders: tuple[Path, ...],
    versions: str | None,
    flags_file: Path | None,
    db: Path | None,
    jobs: int,
    timeout: float,
    memory: int | None,
    scheduler: str | None,
    no_reduce: bool,
    max_calls: int | None,
    reports: bool,
    fail_on_new: bool,
    json_target: str | None,
    junit: Path | None,
    html: Path | None,
    progress: bool | None,
    quiet: bool,
    words: tuple[str, ...],
) -> int:
    """Compile every input in DIR…, sort the failures into buckets, and reduce one of each.

    Inputs are .mlir and .mlirbc files, plain or compressed (.gz, .xz, .bz2, .zst). COMMAND is a
    compiler with its flags, or just flags for iree-compile.

    \b
      mlir-reducer triage models/ --iree 3.12.0,3.13.0 -- \\
          --iree-hal-target-device=hip --iree-rocm-target=gfx942

    Results are stored in a database as they arrive. Running the same command again, after Ctrl-C
    or the next night, compiles and reduces only what is new and marks each bug as new, known,
    fixed, or reopened.
    """
    _check_targets(json_target, junit, html)
    program, common = _command(words)
    lines = read_flags_file(flags_file) if flags_file else EVERYTHING
    inputs, unreadable = find_inputs(folders)
    where = db or default_database(folders[0])
    with ExitStack() as stack:
        place = stack.enter_context(workspace())
        database = stack.enter_context(Database.open(where))
        stack.enter_context(owned(database))
        watcher = make_watcher(wanted=progress, quiet=quiet)
        stack.callback(watcher.close)
        matrix = RunMatrix(
            _compilers(program, versions, watcher.message), lines, common, str(Path.cwd())
        )
        options = TriageOptions(
            Caps(timeout, _memory(memory)), reduce=not no_reduce, max_calls=max_calls
        )
        stop = threading.Event()
        executor = stack.enter_context(executing(matrix.compilers, scheduler, jobs))
        stack.enter_context(stop_on_signals(stop, leave=place.clean_up))
        run = Triage(database, matrix, options, executor, watcher, stop)
        summary = run.run(inputs, unreadable)
        if reports and options.reduce and not summary.interrupted:
            writing = BucketReports(database, run.matrix, options.caps, inputs, stop)
            writing.write(summary.bugs, jobs, watcher.message)
    _show(summary, json_target, junit, quiet)
    if not quiet:
        click.echo(f"database {where}; to list it: {shlex.join(listing(where))}", err=True)
    if html is not None:
        write_bucket_pages(html, in_order(summary.bugs), where)
    return _ending(summary, fail_on_new)


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
    return memory_limit() if megabytes is None else megabytes * _MEGABYTE


def _check_targets(json_target: str | None, *others: Path | None) -> None:
    """Fail early if an output file could not be written at the end."""
    for target in (None if json_target in (None, "-") else json_target, *others):
        if target is not None and not Path(target).absolute().parent.is_dir():
            raise OutputNotWritable(f"cannot write {target}: its folder does not exist")


def _show(summary: Summary, json_target: str | None, junit: Path | None, quiet: bool) -> None:
    if not quiet:
        click.echo(summary_text(summary), err=json_target == "-")
    if json_target is not None:
        write_json(json_target, summary.to_json())
    if junit is not None:
        write_atomic(junit, junit_xml(summary))


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
