"""`mlir-reducer page`"""

from pathlib import Path

import click

from reducer.errors import UsageError
from reducer.page import read_reduction, reduction_page
from reducer.page.reduction import default_journal_of
from reducer.storage.files import write_atomic


@click.command(short_help="Draw how RESULT came about, as one HTML file.")
@click.argument("result", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where the page goes. [default: RESULT with .html]",
)
@click.option(
    "--journal",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The journal of the reduction. [default: RESULT with .journal]",
)
def page(*, result: Path, output: Path | None, journal: Path | None) -> None:
    """Draw how RESULT came about, as one HTML file that loads nothing from anywhere.

    RESULT is what `reduce` has left, with its journal beside it. The page shows the result in
    colour, its def-use graph and that of the place it was cut from, size over runs and over time,
    and what each transformation won. No compiler is run.

    \b
      mlir-reducer page model.reduced.mlir
    """
    output = output or result.with_name(f"{result.name.removesuffix('.mlir')}.html")
    journal = journal or default_journal_of(result)
    if output.exists() and any(one.exists() and output.samefile(one) for one in (result, journal)):
        raise UsageError(f"the page would overwrite {output}; choose another place with -o")
    write_atomic(output, reduction_page(read_reduction(result, journal)))
    click.echo(output)
