"""Compare the evaluator with MLIR's own tools on every wrong result of the corpus.

    python -m benchmarks.outside [CASE]...     a quarter of an hour

The two share no code. Each program is called with every set of inputs that `check` would try; where
the evaluator finds it undefined, there is nothing to compare.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from benchmarks.wrong_results import wrong_cases
from oracles import Command, Limits
from reducer.miscompile.interpreter.reference import EvaluatorReference
from reducer.miscompile.mlir_runner.reference import MlirRunner
from reducer.miscompile.mlir_runner.tools import find_tools
from reducer.miscompile.oracle import CompilerConfig
from reducer.miscompile.oracle.execution import CANNOT, RunContext
from reducer.miscompile.oracle.program_pool import FIRST_GARBAGE, Question
from reducer.miscompile.values.inputs import trials
from reducer.miscompile.values.programs import Function, exported_functions
from reducer.toolchain import install
from tests.support.corpus import Case, Run

COLUMNS = "agree", "differ", "fails", "cannot run it", "undefined"


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
def main(names: tuple[str, ...]) -> None:
    """Print for each case how many calls the two agree about."""
    click.echo(f"| case | {' | '.join(COLUMNS)} |")
    click.echo("|---" * (1 + len(COLUMNS)) + "|")
    for case, run in wrong_cases(names):
        counts = Counter(_compared(case, run))
        click.echo(f"| {case.name} | {' | '.join(str(counts[one]) for one in COLUMNS)} |")


def _compared(case: Case, run: Run) -> Iterator[str]:
    """What came of each call."""
    tools = find_tools()
    if tools is None:
        raise click.ClickException("there is no mlir-runner on PATH")
    toolchain = install(run.wheel, runtime=True)
    command = Command.parse([run.program, *run.flags])
    candidate = CompilerConfig("the command", command, toolchain.compile, toolchain.run_module)
    text, context = case.input_text(), RunContext(Limits(60))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _, compiled = candidate.compile(text, folder / "program", context)
        evaluated = EvaluatorReference(candidate).build(text, folder, context)
        outside = MlirRunner(tools, toolchain.compile).build(text, folder, context)
        for function, inputs in _calls(exported_functions(compiled.path)):
            if evaluated is None or outside is None:
                yield "cannot run it"
                continue
            meant = evaluated.call(function, inputs, context, garbage=FIRST_GARBAGE)
            if meant.undefined or meant.unsupported or meant.failure:
                yield "undefined"
                continue
            given = outside.call(function, inputs, context, garbage=FIRST_GARBAGE)
            if given.failure:
                yield "cannot run it" if given.failure == CANNOT else "fails"
            else:
                yield "agree" if Question(text, function, inputs).agree(given, meant) else "differ"


def _calls(functions: list[Function]) -> list[tuple[Function, list[str]]]:
    """The different calls that `check` would try."""
    found: dict[tuple[str, ...], tuple[Function, list[str]]] = {}
    for trial in trials():
        for function in functions:
            inputs = trial.inputs(function)
            if inputs is not None:
                found[function.name, *inputs] = (function, inputs)
    return list(found.values())


if __name__ == "__main__":
    main()
