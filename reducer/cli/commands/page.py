"""`mlir-reducer page`, which imports its work when it runs."""

import os
from dataclasses import replace
from pathlib import Path

import click

from reducer.cli.options.base import ReducerCommand
from reducer.cli.options.table import takes
from reducer.cli.options.values import StoredPath
from reducer.errors import UsageError


@click.command(cls=ReducerCommand)
@click.argument("result", type=StoredPath())
@takes("page")
def page(result: Path, output: Path | None, journal: Path | None) -> None:
    """Show how RESULT was reduced as a single, self-contained HTML page.

    RESULT is a program written by `reduce`, with its folder next to it. The page shows the result
    with syntax highlighting, where else it fails, its def-use graph and where its ops were in the
    input, size over runs and over time, and what each transformation contributed. It also
    shows what `explain` and `bisect` have found out about the result. No compiler is run.

    \b
      mlir-reducer page model.reduced.mlir
    """
    from reducer.cli.display.console import write_out
    from reducer.cli.request.recorded import ResultRecord
    from reducer.report.page import findings_of, read_reduction, reduction_page
    from reducer.storage.files import read_result
    from reducer.storage.result_folder import ResultFolder
    from reducer.storage.written import Written

    result = ResultFolder.result_of(result)
    folder = ResultFolder.of(result)
    output = output or (folder.page if folder.path.is_dir() else result.with_suffix(".html"))
    journal = journal or folder.journal
    if output.exists() and any(one.exists() and output.samefile(one) for one in (result, journal)):
        raise UsageError(f"the page would overwrite {output}; choose another file with -o")
    written = Written(journal.parent if os.access(journal.parent, os.W_OK) else output.parent)
    written.check(output)
    facts = read_reduction(result, journal)
    found = ResultRecord.of(result).findings(read_result(result))
    if found.text("bucket") == facts.history.signature.bucket:
        facts = replace(facts, findings=findings_of(found.plain()))
    written.write(output, reduction_page(facts))
    write_out(f"{output}\n")
