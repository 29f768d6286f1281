"""The JSON record of a reduction: written by `reduce --json`, read back by other commands.

A command comes from such a file only where the user names it: a program's comments, and files that
happen to lie beside it, are never believed.
"""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from reducer.errors import BadInput, UsageError
from reducer.session import Report, Size
from reducer.session.also_found import INPUT, AlsoFound
from reducer.session.pass_level import PassReport
from reducer.storage.files import write_atomic


def read_record(path: Path) -> dict[str, Any]:
    """What `reduce --json FILE` has written, or the `metadata.json` of a report.

    Raises BadInput where it is none.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} is no report of a reduction ({error})") from error
    if not isinstance(found, dict):
        raise BadInput(f"{path} is no report of a reduction")
    return found


def command_of(
    record: dict[str, Any], path: Path, source: Path, words: tuple[str, ...]
) -> tuple[str, ...]:
    """The command of a record, on another input.

    `path` is where the record came from, `words` what the user has given besides. Raises
    UsageError where that is a command too, BadInput where the record has none.
    """
    if words:
        raise UsageError("both --report and a command after -- were given; leave one of them out")
    try:
        command = [str(word) for word in record["command"]]
        name = Path(record["output"]["path"]).name
    except (KeyError, TypeError) as error:
        raise BadInput(f"{path} is no report of a reduction ({error})") from error
    return tuple(str(source) if word in (name, f"./{name}") else word for word in command)


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
