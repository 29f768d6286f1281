"""What an earlier reduction has written about itself, and the command in it.

A command comes from such a file only where the user names it: a program's comments, and files that
happen to lie beside it, are never believed.
"""

import json
from pathlib import Path
from typing import Any

from reducer.session.errors import BadInput, UsageError


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
