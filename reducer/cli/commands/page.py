"""What `mlir-reducer page` takes; the work is done in reducer/cli/page.py."""

from pathlib import Path
from typing import Any

import click

from reducer.cli.commands.base import ReducerCommand
from reducer.cli.commands.shared import OutputFile, StoredPath


@click.command(cls=ReducerCommand, short_help="Show how RESULT was reduced as a single HTML page.")
@click.argument("result", type=StoredPath())
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=OutputFile(path_type=Path),
    help="Where to write the page. [default: page.html in the folder of RESULT]",
)
@click.option(
    "--journal",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The journal of the reduction. [default: journal in the folder of RESULT]",
)
def page(**values: Any) -> None:
    """Show how RESULT was reduced as a single, self-contained HTML page.

    RESULT is a program written by `reduce`, with its folder next to it. The page shows the result
    with syntax highlighting, where else it fails, its def-use graph and where its ops were in the
    input, size over runs and over time, and what each transformation contributed. From a report in
    that folder it takes what the failure needs (`report --explain`) and what other releases do
    (`report --versions`). No compiler is run.

    \b
      mlir-reducer page model.reduced.mlir
    """
    from reducer.cli.page import page

    page(**values)
