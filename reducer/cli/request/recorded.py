"""The command of a result, which `reduce` keeps in the folder of the result.

Whoever made the record may run it again: its hash is in the user's own state folder. What came from
elsewhere is a file like any other, and nothing of it runs without consent.
"""

import json
import os
from contextlib import suppress
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from oracles import Oracle
from oracles.profiles import RUNTIME
from reducer.cli.display.console import print_status
from reducer.cli.request.intake import command_and_input
from reducer.cli.request.oracle_options import OracleOptions
from reducer.errors import OutputNotWritable, UsageError
from reducer.escaping import shell_joined
from reducer.intake.stages import is_piped
from reducer.storage.result_folder import ResultFolder

_FORMER = ("plugin", "function", "device", "flagfile", "expected", "parameters", "signed_zeros")


def keep_command(asked: OracleOptions, oracle: Oracle, failure: str, folder: ResultFolder) -> None:
    """Record what shows the failure of a result, in words that mean the same in any folder.

    Args:
        oracle: the one for the result, which may have a shorter command.
        failure: what the result shows; told with the command, which may fail otherwise elsewhere.
    """
    words, test = asked.words, (asked.script and str(asked.script.absolute())) or asked.test
    if oracle.command is not None and not is_piped(words):
        program = oracle.command.program
        own = str(Path(program).absolute()) if "/" in program else program
        words = tuple(replace(oracle.command, argv=(own, *oracle.command.argv[1:])).expand("{}"))
    asked = replace(asked, words=words, test=test, timeout=oracle.limits.seconds)
    told = {one.name: getattr(asked, one.name) for one in fields(asked) if one.name != "source"}
    record = json.dumps({**told, "failure": failure}, indent=2, default=str) + "\n"
    with suppress(OutputNotWritable, OSError, RuntimeError):
        folder.written.write(folder.command, record)
        mark = _mark(record)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def with_command(asked: OracleOptions, text: str) -> OracleOptions:
    """The same options; if they have no command, with that of the reduction to this input.

    Raises:
        UsageError: there is none, or the user does not agree to run it.
    """
    if asked.words or asked.test is not None:
        return asked
    recorded = _recorded(ResultFolder.of(asked.source).command)
    if recorded is None:  # it is gone, or another's: what the file says needs consent
        try:
            return command_and_input(asked, text, yes=False)[0]
        except UsageError as error:
            if "--yes" not in str(error):
                raise
            raise UsageError(
                "this command comes from a file; to allow it, give it after two dashes"
            ) from error
    default = {one.name: one.default for one in fields(asked)}
    taken = {
        name: value
        for name, value in recorded.items()
        if name in default and getattr(asked, name) in (default[name], ())
    }
    found = replace(asked, **taken)
    words = found.words or (str(found.test), "{}")
    shown = shell_joined(word.replace("{}", str(found.source)) for word in words)
    print_status(f"using the command of the reduction: {shown}")
    if failure := recorded.get("failure"):
        print_status(f"its failure in the reduction: {failure}")
    return found


def _recorded(path: Path) -> dict[str, Any] | None:
    """The options in a record that this user's own reduction has made; None if there are none."""
    try:
        record = path.read_text(encoding="utf-8")
        if not _mark(record).is_file():
            return None
        values = json.loads(record)
    except (OSError, ValueError, RuntimeError):
        return None
    read = {name: tuple(one) if isinstance(one, list) else one for name, one in values.items()}
    return _of_today(read)


def _of_today(values: dict[str, Any]) -> dict[str, Any]:
    """The options, if the release before this one has written them."""
    former = {name: values.pop(name) for name in _FORMER if name in values}
    if (code := values.pop("exit_code", None)) is not None:
        values["signature"] = f"exit={code}"
    if not any(value is not None for value in former.values()):
        return values
    given = {
        RUNTIME.function_flag: former.get("function"),
        RUNTIME.device_flag: former.get("device"),
    }
    given |= {RUNTIME.flagfile_flag: former.get("flagfile")}
    listed = {RUNTIME.expected_flag: "expected", RUNTIME.parameters_flag: "parameters"}
    run = [f"{flag}={value}" for flag, value in given.items() if value is not None]
    run += [f"{flag}={value}" for flag, name in listed.items() for value in former.get(name) or ()]
    zeros = former.get("signed_zeros")
    told = [values.get("tolerance"), {None: None, True: "signed-zeros", False: "any-zeros"}[zeros]]
    return {
        **values,
        "test": values.get("test") or former.get("plugin"),
        "run": tuple(run),
        "tolerance": ",".join(str(one) for one in told if one is not None) or None,
    }


def _mark(record: str) -> Path:
    """The file that says that a record is this user's own."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    name = sha256(record.encode(errors="surrogateescape")).hexdigest()
    return Path(state, "mlir-reducer", "commands", name)
