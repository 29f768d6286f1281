"""Records of reductions as files: written by `reduce --json`, read back by other commands.

A command comes from such a file only where the user names it: a program's comments, and files that
happen to lie beside it, are never believed.
"""

import json
import sys
from pathlib import Path
from typing import Any

from reducer.errors import BadInput, UsageError
from reducer.session import ReductionRecord
from reducer.storage.files import write_atomic


def read_record(path: Path) -> ReductionRecord:
    """What `reduce --json FILE` has written, or the `metadata.json` of a report.

    Raises BadInput where it is none.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} is not a report written by `reduce --json` ({error})") from error
    if not isinstance(found, dict):
        raise BadInput(f"{path} is not a report written by `reduce --json`")
    return ReductionRecord.from_json(found)


def command_of(
    record: ReductionRecord, path: Path, source: Path, words: tuple[str, ...]
) -> tuple[str, ...]:
    """The command of a record, on another input.

    `path` is where the record came from, `words` what the user has given besides. Raises
    UsageError where that is a command too, BadInput where the record has none.
    """
    if words:
        raise UsageError("--report and a command after -- were both given; leave one of them out")
    if record.command is None or record.output_path is None:
        raise BadInput(f"{path} does not contain the command and the result of a reduction")
    name = record.output_path.name
    return tuple(str(source) if word in (name, f"./{name}") else word for word in record.command)


def write_json(target: str, value: dict[str, Any]) -> None:
    """Writes to the file `target`, or to standard output for `-`."""
    text = json.dumps(value, indent=2) + "\n"
    if target == "-":
        sys.stdout.write(text)
    else:
        write_atomic(Path(target), text)
