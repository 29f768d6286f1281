"""References that the user names: another backend, or a function in Python."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from oracles.base import file_identity
from oracles.compilers.command import Command, other_target, target_values
from oracles.profiles import RUNTIME, TARGETS
from oracles.run.limits import End, Limits
from oracles.run.run_process import run_process
from reducer.miscompile.oracle import python_child
from reducer.miscompile.oracle.execution import CallableProgram, ExecutionResult, RunContext
from reducer.miscompile.values.programs import Function, read_results


def with_backend(command: Command, backend: str) -> Command:
    """The same compilation for another backend, without flags that belong to the old one.

    Raises:
        KeyError: the backend cannot run here.
    """
    return other_target(command, RUNTIME.backends[backend], TARGETS)


def backend_of(command: Command) -> str | None:
    """The backend that a command selects, if it is one of those that run on any machine."""
    return RUNTIME.backend_of(target_values(command, TARGETS))


def device_of(command: Command) -> str:
    """The device that runs what a command compiles."""
    return RUNTIME.device_of(target_values(command, TARGETS))


def runs_on_host(command: Command) -> bool:
    """Whether what a command compiles runs on any machine."""
    return device_of(command) == RUNTIME.device_of(frozenset())


_PRINTED = 256 << 20


@dataclass(frozen=True)
class PythonReference:
    """The function `function` of `file`, called by `interpreter`; see docs/wrong-results.md."""

    file: Path
    function: str
    interpreter: str

    @property
    def name(self) -> str:
        return f"{self.file.name}:{self.function}"

    @cached_property
    def key(self) -> str:
        return f"python {file_identity(self.file)} {self.function} {self.interpreter}"

    def build(self, text: str, folder: Path, context: RunContext) -> CallableProgram | None:
        return _PythonProgram(self, folder)


@dataclass(frozen=True)
class _PythonProgram:
    reference: PythonReference
    folder: Path

    def call(
        self, function: Function, inputs: Sequence[str], context: RunContext, *, garbage: int
    ) -> ExecutionResult:
        types = [str(result) for result in function.results]
        question = self.folder / "question.json"
        question.write_text(
            json.dumps({"inputs": list(inputs), "results": types}), encoding="utf-8"
        )
        reference = self.reference
        words = [
            reference.interpreter,
            python_child.__file__,
            str(reference.file.absolute()),
            reference.function,
            str(question),
        ]
        limits = Limits(context.limits.seconds, context.limits.memory, _PRINTED)
        result = run_process(words, cwd=self.folder, limits=limits, cancel=context.cancel)
        context.add(result)
        if result.end is not End.EXITED:
            return ExecutionResult(failure=str(result.end), end=result.end)
        if result.exit_code != 0:
            last = result.stderr.strip().splitlines()[-1:] or ["no message"]
            return ExecutionResult(failure=last[0])
        return ExecutionResult(tuple(read_results(result.stdout)))
