"""One run of a compiler on an input, as plain data that any process on any machine can carry out.

A task names the compiler by its version, not by where it lies: each machine has its own cache.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oracles import Command, CompilerOracle, Kind, Limits, Outcome
from oracles.command import verifying_tool
from reducer.session.errors import ReducerError
from reducer.session.files import BYTECODE_MAGIC
from reducer.session.normalise import Normaliser
from reducer.toolchain import ToolchainError, resolve_executable

_CONVERSION = 600.0  # seconds that turning bytecode into text may take


@dataclass(frozen=True)
class Task:
    """What to compile, with what, within which limits.

    `version` is that of an IREE release; None means that `program` is taken from PATH or is a
    path. `directory` is where relative paths in flags start. `seconds` and `memory` (bytes) limit
    the run.
    """

    data: bytes
    program: str
    version: str | None
    flags: tuple[str, ...]
    directory: str
    seconds: float
    memory: int | None = None


@dataclass(frozen=True)
class Answer:
    """What came of a task: an outcome as JSON values, or why it could not be carried out.

    `runs` counts compilers that were started.
    """

    outcome: dict[str, Any] | None
    problem: str = ""
    runs: int = 0


def run_task(task: Task, cancel: threading.Event | None = None) -> Answer:
    """Carries out a task. What keeps the compiler from running at all is no outcome of the input.

    Setting `cancel` ends it at once; that is no outcome either.
    """
    try:
        oracle = oracle_of(task.program, task.version, task.flags, task.directory, limits_of(task))
        text, runs = as_text(task.data, oracle)
        outcome = oracle.run(text, cancel=cancel)
    except (ReducerError, ToolchainError, OSError, ValueError) as error:
        return Answer(None, str(error))
    if outcome.kind is Kind.CANCELLED:
        return Answer(None, "interrupted", runs + 1)
    return Answer(outcome.to_json(), runs=runs + 1)


def limits_of(task: Task) -> Limits:
    return Limits(task.seconds, task.memory)


def oracle_of(
    program: str, version: str | None, flags: Sequence[str], directory: str, limits: Limits
) -> CompilerOracle:
    """The oracle of a configuration on this machine.

    Raises ToolchainError where the compiler cannot be had.
    """
    executable = resolve_executable(program, version)
    command = Command.parse([program, *flags], directory=Path(directory))
    return CompilerOracle(command, executable, limits=limits)


def as_text(data: bytes, oracle: CompilerOracle) -> tuple[str | bytes, int]:
    """The input as text, turned into it by the compiler's own tool; and how often that ran.

    Bytecode that this version cannot read stays as it is, and the compiler says so itself.
    """
    if not data.startswith(BYTECODE_MAGIC):
        return data.decode(errors="surrogateescape"), 0
    opt = verifying_tool(oracle.executable)
    if opt is None:
        return data, 0
    limits = Limits(_CONVERSION, oracle.limits.memory)
    return Normaliser(opt, limits).text_of(data) or data, 1


def outcome_of(answer: Answer) -> Outcome | None:
    """The outcome that an answer carries."""
    return None if answer.outcome is None else Outcome.from_json(answer.outcome)
