"""The record of a result, a file in its folder: what shows its failure, and what is known of that.

`reduce` writes it with the first program on disk, and whatever finds out more extends it. Whoever
made the record may run its command again: its hash is in the user's own state folder. What came
from elsewhere is a file like any other, and nothing of it runs without consent.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from oracles import Oracle
from reducer.cli.display.console import print_status
from reducer.cli.options.table import DEFAULTS
from reducer.cli.request.intake import NOT_EXECUTED, command_and_input, may_execute
from reducer.cli.request.oracle_options import OracleOptions
from reducer.errors import OutputNotWritable, UsageError
from reducer.escaping import shell_joined
from reducer.intake.stages import is_piped
from reducer.storage.json_values import JsonValues
from reducer.storage.result_folder import ResultFolder

_REQUEST, _FINDINGS = "request", "findings"


@dataclass(frozen=True)
class ResultRecord:
    """The record in the folder of a result; empty if there is none, or it cannot be read.

    Attributes:
        sections: the request, which is what shows the failure, and the findings: about which
            program and failure they are, the reduction as in `reduce --json`, and what later
            commands add.
        is_own: whether it is this user's own, or new.
    """

    result: Path
    sections: dict[str, Any]
    is_own: bool

    @classmethod
    def of(cls, result: Path) -> Self:
        """The record of a result as it is on disk now."""
        try:
            text = ResultFolder.of(result).record.read_text(encoding="utf-8")
            sections = json.loads(text)
            return cls(result, dict(sections), _mark(text).is_file())
        except FileNotFoundError:
            return cls(result, {}, True)
        except (OSError, ValueError, TypeError, RuntimeError):
            return cls(result, {}, False)

    @property
    def request(self) -> dict[str, Any] | None:
        """The options that show the failure; None if this user's own reduction has left none."""
        values = self.sections.get(_REQUEST)
        if not self.is_own or not isinstance(values, dict):
            return None
        return {key: tuple(one) if isinstance(one, list) else one for key, one in values.items()}

    def findings(self, text: str) -> JsonValues:
        """What is known of this program, with the bucket of its failure; nothing of any other."""
        read = JsonValues(self.sections.get(_FINDINGS))
        return read if read.text("program") == _hash(text) else JsonValues(None)

    def keep_request(self, asked: OracleOptions, oracle: Oracle, failure: str) -> None:
        """Record what shows the failure of a result, in words that mean the same in any folder.

        Args:
            oracle: the one for the result, which may have a shorter command.
            failure: what the result shows; told with the command, which may fail otherwise
                elsewhere.
        """
        words, test = asked.words, (asked.script and str(asked.script.absolute())) or asked.test
        if oracle.command is not None and not is_piped(words):
            program = oracle.command.program
            program = str(Path(program).absolute()) if "/" in program else program
            argv = (program, *oracle.command.argv[1:])
            words = tuple(replace(oracle.command, argv=argv).expand("{}"))
        asked = replace(asked, words=words, test=test, timeout=oracle.limits.seconds)
        same = self.request is not None and self.request.get("failure") == failure
        request = {_REQUEST: {**asked.showing(), "failure": failure}}
        replace(self, is_own=True)._write({**(self.sections if same else {}), **request})

    def add(self, text: str, bucket: str, **findings: Any) -> None:
        """Add findings, by their names, about a result with this text and failure.

        They replace those of the same name, and all about another program. Nothing is recorded
        about a program that is no result, or another failure of it.
        """
        known = self.findings(text).plain()
        if not ResultFolder.of(self.result).is_ours or known.get("bucket", bucket) != bucket:
            return
        about = {"program": _hash(text), "bucket": bucket}
        self._write({**self.sections, _FINDINGS: {**known, **about, **findings}})

    def _write(self, sections: dict[str, Any]) -> None:
        folder = ResultFolder.of(self.result)
        text = json.dumps(sections, indent=2, default=str) + "\n"
        with suppress(OutputNotWritable, OSError, RuntimeError):
            folder.written.write(folder.record, text)
            if self.is_own:
                mark = _mark(text)
                mark.parent.mkdir(parents=True, exist_ok=True)
                mark.touch()


def with_recorded(asked: OracleOptions) -> OracleOptions:
    """The same options; if they have no command, with what the record of the input has."""
    recorded = ResultRecord.of(asked.source).request
    if asked.words or asked.test is not None or recorded is None:
        return asked
    unset = {name for name, value in asked.showing().items() if value in (DEFAULTS[name], ())}
    filled = replace(asked, **{name: recorded[name] for name in unset if name in recorded})
    if filled.from_file and filled.executes and not may_execute():
        raise UsageError(NOT_EXECUTED)
    words = filled.words or (str(filled.test), "{}")
    shown = shell_joined(word.replace("{}", str(filled.source)) for word in words)
    print_status(f"using the command of the reduction: {shown}")
    if failure := recorded.get("failure"):
        print_status(f"its failure in the reduction: {failure}")
    return filled


def with_command(asked: OracleOptions, text: str) -> OracleOptions:
    """The same options; if they have no command, with that of the reduction to this input.

    Raises:
        UsageError: there is none, or the user does not agree to run it.
    """
    asked = with_recorded(asked)
    if asked.words or asked.test is not None:
        return asked
    try:  # the record is gone, or another's: what the file says needs consent
        return command_and_input(asked, text, yes=False)[0]
    except UsageError as error:
        if "--yes" not in str(error):
            raise
        raise UsageError(
            "this command comes from a file; to allow it, give it after two dashes"
        ) from error


def _mark(record: str) -> Path:
    """The file that says that a record is this user's own."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state, "mlir-reducer", "commands", _hash(record))


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogateescape")).hexdigest()
