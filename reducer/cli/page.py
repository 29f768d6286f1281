"""`mlir-reducer page`"""

from pathlib import Path

import click

from reducer.errors import UsageError
from reducer.page import read_reduction, reduction_page
from reducer.storage.files import write_atomic
from reducer.storage.result_folder import ResultFolder


@click.command(short_help="Show how RESULT was reduced as a single HTML page.")
@click.argument("result", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where to write the page. [default: page.html in the folder of RESULT]",
)
@click.option(
    "--journal",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The journal of the reduction. [default: journal in the folder of RESULT]",
)
def page(*, result: Path, output: Path | None, journal: Path | None) -> None:
    """Show how RESULT was reduced as a single, self-contained HTML page.

    RESULT is a program written by `reduce`, with its folder next to it. The page shows the result
    with syntax highlighting, its def-use graph and where its ops were in the input, size over runs
    and over time, and what each transformation contributed. No compiler is run.

    \b
      mlir-reducer page model.reduced.mlir
    """
    folder = ResultFolder.of(result)
    output = output or (folder.page if folder.path.is_dir() else result.with_suffix(".html"))
    journal = journal or folder.journal
    if output.exists() and any(one.exists() and output.samefile(one) for one in (result, journal)):
        raise UsageError(f"the page would overwrite {output}; choose another file with -o")
    write_atomic(output, reduction_page(read_reduction(result, journal)))
    click.echo(output)
