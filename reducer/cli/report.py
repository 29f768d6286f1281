"""A reduction's report as JSON."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reducer.session import Report, Size
from reducer.session.also_found import INPUT, AlsoFound
from reducer.session.files import write_atomic
from reducer.session.pass_level import PassReport


def report_json(report: Report, pass_level: PassReport | None = None) -> dict[str, Any]:
    """The figures of a reduction, and of its second reproducer, as plain values."""
    return {
        "status": report.status,
        "verified": report.verified,
        "kind": report.kind,
        "signature": report.signature.text,
        "bucket": report.bucket,
        "input": {"path": str(report.input_path), **_size(report.input)},
        "output": {"path": str(report.output_path), **_size(report.output)},
        "on_disk": report.on_disk,
        "oracle": {
            "calls": report.calls,
            "by_verdict": report.by_verdict,
            "compiler_seconds": round(report.compiler_seconds, 3),
            "full_run_equivalents": round(report.full_run_equivalents, 3),
        },
        "checks": {
            "runs": report.checks,
            "turned_away": report.turned_away,
            "compiler_seconds": round(report.check_seconds, 3),
        },
        "wall_seconds": round(report.wall_seconds, 3),
        "command": report.command,
        "one_minimal": report.one_minimal,
        "notes": report.notes,
        "flaky": report.flaky and asdict(report.flaky),
        "also_found": [_also_found(one, report) for one in report.also_found],
        "also_left_out": report.also_left_out,
        "pass_level": pass_level and _pass_level(pass_level),
    }


def write_json(target: str, value: dict[str, Any]) -> None:
    """Writes to the file `target`, or to standard output for `-`."""
    text = json.dumps(value, indent=2) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        write_atomic(Path(target), text)


def _also_found(one: AlsoFound, report: Report) -> dict[str, Any]:
    folder = report.also_found_folder
    path = folder and str(folder / one.signature.bucket / INPUT)
    return {**one.to_json(), "path": path, "lines": one.lines, "bytes": one.bytes}


def _pass_level(report: PassReport) -> dict[str, Any]:
    return {
        "pass": report.pass_name,
        "pipeline": report.pipeline,
        "level": report.level,
        "verified": report.verified,
        "signature": report.signature.text,
        "output": {"path": str(report.output_path), **_size(report.output)},
        "command": report.command,
        "one_minimal": report.one_minimal,
        "oracle": {
            "calls": report.calls,
            "compiler_seconds": round(report.compiler_seconds, 3),
        },
    }


def _size(size: Size) -> dict[str, int]:
    return {"lines": size.lines, "ops": size.ops, "bytes": size.bytes}
