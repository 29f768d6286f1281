"""What `mlir-reducer report` takes; `cli/commands/report.py` does the work."""

from pathlib import Path
from typing import Any

import click

from reducer.cli.options.oracle import with_oracle_options
from reducer.cli.options.shared import input_argument, jobs_option, words_option
from reducer.cli.options.trailing import NumberOption, TrailingCommand


@click.command(
    "report",
    cls=TrailingCommand,
    short_help="Write a bug report for INPUT: a folder and a zip file to attach.",
)
@input_argument
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Where to write the report. [default: report and report.zip in the folder of a result; "
    "for any other program, NAME.report and NAME.report.zip next to it]",
)
@words_option(
    "--add",
    ("explain", "versions", "pass-level"),
    "Add what the failure needs, as `explain` does; the verdicts of other releases, as `bisect` "
    "does, which may install some; the reduced IR before the failing pass, as `reduce` does.",
)
@click.option(
    "--anonymize",
    metavar="[=NAMES]",
    cls=NumberOption,
    omitted="",
    help="Replace all names from INPUT but these, separated by commas. Nothing is written unless "
    "it still fails the same way.",
)
@click.option(
    "--similar",
    "known",
    metavar="FILE_OR_FOLDER",
    type=click.Path(path_type=Path),
    help="List what resembles the failure among known ones: issues exported by "
    "`gh issue list --json number,title,body,url`, Markdown files, reports, triage databases.",
)
@click.option(
    "--json",
    "json_target",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="With --similar: write the ranking as JSON; - for stdout.",
)
@with_oracle_options(timeout="10 minutes", metric=False)
@jobs_option("the report does not depend on it")
def bug_report(**values: Any) -> int:
    """Write a bug report about the failure of COMMAND on INPUT.

    INPUT is a small program, such as a result of `reduce`. The folder contains report.md (in the
    form of the project's issues), the program, a script that checks whether it still fails, a lit
    test, and metadata.json; the zip file contains the same files, to attach to an issue. The
    command that files the issue is printed, and never run.

    \b
      mlir-reducer report model.reduced.mlir --add explain -- \\
          iree-compile --iree-hal-target-device=hip --iree-rocm-target=gfx942

    With --anonymize, the folder and the zip file are named report-BUCKET.

    Exits with 4 if the script did not reproduce the failure in an empty folder, or if a name from
    INPUT would remain in an anonymized report.
    """
    from reducer.cli.commands.report import bug_report

    return bug_report(**values)
