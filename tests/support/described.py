"""Check that a compiler fails on a case of the corpus as the manifest describes."""

import subprocess
from pathlib import Path

from reducer.toolchain import install
from tests.support.corpus import Case, Execution, Run

INPUTS = "input", "expert"
LONGEST = 900
"""Seconds after which a compiler run is given up: many times its duration on an idle machine."""


def fails_as_described(case: Case, run: Run, name: str, folder: Path) -> bool:
    """Whether it does, on the "input" or the "expert" of the case; programs go to `folder`."""
    text = case.text(name, run)
    if case.execution is not None:
        results = _results(text, run, case.execution, folder)
        return run.message in results and results != list(case.execution.expected)
    outcome = run.oracle(run.limits(LONGEST)).run(text)
    silent = not outcome.stderr.strip() or outcome.kind.traits.costly  # then it prints its stack
    said = run.message in outcome.stderr if run.message else silent
    return said and outcome.kind == run.kind


def _results(text: str, run: Run, execution: Execution, folder: Path) -> list[str]:
    """The program's output for each of its results."""
    toolchain = install(run.wheel, runtime=True)
    (folder / "input.mlir").write_text(text)
    program = folder / "program.vmfb"
    _run(toolchain.compile, folder / "input.mlir", *run.flags, "-o", program)
    printed = _run(toolchain.run_module, f"--module={program}", *execution.arguments)
    return [line for line in printed.splitlines() if "=" in line]


def _run(*command: object) -> str:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
