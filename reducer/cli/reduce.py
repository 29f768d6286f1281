"""`mlir-reducer reduce`"""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from oracles import Oracle
from reducer.bundle import Bundle
from reducer.cli.cluster import clustered, scheduler_option
from reducer.cli.console import show
from reducer.cli.intake import agree, crash_in, first_failing
from reducer.cli.oracle_options import (
    OracleOptions,
    elsewhere_option,
    jobs_option,
    pass_level_of,
    passes_with_option,
    profile_with_option,
    releases_to_ask,
    with_oracle_options,
)
from reducer.cli.progress import ProgressBudget, make_display
from reducer.cli.reasons import DeferredErrors
from reducer.cli.record import write_json
from reducer.cli.report import report_of
from reducer.cli.result_table import Whole, report_parts
from reducer.cli.signals import stop_on_signals
from reducer.cli.trailing import TrailingCommand
from reducer.cli.workspace import workspace
from reducer.errors import CannotJudge, ExitCode, NotInteresting, OutputNotWritable, UsageError
from reducer.search.sequential import MAX_RUNS
from reducer.session import Reduction, Report, Settings
from reducer.session.level_above import ANY, INPUT
from reducer.storage.files import check_output
from reducer.storage.result_folder import ResultFolder, default_output

_ONLY_THE_RESULT = (
    "interrupted: the result is complete, but not what follows it; run the same command to add it"
)
_ENDINGS = {
    "reduced": ExitCode.REDUCED,
    "budget": ExitCode.BUDGET,
    "interrupted": ExitCode.INTERRUPTED,
}


@click.command(
    cls=TrailingCommand,
    short_help="Reduce INPUT to a small program that fails the same way.",
    epilog="""\b
Exit codes:
    0  reduced                              69  compiler version not available
    1  the input does not fail              70  internal error in mlir-reducer
    2  usage error                          73  the output cannot be written
    3  budget spent; best result kept       75  another process uses the journal
    4  the failure is flaky                124  the command does not terminate
    5  nothing can judge the results       127  command not found
   65  the input is not MLIR text          130  interrupted; best result kept
   66  the input cannot be read""",
)
@click.argument("input", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where to write the result. Everything else goes into one folder next to it, named like "
    "the result without .mlir. [default: NAME.reduced.mlir next to the input]",
)
@with_oracle_options
@jobs_option("the result does not depend on it")
@click.option(
    "--max-calls",
    metavar="N",
    type=click.IntRange(min=1),
    help="Stop after N runs of the command and keep the best result so far, which the last of them "
    "verify. Speculative runs of -j do not count.",
)
@click.option(
    "--max-seconds",
    metavar="S",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop after S seconds and keep the best result so far.",
)
@click.option(
    "--flaky",
    metavar="[N]",
    type=click.IntRange(min=2),
    help="Reduce an intermittent failure: run each candidate as often as a verdict needs, at most "
    f"N times. [default: {MAX_RUNS}]",
)
@elsewhere_option
@profile_with_option
@passes_with_option
@click.option(
    "--level",
    type=click.Choice([ANY, INPUT]),
    default=ANY,
    show_default=True,
    help="The dialects of the result: of any level that COMMAND compiles from the start, whichever "
    "gives the smallest program, or of the input.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Continue an earlier run, and fail if the journal belongs to another reduction. Without "
    "it, the same command also continues.",
)
@click.option(
    "-y",
    "--yes",
    is_flag=True,
    help="Run a command that was found in INPUT without asking.",
)
@click.option("--fresh", is_flag=True, help="Reuse no verdicts of earlier runs.")
@click.option("--keep-generic", is_flag=True, help="Print the result in MLIR's generic form.")
@click.option("--keep-flags", is_flag=True, help="Do not drop flags from the command.")
@click.option(
    "--comments/--no-comments",
    default=True,
    help="Put the command above the result and the message below it, as comments. [default: yes]",
)
@scheduler_option
@click.option(
    "--pass-level/--no-pass-level",
    default=True,
    help="Also reduce the IR just before the failing pass, into before-pass.mlir in the folder of "
    "the result. [default: yes]",
)
@click.option(
    "--also-found/--no-also-found",
    default=True,
    help="Keep candidates that fail differently, in also-found in the folder of the result. "
    "[default: yes]",
)
@click.option(
    "--report/--no-report",
    "with_report",
    default=True,
    help="Also write a bug report: report and report.zip in the folder of the result. "
    "[default: yes]",
)
@click.option(
    "--json",
    "json_target",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Also write sizes, costs, and the failure as JSON; - for stdout.",
)
@click.option(
    "--progress/--no-progress", default=None, help="Show progress. [default: on a terminal]"
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Print each phase and the size at its start.")
def reduce(
    *,
    input: Path,
    output: Path | None,
    jobs: int,
    max_calls: int | None,
    max_seconds: float | None,
    flaky: int | None,
    level: str,
    elsewhere: bool,
    profile_with: tuple[str, ...],
    passes_with: tuple[str, ...],
    resume: bool,
    yes: bool,
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
    """Reduce INPUT to a small program on which COMMAND fails the same way.

    COMMAND is the command that fails, without the input file (or with {} in its place). What counts
    as the same failure is derived from the first run: the kind of failure, its message without
    names, shapes, and numbers, the failing op, and the top frames of a crash.

    \b
    With the compiler on PATH:
      mlir-reducer reduce model.mlir -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    \b
    With a given version of the compiler, installed on first use:
      mlir-reducer reduce model.mlir --iree 3.8.0 -- \\
          iree-compile --iree-hal-target-device=hip --iree-hip-target=gfx942

    \b
    With any other tool, pattern, or script:
      mlir-reducer reduce bug.mlir -- mlir-opt --canonicalize {}
      mlir-reducer reduce bug.mlir --match 'operand #\\d+ does not dominate' -- iree-opt --cse
      mlir-reducer reduce bug.mlir --test ./wrong-result.sh

    \b
    With command and input from a crash log, a crash reproducer, an issue, or a lit test:
      mlir-reducer reduce crash.log

    INPUT may be bytecode (.mlirbc) or compressed (.mlir.xz). From the first accepted candidate on,
    the output file holds the best result so far; until then it is not touched. Running the same
    command again continues an interrupted reduction without repeating any run; --fresh starts over.
    """
    started = Whole.so_far()
    if resume and fresh:
        raise UsageError(
            "--resume continues an earlier run and --fresh discards it; give only one of them"
        )
    source = OracleOptions(source=input, words=words, **options).read()
    output = output or default_output(input)
    check_output(output, input)
    folder = ResultFolder.of(output, input)
    folder.check()
    _check_json(json_target)
    with workspace() as place, ExitStack() as held:
        words, text = _chosen(source.text, input, words, options, yes=yes)
        oracle, opt = OracleOptions(source=input, words=words, **options).oracle(text)
        releases_to_ask(profile_with, oracle, "--profile-with")
        jobs = held.enter_context(clustered(oracle, scheduler, jobs))
        settings = Settings(
            input=input,
            text=text,
            output=output,
            journal=folder.journal,
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
            ask_elsewhere=elsewhere,
            passes_with=releases_to_ask(passes_with, oracle, "--passes-with"),
            flaky=flaky,
            changes_level=level != INPUT,
        )
        display = make_display(
            wanted=progress,
            quiet=quiet,
            verbose=verbose,
            budget=ProgressBudget(max_calls, max_seconds),
        )
        deferred = DeferredErrors()
        try:
            reduction = Reduction(settings, oracle, display)
            with stop_on_signals(reduction.stop, leave=place.clean_up):
                report = reduction.run()
                bundle = None
                with deferred.attempt("pass-level reproducer"):
                    if pass_level and flaky is None:
                        below = pass_level_of(
                            report, settings, reduction.oracle, display, reduction.stop
                        )
                        report = replace(report, pass_level=below)
                with deferred.attempt("bug report"):
                    if with_report and not reduction.stop.is_set():
                        bundle = report_of(
                            report, reduction.oracle, opt, display, deferred, reduction.stop
                        )
        except (NotInteresting, CannotJudge):
            reduction.journal.discard()  # nothing to resume
            raise
        finally:
            display.close()
            folder.remove_if_empty()
    deferred.print_all()
    _show(report, bundle, Whole.so_far() - started, json_target, quiet)
    if report.status == "reduced" and reduction.stop.is_set():
        click.echo(_ONLY_THE_RESULT, err=True)
        return ExitCode.INTERRUPTED
    if report.status == "reduced" and not report.verified:
        return ExitCode.FLAKY
    return _ENDINGS[report.status]


def _chosen(
    text: str, input: Path, words: tuple[str, ...], options: dict[str, Any], *, yes: bool
) -> tuple[tuple[str, ...], str]:
    """The command, and the input: the whole file, what it describes, or a part of either."""
    commands: tuple[tuple[str, ...], ...] = (words,)
    by_command = options["test"] is None and options["plugin"] is None
    if by_command and (crash := crash_in(text, input, words)) is not None:
        commands, text = agree(crash, input, yes=yes), crash.text
    if not by_command:
        return words, text

    def oracle_of(some: tuple[str, ...]) -> Oracle:
        return OracleOptions(source=input, words=some, **options).oracle(text)[0]

    return first_failing(commands, text, oracle_of)


def _check_json(target: str | None) -> None:
    """Fail early if the report could not be written at the end."""
    if target not in (None, "-") and not Path(target).absolute().parent.is_dir():
        raise OutputNotWritable(f"cannot write {target}: its folder does not exist")


def _show(
    report: Report, bundle: Bundle | None, whole: Whole, json_target: str | None, quiet: bool
) -> None:
    if not quiet:
        show(*report_parts(report, bundle, whole), err=json_target == "-")
    if json_target is not None:
        write_json(json_target, {**report.to_json(), "whole": whole.to_json()})
