"""`mlir-reducer page`"""

import json
import os
from dataclasses import replace
from pathlib import Path

from reducer.cli.console import write_out
from reducer.errors import UsageError
from reducer.report import METADATA
from reducer.report.page import Findings, findings_of, read_reduction, reduction_page
from reducer.storage.result_folder import ResultFolder
from reducer.storage.written import Written


def page(*, result: Path, output: Path | None, journal: Path | None) -> None:
    """Show how RESULT was reduced as a single, self-contained HTML page."""
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


def _findings(report: Path, bucket: str) -> Findings:
    """What a report says about the same failure; nothing if there is none."""
    try:
        metadata = json.loads((report / METADATA).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Findings()
    same = isinstance(metadata, dict) and metadata.get("bucket") == bucket
    return findings_of(metadata) if same else Findings()
