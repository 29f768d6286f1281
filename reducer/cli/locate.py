"""`mlir-reducer locate`"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from oracles.values import ValuesOracle
from reducer.cli.console import show
from reducer.cli.layout import Facts, Part
from reducer.cli.oracle_options import OracleOptions
from reducer.cli.record import write_json
from reducer.cli.recorded import with_command
from reducer.cli.signals import stop_on_signals
from reducer.cli.status import print_phase
from reducer.cli.workspace import workspace
from reducer.cli.wrong_location import show_wrong_result, suspect_line, suspect_lines
from reducer.errors import UsageError
from reducer.inspection.locator import FailureLocation, Locator
from reducer.inspection.wrong_results import WrongResultLocator
from reducer.storage.result_folder import ResultFolder
from reducer.units import duration, plural


def locate(
    *,
    input: Path,
    output: Path | None,
    json_target: str | None,
    words: tuple[str, ...],
    **options: Any,
) -> int:
    """Find where COMMAND fails on INPUT without reducing it."""
    input = ResultFolder.result_of(input)
    asked = OracleOptions(source=input, words=words, **options)
    source = asked.read()
    with workspace() as place:
        asked = with_command(asked, source.text)
        oracle, opt = asked.oracle(source.text)
        if isinstance(oracle, ValuesOracle):
            wrong = WrongResultLocator(source.text, oracle, opt, print_phase)
            with stop_on_signals(wrong.stop, leave=place.clean_up):
                found = wrong.run()
            return show_wrong_result(found, input.name, output, json_target)
        if output is not None:
            raise UsageError("--output needs --wrong-results")
        locating = Locator(source.text, oracle, opt, print_phase)
        with stop_on_signals(locating.stop, leave=place.clean_up):
            finding = locating.run()
    if json_target is not None:
        write_json(json_target, _as_json(finding, input.name))
    if json_target != "-":
        show(*_as_parts(finding, input.name))
    return 0


def _as_parts(finding: FailureLocation, name: str) -> list[Part]:
    unknown = "unknown: fails only in a full compilation" if finding.has_phases else ""
    facts = [
        ("failure", finding.outcome.signature.text),
        ("bucket", finding.outcome.signature.bucket),
        ("phase", finding.phase or unknown),
        ("dispatch", finding.dispatch),
        ("pass", finding.pass_name or "unknown"),
        ("pipeline", finding.pipeline),
        ("confirmed", f"{finding.confirmed}: {finding.how}"),
        (
            "cost",
            f"{plural(finding.calls, 'run')}, {duration(finding.compiler_seconds)} "
            "of compiler time",
        ),
    ]
    found = Facts.of(fact for fact in facts if fact[1])
    return [found, *suspect_lines(finding.suspects, name)]


def _as_json(finding: FailureLocation, name: str) -> dict[str, Any]:
    signature = finding.outcome.signature
    return {
        "kind": str(signature.kind),
        "signature": signature.text,
        "bucket": signature.bucket,
        "phase": finding.phase or None,
        "dispatch": finding.dispatch or None,
        "pass": finding.pass_name or None,
        "pipeline": finding.pipeline or None,
        "sure": finding.confirmed == "yes",
        "confirmed": finding.confirmed,
        "ops_alone": finding.alone or None,
        "how": finding.how,
        "culprits": [
            {**asdict(suspect), "text": suspect_line(suspect, name)} for suspect in finding.suspects
        ],
        "calls": finding.calls,
        "compiler_seconds": round(finding.compiler_seconds, 3),
    }
