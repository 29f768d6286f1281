"""The oracle that runs a user's script."""

import threading
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from pathlib import Path

from oracles.base import (
    CANDIDATE,
    Capabilities,
    NamedOracle,
    file_identity,
    outcome_of_process,
    write_candidate,
)
from oracles.compilers.command import Command
from oracles.run.run_process import End, Limits, run_process
from oracles.run.scratch import private_folder
from oracles.signature.kind import Kind
from oracles.signature.outcome import Outcome, Signature

_INTERESTING, _ALSO_INTERESTING, _TIMED_OUT = 0, 101, 124


@dataclass(frozen=True, eq=False)
class ScriptOracle(NamedOracle):
    """Runs a script with the candidate's file as `$1`, in a private folder.

    Exit 0 means interesting (kind SCRIPT), 101 another failure, 124 a timeout; anything else is
    not interesting (kind SUCCESS).
    """

    script: Path
    _: KW_ONLY
    name: str = CANDIDATE
    limits: Limits = field(default_factory=Limits)
    arguments: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "script", self.script.absolute())

    @property
    def capabilities(self) -> Capabilities:
        """Only the script is known."""
        return Capabilities(script=self.script)

    @cached_property
    def key(self) -> str:
        """The script's path and version; programs that it calls are not included."""
        return f"script {self.name} {list(self.arguments)} {file_identity(self.script)}"

    @property
    def command(self) -> None:
        """None: the commands that a script runs are unknown."""
        return None

    def with_command(self, command: Command) -> "ScriptOracle":
        """Raises ValueError: there is no command to replace."""
        raise ValueError("a script has no command of its own")

    def wants(self, outcome: Outcome) -> bool:
        """Whether the script exited with 0."""
        return outcome.kind is Kind.SCRIPT

    def named(self, name: str) -> "ScriptOracle":
        """See `NamedOracle`."""
        return replace(self, name=name)

    def display(self, input_name: str) -> list[str]:
        """The script on `input_name`."""
        return [str(self.script), input_name, *self.arguments]

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        """Run the script on one candidate; processes that it leaves behind are killed."""
        with private_folder() as place:
            write_candidate(place, self.name, text)
            result = run_process(
                self.display(self.name),
                cwd=place,
                limits=limits or self.limits,
                cancel=cancel,
                symbolize=True,
            )
        signature = _verdict(result.end, result.exit_code)
        exited = result.end is End.EXITED
        return outcome_of_process(result, signature, exit_code=result.exit_code if exited else None)


def _verdict(end: End, exit_code: int) -> Signature:
    if end is not End.EXITED:
        return Signature(Kind(str(end)))
    if exit_code == _INTERESTING:
        return Signature(Kind.SCRIPT, "the script finds it interesting")
    if exit_code == _ALSO_INTERESTING:
        return Signature(Kind.OTHER_ERROR, "also interesting")
    return Signature(Kind.TIMEOUT if exit_code == _TIMED_OUT else Kind.SUCCESS)
