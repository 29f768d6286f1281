"""The options of `--wrong-results`, and the comparison built from them.

The passes of an `…-opt` command are compared with the module before them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from oracles import Command, Limits
from oracles.compilers.command import INPUT, verifying_tool
from reducer.cli.display.console import print_status
from reducer.cli.request.call_options import CallOptions, CallSpec, read_call
from reducer.cli.request.references import (
    EVALUATOR,
    MLIR_RUNNER,
    audit_of,
    default_reference,
    front_ends_beside,
    is_fixed,
    outside,
    python_reference,
    reference_of,
    releases_beside,
    siblings_of,
    without_runtime,
    witnesses_of,
)
from reducer.errors import CommandNotFound, UsageError
from reducer.miscompile.interpreter.reference import EvaluatorReference
from reducer.miscompile.mlir_runner.pass_pipeline import PassPipeline
from reducer.miscompile.mlir_runner.reference import FRONT_END, MlirRunner
from reducer.miscompile.mlir_runner.tools import find_tools
from reducer.miscompile.oracle import (
    CommandDisplay,
    Comparison,
    CompilerConfig,
    Implementation,
    Poisoned,
    PythonReference,
    ValuesOracle,
    device_of,
)
from reducer.toolchain import runtime_of


@dataclass(frozen=True)
class WrongResults:
    """What to compare, as given by the user."""

    references: tuple[str, ...] = ()
    tolerance: float | None = None
    call: CallOptions = field(default_factory=CallOptions)
    signs: bool | None = None
    """Whether a zero with the other sign is wrong; None if that depends on the command."""

    def oracle(
        self,
        command: Command,
        executable: Path,
        text: str,
        *,
        limits: Limits,
        display: CommandDisplay,
    ) -> ValuesOracle:
        """The oracle for one command.

        Raises:
            UsageError: a reference or an input has invalid syntax.
            ToolchainError: a version or its runtime cannot be installed.
        """
        call = read_call(self.call)
        if call.ignored:
            print_status(f"ignored flags of the run command: {' '.join(call.ignored)}")
        chosen = self._comparison(command, executable, call)
        if self.signs is not None:
            chosen = _with_signs(chosen, self.signs)
        comparison = replace(
            chosen,
            function=call.function,
            user_inputs=call.given,
            expected=call.expected,
            tolerance=self.tolerance,
            audit=audit_of(executable),
        )
        return ValuesOracle(comparison, text, limits=limits, shown=display)

    def _comparison(self, command: Command, executable: Path, call: CallSpec) -> Comparison:
        """What the command is compared with."""
        if verifying_tool(executable) == executable:
            return pipeline_comparison(command, executable, self.references)
        candidate = CompilerConfig(
            "the command",
            command,
            executable,
            call.program or runtime_of(executable, progress=print_status),
            call.device or device_of(command),
            call.parameters,
        )
        chosen = [reference_of(name, candidate) for name in self.references]
        fixed = tuple(side for side in chosen if isinstance(side, PythonReference))
        named = [side for side in chosen if not isinstance(side, PythonReference)]
        sides = named or [reference_of(default_reference(command), candidate)]
        return Comparison(
            candidate,
            sides[0],
            required=tuple(sides[1:]),
            witnesses=tuple(witnesses_of(sides[0], candidate)),
            releases=tuple(releases_beside(candidate)),
            siblings=tuple(siblings_of(candidate)),
            untried=without_runtime(candidate),
            outside=tuple(outside(candidate)),
            evaluator=EvaluatorReference(candidate),
            front_ends=tuple(front_ends_beside(candidate)),
            fixed=fixed,
            named=bool(named),
        )

    def words(self) -> list[str]:
        """The command line options that produce this value."""
        words = ["--wrong-results"]
        for name in self.references:
            words += ["--reference", _absolute(name)]
        signs = {None: "", True: "signed-zeros", False: "any-zeros"}[self.signs]
        told = ",".join(
            filter(None, ["" if self.tolerance is None else str(self.tolerance), signs])
        )
        return [*words, *(["--tolerance", told] if told else []), *self.call.input_words()]

    def run_words(self) -> list[str]:
        """What follows the command: a second `--` and the call of the program, if that is told."""
        words = self.call.run_words()
        return ["--", *words] if words else []

    @property
    def for_candidates(self) -> "WrongResults":
        """Without what is known of the input alone."""
        moving = tuple(name for name in self.references if not is_fixed(name))
        return replace(self, references=moving, call=self.call.without_answers)


def _with_signs(comparison: Comparison, signs: bool) -> Comparison:
    """The comparison with or without regard to the sign of a zero."""

    def told(side: Implementation) -> Implementation:
        return replace(side, signs=signs) if isinstance(side, EvaluatorReference) else side

    evaluator = comparison.evaluator
    return replace(
        comparison,
        reference=told(comparison.reference),
        required=tuple(map(told, comparison.required)),
        evaluator=evaluator and told(evaluator),
        signs=signs,
    )


def _absolute(name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind != "python":
        return name
    file, _, function = rest.rpartition(":")  # the function may be followed by an interpreter
    return f"python:{Path(file).absolute()}:{function}"


def pipeline_comparison(
    command: Command, executable: Path, references: Sequence[str]
) -> Comparison:
    """A module after the passes of a command, and those who know what it means without them.

    Raises:
        UsageError: there is no such reference.
        CommandNotFound: a file or program does not exist.
    """
    evaluator = _evaluator(executable)
    runner = _runner(executable)
    runs: Implementation = runner or evaluator
    before = replace(runner, note="without the passes") if runner else None
    unchanged: Implementation = before or evaluator
    chosen = [_named(name, evaluator, before) for name in references]
    fixed = tuple(side for side in chosen if isinstance(side, PythonReference))
    named = [side for side in chosen if not isinstance(side, PythonReference)]
    optimized = () if before is None else (replace(before, level="-O3"),)
    return Comparison(
        PassPipeline(command, executable, runs),
        named[0] if named else unchanged,
        required=tuple(named[1:]),
        witnesses=(Poisoned(unchanged), *optimized),
        evaluator=evaluator,
        fixed=fixed,
        named=bool(named),
        signs=True,
    )


def _evaluator(executable: Path) -> EvaluatorReference:
    """The evaluator, reading modules with the tool under test but without its passes."""
    reading = Command((executable.name, INPUT))
    return EvaluatorReference(
        CompilerConfig("the tool", reading, executable, executable), FRONT_END, signs=True
    )


def _runner(executable: Path) -> MlirRunner | None:
    """MLIR's own tools; None if they are not on PATH."""
    tools = find_tools(beside=executable)
    return MlirRunner(tools, executable) if tools else None


def _named(name: str, evaluator: EvaluatorReference, runner: MlirRunner | None) -> Implementation:
    if name == EVALUATOR:
        return evaluator
    if name == MLIR_RUNNER:
        if runner is None:
            raise CommandNotFound("--reference: no mlir-runner with mlir-opt is on PATH")
        return runner
    if is_fixed(name):
        return python_reference(name)
    raise UsageError(
        f"--reference {name}: for a tool that only transforms modules, give {EVALUATOR}, "
        f"{MLIR_RUNNER}, or python:FILE.py:FUNCTION"
    )
