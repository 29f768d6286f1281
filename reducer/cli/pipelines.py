"""What a `…-opt` command under `--wrong-results` is compared with: the module before its passes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from oracles import Command
from oracles.compilers.command import INPUT
from oracles.values import (
    Comparison,
    CompilerConfig,
    Implementation,
    Poisoned,
    PythonReference,
)
from reducer.cli.references import EVALUATOR, MLIR_RUNNER, is_fixed, python_reference
from reducer.errors import CommandNotFound, UsageError
from reducer.evaluator.reference import EvaluatorReference
from reducer.upstream.reference import FRONT_END, MlirRunner
from reducer.upstream.tools import find_tools
from reducer.upstream.transformed import PassPipeline


def pipeline_comparison(
    command: Command, executable: Path, references: Sequence[str], python: str | None
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
    chosen = [_named(name, evaluator, before, python) for name in references]
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


def _named(
    name: str, evaluator: EvaluatorReference, runner: MlirRunner | None, python: str | None
) -> Implementation:
    if name == EVALUATOR:
        return evaluator
    if name == MLIR_RUNNER:
        if runner is None:
            raise CommandNotFound(
                "--reference mlir-runner: neither mlir-runner nor mlir-runner-NN is on PATH, with "
                "mlir-opt beside it"
            )
        return runner
    if is_fixed(name):
        return python_reference(name, python)
    raise UsageError(
        f"--reference {name}: for a tool that only transforms modules, give {EVALUATOR}, "
        f"{MLIR_RUNNER}, or python:FILE.py:FUNCTION"
    )
