"""`mlir-reducer report`: write a bug report, or list what resembles a failure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reducer import api
from reducer.bisect.query import BisectQuery
from reducer.cli.commands.bisect import query_of, with_reference
from reducer.cli.display import layout
from reducer.cli.display.console import echo, print_status, show
from reducer.cli.display.layout import NamedValue, Style
from reducer.cli.display.record import recorded_input, write_json
from reducer.cli.request.failing import failing_program
from reducer.cli.request.oracle_options import OracleOptions
from reducer.cli.request.recorded import ResultRecord, with_command
from reducer.driver.records.record import ReductionRecord
from reducer.errors import ExitCode, UsageError
from reducer.report import (
    Bundle,
    Facts,
)
from reducer.report.making import findings
from reducer.report.similar import Known, Match, read_known
from reducer.report.title import issue_command
from reducer.report.writing import MAX_ARCHIVE_BYTES, REPORT, check_folder
from reducer.storage.json_values import JsonValues
from reducer.storage.result_folder import report_folder_of
from reducer.toolchain import NEWEST
from reducer.units import cut, plural, size


def bug_report(asked: OracleOptions) -> int:
    """Write a bug report about the failure of COMMAND on INPUT."""
    json_target = asked.json_target
    if json_target is not None and asked.similar is None:
        raise UsageError("--json needs --similar")
    others = read_known(asked.similar) if asked.similar is not None else None
    bundle = reported(asked)
    if bundle.lost:
        print_status(f"the earlier report had more: {', '.join(bundle.lost)}")
    if json_target != "-":
        show(layout.NamedValues(_summary(bundle)))
    if others is not None:
        _show_similar(bundle, others, json_target)
    return ending(bundle)


def ending(bundle: Bundle) -> ExitCode:
    """How the command ends."""
    if bundle.internal_errors:
        return ExitCode.INTERNAL
    return ExitCode.REDUCED if bundle.verified else ExitCode.FLAKY


def reported(asked: OracleOptions) -> Bundle:
    """The report about the failure of COMMAND on INPUT; the record of a result knows its facts."""
    asked, record = recorded_input(asked)
    input, output, anonymize = asked.source, asked.folder, asked.anonymize
    if output is not None or anonymize is None:
        check_folder(output or report_folder_of(input))
    with failing_program(asked, jobs=int(asked.jobs)) as it:
        recorded = ResultRecord.of(input)
        known_findings = recorded.findings(it.text) if recorded.is_own else JsonValues(None)

        def add_facts(facts: Facts) -> None:
            if anonymize is None:
                ResultRecord.of(input).add(it.text, facts.bucket, **findings(facts, it.text))

        def ask(facts: Facts) -> tuple[BisectQuery, str]:
            known = with_command(asked, it.text)
            bad = known.iree or facts.compiler.package or NEWEST
            return query_of(with_reference(replace(known, iree=None), bad), facts.text), bad

        return api.report(
            it,
            folder=output,
            add=asked.add,
            keeps=None if anonymize is None else tuple(filter(None, anonymize.split(","))),
            record=record or ReductionRecord.from_json(known_findings.part("reduction").plain()),
            found=known_findings,
            on_facts=add_facts,
            ask=ask,
        )


def _show_similar(bundle: Bundle, known: Sequence[Known], json_target: str | None) -> None:
    matches = api.similar(bundle.facts, known, own=bundle.folder)
    if json_target is not None:
        write_json(json_target, as_json(matches))
    if json_target != "-":
        echo(similar_text(matches))


def _summary(bundle: Bundle) -> list[NamedValue]:
    weight = size(bundle.archive.stat().st_size)
    facts = [
        NamedValue("report", f"{bundle.folder}/report.md"),
        NamedValue("archive", f"{bundle.archive} ({weight})"),
    ]
    if bundle.left_out:
        missing = ", ".join(bundle.left_out)
        limit = f"without {missing}: over the limit of {size(MAX_ARCHIVE_BYTES)}"
        facts.append(NamedValue("", limit, Style.WARNING))
    if not bundle.verified:
        said = f"NOT VERIFIED: repro.sh exited with {bundle.status} in an empty folder"
        return [*facts, NamedValue("verdict", said, Style.BAD)]
    said = "VERIFIED: repro.sh reproduces the failure in an empty folder"
    command = issue_command(bundle.facts, str(bundle.folder / REPORT))
    return [
        *facts,
        NamedValue("verdict", said, Style.GOOD),
        NamedValue("to file it", command, Style.COMMAND),
    ]


SHOWN = 5
"""How many matches are listed for people; `--json` has all of them."""

_WIDTH = 80


def similar_text(matches: Sequence[Match]) -> str:
    """The matches that a person should look at before filing."""
    likely = [match for match in matches if match.is_likely]
    if not likely:
        return f"similar  none of {plural(len(matches), 'known failure')} resembles this one"
    lines = [f"similar  look at these before filing ({len(matches):,} are known):"]
    for match in likely[:SHOWN]:
        lines += _entry(match)
    if len(likely) > SHOWN:
        lines.append(f"         and {len(likely) - SHOWN:,} more; --json FILE lists all")
    return "\n".join(lines)


def as_json(matches: Sequence[Match]) -> dict[str, Any]:
    """All matches as plain values, the most similar first."""
    return {"similar": [match.to_json() for match in matches]}


def _entry(match: Match) -> list[str]:
    known = match.known
    state = f" ({known.state.lower()})" if known.state else ""
    head = f"  {match.score:4.0%}  {known.name}{state}  {known.title}"
    lines = [cut(head, _WIDTH), f"        {match.reason}"]
    return [*lines, f"        {known.url}"] if known.url else lines
