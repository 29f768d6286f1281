"""What `mlir-reducer report` takes; `cli/commands/report.py` does the work."""

from typing import Any

import click

from reducer.cli.options.table import takes
from reducer.cli.options.trailing import TrailingCommand, input_argument


@click.command("report", cls=TrailingCommand)
@input_argument
@takes("report")
def report(asked: Any) -> int:
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

    return bug_report(asked)
