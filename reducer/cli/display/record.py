"""Records of reductions as files: written by `reduce --json`, read back by other commands.

A command is taken from such a file only if the user names it: comments in a program, and files that
happen to be next to it, are never trusted.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oracles.stored import UNREADABLE, parsed
from reducer.cli.display.console import write_out
from reducer.errors import BadInput, MissingInput, UsageError
from reducer.storage.files import write_atomic
from reducer.storage.result_folder import ResultFolder

if TYPE_CHECKING:
    from reducer.cli.request.oracle_options import OracleOptions
    from reducer.driver.records.record import ReductionRecord


def read_record(path: Path) -> "ReductionRecord":
    """Read the output of `reduce --json FILE`, or the `metadata.json` of a report.

    Raises:
        MissingInput: the file cannot be opened.
        BadInput: it is neither.
    """
    try:
        fields = parsed(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MissingInput(f"cannot read {path}: {error.strerror}") from error
    except UNREADABLE as error:
        raise BadInput(f"{path} is not a report written by `reduce --json` ({error})") from error
    if not isinstance(fields, dict):
        raise BadInput(f"{path} is not a report written by `reduce --json`")
    from reducer.driver.records.record import ReductionRecord

    return ReductionRecord.from_json(fields)


def recorded_input(asked: "OracleOptions") -> "tuple[OracleOptions, ReductionRecord | None]":
    """What is asked about the program that a user names, by itself or by its record, and that.

    Raises:
        UsageError: there are two commands.
        BadInput: the record has none.
    """
    path = ResultFolder.result_of(asked.source)
    if path.suffix != ".json":
        return replace(asked, source=path), None
    source, record = path, read_record(path)
    if record.output_path is not None:
        beside = path.parent / record.output_path.name
        source = beside if beside.is_file() else record.output_path
    words = command_of(record, path, source, asked.words)
    return replace(asked, source=source, words=words), record


def command_of(
    record: "ReductionRecord", path: Path, source: Path, words: tuple[str, ...]
) -> tuple[str, ...]:
    """The command of a record, for another input.

    `path` is the record's file, `words` are the user's additional words.

    Raises:
        UsageError: `words` contain a command too.
        BadInput: the record has none.
    """
    if words:
        raise UsageError(f"{path} has a command; leave out the one after --")
    if record.command is None or record.output_path is None:
        raise BadInput(f"{path} does not contain the command and the result of a reduction")
    file = record.output_path
    names = (str(file), f"./{file}", file.name, f"./{file.name}")
    return tuple(str(source) if word in names else word for word in record.command)


def write_json(target: str, value: dict[str, Any]) -> None:
    """Write to the file `target`, or to standard output for `-`."""
    write_text(target, json.dumps(value, indent=2) + "\n")


def write_text(target: str, text: str) -> None:
    """Write to the file `target`, or to standard output for `-`."""
    if target == "-":
        write_out(text)
    else:
        write_atomic(Path(target), text)
