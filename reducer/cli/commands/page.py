"""`mlir-reducer page`, which imports its work when it runs."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reducer.cli.options.base import ReducerCommand
from reducer.cli.options.shared import OutputFile, StoredPath
from reducer.errors import UsageError

if TYPE_CHECKING:
    from reducer.report.page import Findings


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
def page(result: Path, output: Path | None, journal: Path | None) -> None:
    """Show how RESULT was reduced as a single, self-contained HTML page.

    RESULT is a program written by `reduce`, with its folder next to it. The page shows the result
    with syntax highlighting, where else it fails, its def-use graph and where its ops were in the
    input, size over runs and over time, and what each transformation contributed. From a report in
    that folder it takes what the failure needs (`report --explain`) and what other releases do
    (`report --versions`). No compiler is run.

    \b
      mlir-reducer page model.reduced.mlir
    """
    from reducer.cli.display.console import write_out
    from reducer.report.page import read_reduction, reduction_page
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
    facts = replace(facts, findings=_findings(folder.report, facts.history.signature.bucket))
    written.write(output, reduction_page(facts))
    write_out(f"{output}\n")


def _findings(report: Path, bucket: str) -> "Findings":
    """What a report says about the same failure; nothing if there is none."""
    from reducer.report import METADATA
    from reducer.report.page import Findings, findings_of
    from reducer.storage.json_values import read_json

    metadata = read_json(report / METADATA)
    same = metadata.text("bucket") == bucket
    return findings_of(metadata.plain()) if same else Findings()
