"""`mlir-reducer reduce`"""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from reducer.bundle import Bundle
from reducer.cli.cluster import clustered, scheduler_option
from reducer.cli.oracle_options import (
    OracleOptions,
    jobs_option,
    pass_level_of,
    passes_with_option,
    regression,
    with_oracle_options,
)
from reducer.cli.progress import ProgressBudget, make_display
from reducer.cli.reasons import DeferredErrors
from reducer.cli.record import write_json
from reducer.cli.report import report_of
from reducer.cli.result_table import report_table
from reducer.cli.signals import stop_on_signals
from reducer.cli.trailing import TrailingCommand
from reducer.cli.workspace import workspace
from reducer.errors import ExitCode, NotInteresting, OutputNotWritable, UsageError
from reducer.search.sequential import MAX_RUNS
from reducer.session import Reduction, Report, Settings
from reducer.storage.files import check_output, default_journal, default_output, read_input

_ENDINGS = {
    "reduced": ExitCode.REDUCED,
    "budget": ExitCode.BUDGET,
    "interrupted": ExitCode.INTERRUPTED,
}


@click.command(
    cls=TrailingCommand,
    short_help="Cut INPUT down to a small file that fails in the same way.",
    epilog="""\b
Exit codes:
    0  reduced                              69  the compiler version cannot be had
    1  the input does not fail              70  a bug in mlir-reducer
    2  usage                                73  the output cannot be written
    3  budget spent, best so far kept       75  another run uses the same journal
    4  the failure is flaky                124  the command does not end
   65  the input is not MLIR text          127  there is no such command
   66  the input cannot be opened          130  interrupted, best so far kept""",
)
@click.argument("input", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where the result goes. [default: NAME.reduced.mlir beside the input]",
)
@with_oracle_options
@jobs_option("the result is")
@click.option(
    "--max-calls",
    metavar="N",
    type=click.IntRange(min=1),
    help="Stop after N runs of the command; the best so far is kept. Speculative runs of -j do not "
    "count.",
)
@click.option(
    "--max-seconds",
    metavar="S",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop after S seconds; the best so far is kept.",
)
@click.option(
    "--flaky",
    metavar="[N]",
    type=click.IntRange(min=2),
    help="The failure comes and goes: run each candidate as often as a verdict needs, at most N "
    f"times. [default: {MAX_RUNS}]",
)
@passes_with_option
@click.option(
    "--resume",
    is_flag=True,
    help="Go on from an earlier run, or refuse to start where the journal is of another reduction. "
    "The same reduction goes on without it, too.",
)
@click.option("--fresh", is_flag=True, help="Reuse no verdict of an earlier run.")
@click.option("--keep-generic", is_flag=True, help="Leave the result in MLIR's generic form.")
@click.option("--keep-flags", is_flag=True, help="Leave the command as it is.")
@click.option(
    "--comments/--no-comments",
    default=True,
    help="Begin the result with the command, end it with the message. [default: yes]",
)
@scheduler_option
@click.option(
    "--pass-level/--no-pass-level",
    default=True,
    help="Also leave the IR before the failing pass in NAME.pass.mlir. [default: yes]",
)
@click.option(
    "--also-found/--no-also-found",
    default=True,
    help="Keep candidates that fail differently under NAME.also-found. [default: yes]",
)
@click.option(
    "--report/--no-report",
    "with_report",
    default=True,
    help="Also write a bug report to NAME.report and NAME.report.zip. [default: yes]",
)
@click.option(
    "--json",
    "json_target",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Also write the figures as JSON; - is standard output.",
)
@click.option(
    "--progress/--no-progress", default=None, help="Show progress. [default: on a terminal]"
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Name each phase with its sizes.")
def reduce(
    *,
    input: Path,
    output: Path | None,
    jobs: int,
    max_calls: int | None,
    max_seconds: float | None,
    flaky: int | None,
    passes_with: str | None,
    resume: bool,
    fresh: bool,
    keep_generic: bool,
    keep_flags: bool,
    comments: bool,
    scheduler: str | None,
    pass_level: bool,
    also_found: bool,
    with_report: bool,
    json_target: str | None,
    progress: bool | None,
    quiet: bool,
    verbose: bool,
    words: tuple[str, ...],
    **options: Any,
) -> int:
    """Cut INPUT down to a small file on which COMMAND fails in the same way.

    COMMAND is what you run to see the failure; the input file may be left out of it, or be written
    as {}. What "the same" means is derived from the first run: the kind of failure, its message
    without names, shapes and numbers, the failing operation, the top frames of a crash.

    \b
    A failing model, on the compiler found on PATH:
      mlir-reducer reduce model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    \b
    With another version of the compiler, installed on first use:
      mlir-reducer reduce model.mlir --iree 3.8.0 -- \\
          iree-compile --iree-hal-target-device=hip --iree-hip-target=gfx942

    \b
    Any other tool, any other question:
      mlir-reducer reduce bug.mlir -- mlir-opt --canonicalize {}
      mlir-reducer reduce bug.mlir --match 'operand #\\d+ does not dominate' -- iree-opt --cse
      mlir-reducer reduce bug.mlir --test ./wrong-result.sh

    INPUT may be compressed (.mlir.xz, .mlir.gz). The best result so far is on disk from the first
    accepted candidate on; until then the output file is left alone. The same command goes on where
    an interrupted reduction stopped and repeats no run; with --fresh it starts from the beginning.
    """
    if resume and fresh:
        raise UsageError("--resume goes on from an earlier run, --fresh forgets it; give only one")
    source = read_input(input)
    output = output or default_output(input)
    check_output(output, input)
    _check_json(json_target)
    with workspace() as place, ExitStack() as held:
        oracle, opt = OracleOptions(source=input, words=words, **options).oracle(source.text)
        jobs = held.enter_context(clustered(oracle, scheduler, jobs))
        settings = Settings(
            input=input,
            text=source.text,
            output=output,
            journal=default_journal(input, output),
            opt=opt,
            jobs=jobs,
            resume=resume,
            fresh=fresh,
            max_calls=max_calls,
            max_seconds=max_seconds,
            keep_generic=keep_generic,
            keep_flags=keep_flags,
            comments=comments,
            also_found=also_found,
            flaky=flaky,
        )
        display = make_display(
            wanted=progress,
            quiet=quiet,
            verbose=verbose,
            budget=ProgressBudget(max_calls, max_seconds),
        )
        deferred = DeferredErrors()
        try:
            reduction = Reduction(
                settings, oracle, display, regression=regression(passes_with, oracle)
            )
            with stop_on_signals(reduction.stop, leave=place.clean_up):
                report = reduction.run()
                bundle = None
                with deferred.attempt("reproducer at the level of the failing pass"):
                    if pass_level and flaky is None:
                        level = pass_level_of(
                            report, settings, reduction.oracle, display, reduction.stop
                        )
                        report = replace(report, pass_level=level)
                with deferred.attempt("report"):
                    if with_report and not reduction.stop.is_set():
                        bundle = report_of(
                            report, reduction.oracle, opt, display, deferred, reduction.stop
                        )
        except NotInteresting:
            if not reduction.journal.is_tentative:  # else it is an earlier reduction's again
                settings.journal.unlink(missing_ok=True)  # there is nothing to resume
            raise
        finally:
            display.close()
    deferred.print_all()
    _show(report, bundle, json_target, quiet)
    if report.status == "reduced" and not report.verified:
        return ExitCode.FLAKY
    return _ENDINGS[report.status]


def _check_json(target: str | None) -> None:
    """A report that cannot be written must be known before the work, not after it."""
    if target not in (None, "-") and not Path(target).absolute().parent.is_dir():
        raise OutputNotWritable(f"there is no folder for the report {target}")


def _show(report: Report, bundle: Bundle | None, json_target: str | None, quiet: bool) -> None:
    if not quiet:
        click.echo(report_table(report, bundle), err=json_target == "-")
    if json_target is not None:
        write_json(json_target, report.to_json())
