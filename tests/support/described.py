"""Check that a compiler fails on a case of the corpus as the manifest describes."""

from dataclasses import replace
from math import inf
from pathlib import Path

from oracles import Kind
from oracles.run.limits import Limits, ProcessResult
from oracles.run.run_process import run_process
from reducer.miscompile.oracle.execution import failure_of
from reducer.toolchain import install
from tests.support.corpus import Case, Execution, Run

INPUTS = "input", "expert"
LONGEST = 900
"""Seconds after which a compiler run is given up: many times its duration on an idle machine."""


def fails_as_described(
    case: Case, run: Run, name: str, folder: Path, *, hanging: float = inf
) -> bool:
    """Whether it does, on the "input" or the "expert" of the case; programs go to `folder`.

    A hang has to last for as long as the manifest says, or `hanging` seconds.
    """
    text = case.text(name, run)
    if run.kind == Kind.RUN_FAILURE and case.execution is not None:
        return _failure(text, run, case.execution, folder).startswith(run.message)
    if case.execution is not None:
        results = _results(text, run, case.execution, folder)
        return run.message in results and results != list(case.execution.expected)
    limits = run.limits(LONGEST)
    if run.kind == Kind.TIMEOUT and limits.seconds is not None:
        limits = replace(limits, seconds=min(limits.seconds, hanging))
    outcome = run.oracle(limits).run(text)
    silent = not outcome.stderr.strip() or outcome.kind.traits.costly  # then it prints its stack
    said = run.message in outcome.stderr if run.message else silent
    return said and outcome.kind == run.kind


def _results(text: str, run: Run, execution: Execution, folder: Path) -> list[str]:
    """The program's output for each of its results."""
    done = _execute(text, run, execution, folder)
    assert done.exit_code == 0, done.stderr
    return [line for line in done.stdout.splitlines() if "=" in line]


def _failure(text: str, run: Run, execution: Execution, folder: Path) -> str:
    """How the program fails to run; '' if it does not."""
    done = _execute(text, run, execution, folder)
    return failure_of(done).template if done.exit_code else ""


def _execute(text: str, run: Run, execution: Execution, folder: Path) -> ProcessResult:
    """Compile the text, and run the program."""
    toolchain = install(run.wheel, runtime=True)
    (folder / "input.mlir").write_text(text)
    program = folder / "program.vmfb"
    compiled = _run(folder, toolchain.compile, "input.mlir", *run.flags, "-o", program.name)
    assert compiled.exit_code == 0, compiled.stderr
    return _run(folder, toolchain.run_module, f"--module={program.name}", *execution.arguments)


def _run(folder: Path, *command: object) -> ProcessResult:
    return run_process([str(word) for word in command], cwd=folder, limits=Limits(120))
