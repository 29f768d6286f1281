"""A `…-opt` command under test: what a module means after the passes of the command.

Its output is a module again, which MLIR's own tools run as they run the input. If the passes are
right, both mean the same. What comes after the passes is the same for both, so a defect there makes
no difference; or else the evaluator, which needs no passes at all, says what the module means after
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from oracles.compilers.command import Command
from oracles.compilers.compiler import CompilerOracle
from oracles.signature.diagnostics import primary_error
from oracles.signature.outcome import Outcome
from reducer.conversions import OptPrinter
from reducer.miscompile.interpreter.counterexample import compared
from reducer.miscompile.mlir_runner.reference import is_lowered
from reducer.miscompile.oracle.execution import (
    CANNOT,
    CallableProgram,
    ExecutionResult,
    Implementation,
    RunContext,
)
from reducer.miscompile.values.declared_functions import working_on_memory
from reducer.miscompile.values.printed_values import printing
from reducer.miscompile.values.programs import Function

_SHOWN = 3
"""Names of ops: a module in the LLVM dialect has a dozen."""


@dataclass(frozen=True)
class PassPipeline:
    """A command that transforms modules; `runner` runs what it makes of them."""

    command: Command
    executable: Path
    runner: Implementation
    name: str = "the command"
    run_module: None = None
    is_pipeline: bool = True

    @cached_property
    def key(self) -> str:
        return f"{self.oracle('').key} run by {self.runner.key}"

    def oracle(self, output: str) -> CompilerOracle:
        """An oracle that runs the command and has it write the file `output`."""
        return CompilerOracle(self.command, self.executable, output=output)

    def compile(
        self, text: str | bytes, target: Path, context: RunContext
    ) -> tuple[Outcome, "TransformedModule"]:
        """Run the command; return its outcome and what it has made of the module."""
        outcome = self.oracle(str(target)).run(text, cancel=context.cancel, limits=context.limits)
        context.add(outcome)
        return outcome, TransformedModule(target, self.runner, self.executable)

    def build(self, text: str, folder: Path, context: RunContext) -> CallableProgram | None:
        target = folder / "transformed.mlir"
        outcome, program = self.compile(text, target, context)
        if outcome.succeeded and target.is_file():
            return program
        error = primary_error(outcome.diagnostics)
        context.reasons[self.name] = error.message if error else str(outcome.kind)
        return None

    def with_command(self, command: Command) -> "PassPipeline":
        """The same for another command of the same program."""
        return replace(self, command=command)

    def read_by(self, reader: Implementation) -> "PassPipeline":
        return replace(self, runner=reader, name=f"{reader.name}, after the passes,")


@dataclass(frozen=True)
class TransformedModule:
    """The module in the file `path`, run by MLIR's own tools, which read it once."""

    path: Path
    runner: Implementation
    opt: Path
    device: str = ""
    _built: list[CallableProgram | None] = field(default_factory=list, compare=False, repr=False)

    @cached_property
    def _text(self) -> str:
        return self.path.read_text(encoding="utf-8", errors="surrogateescape")

    def functions(self, text: str, named: str | None = None) -> list[Function]:
        """The functions of the module before the passes: these are what must keep their meaning.

        `mlir-runner` calls any function that is `named`, public or not.
        """
        return [replace(one, prints=printing(text)) for one in working_on_memory(text, named)]

    def telling_inputs(self, text: str, context: RunContext) -> tuple[str, ...]:
        """Inputs for which the evaluator sees that the passes change what a function returns.

        It tries thousands in the time that one run takes, but knows fewer ops than the runner.
        """
        printer = OptPrinter(self.opt, context.limits, context.cancel)
        before, after = printer.generic(text), printer.generic(self._text)
        if before is None or after is None:
            return ()
        told = compared(before, after, limits=context.limits)
        context.add(told.result)
        return told.found.inputs if told.found else ()

    def call(
        self, function: Function, inputs: Sequence[str], context: RunContext, *, garbage: int
    ) -> ExecutionResult:
        """The results; `CANNOT` if the passes have left something that cannot be run."""
        text = self._text
        known = replace(function, prints=0.0) in working_on_memory(text, function.name)
        if not known and not is_lowered(text, function.name):
            return _cannot(f"the type of @{function.name} has changed")
        if not self._built:
            self._built.append(self.runner.build(text, self.path.parent, context))
        program = self._built[0]
        if program is not None:
            given = program.call(function, inputs, context, garbage=garbage)
            if given.unsupported:
                return _cannot(f"{self.runner.name} does not know {_some(given.unsupported)}")
            if given.failure != CANNOT:
                return given
        return _cannot(context.reasons.get(self.runner.name, "its ops are unknown"))


def _cannot(reason: str) -> ExecutionResult:
    return ExecutionResult(failure=CANNOT, unsupported=(reason,))


def _some(names: Sequence[str]) -> str:
    """The first names, and how many there are beside them."""
    left = len(names) - _SHOWN
    if left < 2:
        return ", ".join(names)
    return f"{', '.join(names[:_SHOWN])} and {left} others"
