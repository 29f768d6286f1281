"""Build and run programs: each compiler and each program in a process of its own.

A program that does not run to its end fails by the runtime's status, by a signal, or as a hang.

`tensor.empty` has undefined contents. A program that reads them gives different results under every
compiler without any of them being wrong, and a reduction that drops a `linalg.fill` produces such a
program. Filling the tensors with a poison value changes the result of such a program, but not of
one that never reads them.
"""

import os
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from oracles.base import file_identity
from oracles.compilers.command import Command
from oracles.compilers.compiler import CompilerOracle
from oracles.profiles import RUNTIME
from oracles.run.limits import End, Limits, ProcessResult, Runner
from oracles.run.run_process import run_process
from oracles.signature.abnormal import abnormal_exit
from oracles.signature.classify import signal_code
from oracles.signature.diagnostics import primary_error
from oracles.signature.outcome import Outcome
from oracles.signature.runtime_status import RuntimeStatus, reported_status
from reducer.miscompile.values.declared_functions import declared_functions
from reducer.miscompile.values.programs import (
    MAX_ELEMENTS,
    Function,
    Value,
    exported_functions,
    read_results,
)


@dataclass(frozen=True)
class RunFailure:
    """How a run failed.

    `status` is the runtime's status code, a signal, or the exit code. `message` is what was
    printed, and `template` that without whatever depends on the input, or on which call is the
    first to hear of work that fails later: it identifies the bug.
    `exit_code` is negative for a signal. `no_device` is whether this machine cannot run the program
    at all, `is_hang` whether it had not ended in the time it was given.
    """

    status: str
    message: str
    template: str
    exit_code: int = 1
    no_device: bool = False
    is_hang: bool = False


def failure_of(result: ProcessResult) -> RunFailure:
    """The failure of a process that ended by itself, but not with exit code 0."""
    code = signal_code(result.exit_code)
    ending = abnormal_exit(result.stderr, code)
    if ending is not None:
        status = f"signal {-code}" if code < 0 else f"exit code {code}"
        said = ending.message or ending.template or status
        return RunFailure(status, said, ending.template or status, code)
    found = _reported(result.stderr) or RuntimeStatus(f"exit code {code}")
    in_call = RUNTIME.in_call.search(f"{result.stdout}\n{result.stderr}") is not None
    missing = found.status in RUNTIME.device_missing and not in_call
    return RunFailure(found.status, found.said, found.template, code, missing)


def _reported(stderr: str) -> RuntimeStatus | None:
    """The runtime's status, in whatever form it is printed."""
    words = stderr.replace(";", " ").split()
    named = next((word for word in words if word in RUNTIME.statuses), "")
    return reported_status(stderr) or (RuntimeStatus(named) if named else None)


_EMPTY = re.compile(
    r"^(?P<indent>[ \t]*)(?P<result>%[\w$.#-]+) = "
    r"(?P<op>\"tensor\.empty\"\([^)]*\)[^\n]*? -> |tensor\.empty\([^)]*\)[^\n]*? : )"
    r"(?P<type>tensor<(?:(?:\d+|\?)x)*(?P<element>[a-z]+\d+\w*|index)>)(?P<rest>[^\n]*)$",
    re.M,
)


def poisoned(text: str) -> str | None:
    """The module with every `tensor.empty` filled with poison; None if it has no `tensor.empty`."""
    count = 0

    def fill(match: re.Match[str]) -> str:
        nonlocal count
        value = _odd_value(match["element"])
        if value is None:
            return match[0]
        count += 1
        raw, odd = f"%poison_raw_{count}", f"%poison_value_{count}"
        element, type_, indent = match["element"], match["type"], match["indent"]
        return (
            f"{indent}{raw} = {match['op']}{type_}{match['rest']}\n"
            f"{indent}{odd} = arith.constant {value} : {element}\n"
            f"{indent}{match['result']} = linalg.fill ins({odd} : {element}) "
            f"outs({raw} : {type_}) -> {type_}"
        )

    twin = _EMPTY.sub(fill, text)
    return twin if count else None


def _odd_value(element: str) -> str | None:
    """A value unlike usual inputs but in range of f8; None if the type has no such constant."""
    if element.startswith(("f", "bf")):
        return "96.0"
    if element == "i1":
        return "true"
    if element == "i4":
        return "5"
    return "85" if element.startswith("i") else None


CANNOT = "UNIMPLEMENTED"
"""The failure of an implementation that cannot run a program, whether it is right or not."""

_PRINTED = 256 << 20  # maximum number of bytes of results read


@dataclass
class RunContext:
    """The cost of a comparison so far, and the limits of its further runs.

    `reasons` says, by name, why implementations made no program of the module.
    """

    limits: Limits
    cancel: threading.Event | None = None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answers any more."""
        return self.cancel is not None and self.cancel.is_set()

    def add(self, one: ProcessResult | Outcome) -> None:
        self.seconds += one.seconds
        self.cpu_seconds += one.cpu_seconds
        self.peak_memory = max(self.peak_memory, one.peak_memory)


@dataclass(frozen=True)
class ExecutionResult:
    """The results of a program, or why there are none.

    `failure` says so in a word, `end` is how the process ended, `failed` what the runtime reported.

    An implementation that knows what a program means says more: `undefined` is why a program has no
    results that could be right or wrong (an index out of bounds, a division by zero), and
    `unsupported` are the ops that it does not know, so that it is no judge of the program.
    `hazards` are what a compiled program may crash on, but on which no defined element depends.
    """

    results: tuple[Value, ...] = ()
    failure: str = ""
    end: End = End.EXITED
    undefined: str = ""
    unsupported: tuple[str, ...] = ()
    failed: RunFailure | None = None
    hazards: tuple[str, ...] = ()

    @property
    def failure_text(self) -> str:
        """The failure in words."""
        return self.failed.message if self.failed else self.failure

    def as_exact(self) -> "ExecutionResult":
        """The same as if nothing had been rounded, not even to the sign of a zero."""
        every = ((value, np.ones(value.count, np.bool_)) for value in self.results)
        exact = (replace(value, exact=all_, signed=all_, slack=None) for value, all_ in every)
        return replace(self, results=tuple(exact))


class CallableProgram(Protocol):
    """Something that computes results."""

    def call(
        self, function: Function, inputs: Sequence[str], context: RunContext, *, garbage: int
    ) -> ExecutionResult:
        """Run one function. `garbage` is the byte that fresh memory is filled with."""
        ...


@runtime_checkable
class AfterFrontEnd(CallableProgram, Protocol):
    """A program for an evaluator, which may be what the compiler's front end has made of a module.

    With `once`, it does not find out how far rounding may take the results.
    """

    def call(
        self,
        function: Function,
        inputs: Sequence[str],
        context: RunContext,
        *,
        garbage: int,
        once: bool = False,
    ) -> ExecutionResult: ...

    @property
    def is_lowered(self) -> bool:
        """Whether the front end was involved."""
        ...

    @property
    def lowered_ops(self) -> tuple[str, ...]:
        """The ops that it lowered, each by itself; empty if it lowered the whole module."""
        ...


class Implementation(Protocol):
    """A way to build a program from a module's text."""

    @property
    def name(self) -> str:
        """The name for display."""
        ...

    @property
    def key(self) -> str:
        """Stable identity for caches."""
        ...

    def build(self, text: str, folder: Path, context: RunContext) -> CallableProgram | None:
        """The program, or None if this implementation cannot build one from the module."""
        ...


class CandidateProgram(CallableProgram, Protocol):
    """What the command under test makes of a module.

    `path` is the file that it has written, `device` the runtime's name of where it runs.
    """

    @property
    def path(self) -> Path: ...

    @property
    def device(self) -> str: ...

    def functions(self, text: str, named: str | None = None) -> list[Function]:
        """The functions that can be called; `text` is the module.

        A function that is not public is one only if the user has `named` it.
        """
        ...

    def telling_inputs(self, text: str, context: RunContext) -> tuple[str, ...]:
        """Inputs of a function that seem to show a difference; none if nobody can look for them."""
        ...


class CompilerUnderTest(Implementation, Protocol):
    """The command whose programs are judged.

    `run_module` is the runtime's own tool, None if there is none. `is_pipeline` is whether the
    command only transforms the module: then no reference depends on its flags.
    """

    @property
    def command(self) -> Command: ...

    @property
    def executable(self) -> Path: ...

    @property
    def run_module(self) -> Path | None: ...

    @property
    def is_pipeline(self) -> bool: ...

    def oracle(self, output: str) -> CompilerOracle:
        """An oracle that runs the command and has it write the file `output`."""
        ...

    def compile(
        self, text: str | bytes, target: Path, context: RunContext
    ) -> tuple[Outcome, CandidateProgram]:
        """Run the command; return its outcome and the program in the file `target`."""
        ...

    def with_command(self, command: Command) -> "CompilerUnderTest":
        """The same for another command of the same program."""
        ...

    def read_by(self, reader: Implementation) -> Implementation | None:
        """What `reader` makes of a module after the command; None if it leaves no module."""
        ...


@dataclass(frozen=True)
class Compiled:
    """A program that the runtime runs.

    `device` is the runtime's name of the device, `parameters` are archives of parameters, each as
    `SCOPE=FILE` or `FILE`.
    """

    path: Path
    run_module: Path
    device: str
    parameters: tuple[str, ...] = ()

    def functions(self, text: str, named: str | None = None) -> list[Function]:
        """The functions that the program exports, or else those that the module declares."""
        return exported_functions(self.path) or declared_functions(text)

    def telling_inputs(self, text: str, context: RunContext) -> tuple[str, ...]:
        """None: what is in a compiled program cannot be evaluated."""
        return ()

    def words(self, function: Function, flags: str | Path) -> list[str]:
        """The command that calls a function with the inputs from a file of flags."""
        return [
            str(self.run_module),
            *RUNTIME.call(str(self.path), function.name),
            *RUNTIME.on_device(self.device, MAX_ELEMENTS, str(flags)),
            *(f"{RUNTIME.parameters_flag}={archive}" for archive in self.parameters),
        ]

    def call(
        self, function: Function, inputs: Sequence[str], context: RunContext, *, garbage: int
    ) -> ExecutionResult:
        flags = self.path.with_suffix(".inputs")  # inputs may not fit on a command line
        flags.write_text(
            "".join(f"{RUNTIME.input_flag}={value}\n" for value in inputs), encoding="utf-8"
        )
        limits = Limits(context.limits.seconds, context.limits.memory, _PRINTED)
        result = run_process(
            self.words(function, flags),
            cwd=self.path.parent,
            limits=limits,
            cancel=context.cancel,
            env={**os.environ, "MALLOC_PERTURB_": str(garbage)},
        )
        context.add(result)
        if result.end is not End.EXITED:
            return ExecutionResult(failure=str(result.end), end=result.end)
        if result.starved:
            return ExecutionResult(failure=str(End.MEMORY), end=End.MEMORY)
        if result.exit_code != 0:
            failed = failure_of(result)
            return ExecutionResult(failure=failed.status, failed=failed)
        return ExecutionResult(tuple(read_results(result.stdout)))


@dataclass(frozen=True)
class CompilerConfig:
    """A compiler command with the runtime of the same version."""

    name: str
    command: Command
    executable: Path
    run_module: Path
    device: str = RUNTIME.reference_device
    parameters: tuple[str, ...] = ()
    runner: Runner = field(default=run_process, compare=False)
    is_pipeline: bool = False

    @cached_property
    def key(self) -> str:
        archives = [file_identity(parameter_file(one)) for one in self.parameters]
        return " ".join([self.oracle("").key, str(self.run_module), self.device, *archives])

    def oracle(self, output: str) -> CompilerOracle:
        """An oracle that compiles into the file `output`."""
        return CompilerOracle(self.command, self.executable, output=output, runner=self.runner)

    def compile(
        self, text: str | bytes, target: Path, context: RunContext
    ) -> tuple[Outcome, Compiled]:
        """Compile the module; return the compiler's outcome and the program."""
        outcome = self.oracle(str(target)).run(text, cancel=context.cancel, limits=context.limits)
        context.add(outcome)
        return outcome, Compiled(target, self.run_module, self.device, self.parameters)

    def with_command(self, command: Command) -> "CompilerConfig":
        """The same for another command of the same program."""
        return replace(self, command=command)

    def read_by(self, reader: Implementation) -> None:
        """None: what it leaves is a program of the runtime."""

    def build(self, text: str, folder: Path, context: RunContext) -> CallableProgram | None:
        target = folder / f"{_file_name(self.name)}{RUNTIME.suffix}"
        outcome, program = self.compile(text, target, context)
        if outcome.succeeded and program.path.is_file():
            return program
        error = primary_error(outcome.diagnostics)
        context.reasons[self.name] = error.message if error else str(outcome.kind)
        return None


@dataclass(frozen=True)
class Poisoned:
    """Another implementation's program, with its uninitialized tensors filled with poison."""

    inner: Implementation

    @property
    def name(self) -> str:
        return f"{self.inner.name}, uninitialized tensors filled"

    @property
    def key(self) -> str:
        return f"poisoned {self.inner.key}"

    def build(self, text: str, folder: Path, context: RunContext) -> CallableProgram | None:
        twin = poisoned(text)
        if twin is None:
            return None
        place = folder / "poisoned"
        place.mkdir(exist_ok=True)
        return self.inner.build(twin, place, context)


def parameter_file(archive: str) -> Path:
    """The file of an archive of parameters given as `SCOPE=FILE` or `FILE`."""
    return Path(archive.rpartition("=")[2])


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)[:60] or "program"
