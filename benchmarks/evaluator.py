"""Evaluate programs with known results, and compare with these and with what the compiler gives.

    python -m benchmarks.evaluator FOLDER            the archive of ONNX operators, and the corpus
    python -m benchmarks.evaluator FOLDER --again    evaluate again, with the compiler's part kept

FOLDER is `onnx_ops` of iree-org/iree-test-suites, or any selection of its tests: a folder for each,
with a `model.mlir`, its inputs and its golden outputs. Of the corpus, the cases that say which
results are right take part. The tables are in docs/results.md.
"""

import json
import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import click

from benchmarks.onnx_operators import FLAGS, VERSION
from benchmarks.plant import plant
from oracles import Command, Limits
from oracles.profiles import RUNTIME
from reducer.miscompile.interpreter.reference import (
    DirectModule,
    EvaluatedModule,
    EvaluatorReference,
)
from reducer.miscompile.interpreter.registry import is_known
from reducer.miscompile.oracle import CompilerConfig
from reducer.miscompile.oracle.execution import ExecutionResult, RunContext
from reducer.miscompile.values.compare import compare
from reducer.miscompile.values.input_files import InputFileReader, expected_value, read_flags
from reducer.miscompile.values.programs import Function, Value
from reducer.toolchain import install
from tests.support.corpus import cases

LAYERS = 30, 200
LIMITS = Limits(seconds=120)
_GARBAGE = 170
_OP = re.compile(r'^\s*(?:%[^"\n]* = )?"([\w.]+)"', re.M)


class State(StrEnum):
    """What a program's results are, compared with the known ones."""

    RIGHT = "right"
    WRONG = "wrong"
    RUN_FAILURE = "fails to run"
    NOT_COMPILED = "not compiled"
    UNSUPPORTED = "unsupported"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class Program:
    """A program with inputs and the results that are right for them."""

    source: str
    name: str
    text: str
    function: str
    inputs: tuple[str, ...]
    expected: tuple[Value, ...]
    wheel: str
    flags: tuple[str, ...]
    device: str = RUNTIME.reference_device


@dataclass
class Row:
    """What compiler and evaluator make of a program."""

    source: str
    name: str
    compiled: str
    evaluated: str = ""
    why: str = ""
    ops: dict[str, int] = field(default_factory=dict)
    lowering_seconds: float = 0.0
    seconds: float = 0.0


@click.command()
@click.argument("models", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--again", is_flag=True, help="Evaluate again what was evaluated before.")
@click.option(
    "--folder", default="build/evaluator", show_default=True, type=click.Path(path_type=Path)
)
def main(models: Path, again: bool, folder: Path) -> None:
    """Evaluate MODELS and the corpus, and print two tables and what disagrees."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for program in (*archive(models), *corpus()):
        path = folder / f"{program.source}-{program.name}.json"
        row = (
            Row(**json.loads(path.read_text(encoding="utf-8")))
            if path.is_file()
            else _compile(program)
        )
        if row.compiled != State.NOT_COMPILED and (again or not row.evaluated):
            _evaluate(program, row)
        path.write_text(json.dumps(asdict(row), indent=1), encoding="utf-8")
        rows.append(row)
    click.echo(agreement(rows))
    click.echo("")
    click.echo(coverage(rows))
    click.echo("")
    click.echo(speed(LAYERS))
    click.echo("")
    for row in rows:
        if row.evaluated not in ("", row.compiled) or row.evaluated == State.WRONG:
            click.echo(f"{row.name}: compiled {row.compiled}, evaluated {row.evaluated}: {row.why}")


def archive(folder: Path) -> Iterator[Program]:
    """The models of the archive."""
    for place in sorted(path.parent for path in folder.glob("*/model.mlir")):
        flags = read_flags(place / "run_module_io_flags.txt")
        inputs, outputs = InputFileReader(place), InputFileReader(place)
        yield Program(
            "ONNX operators",
            place.name,
            (place / "model.mlir").read_text(encoding="utf-8"),
            place.name,
            tuple(f"{one.type}={one.values}" for text in flags.inputs for one in inputs.read(text)),
            tuple(expected_value(one) for text in flags.expected for one in outputs.read(text)),
            VERSION,
            FLAGS,
        )


def corpus() -> Iterator[Program]:
    """The cases of the corpus that say which results are right."""
    for case in cases():
        if case.execution is None:
            continue
        said = dict(word[2:].partition("=")[::2] for word in case.execution.arguments)
        inputs = [word for word in case.execution.arguments if word.startswith("--input=")]
        results = (one for text in case.execution.expected for one in InputFileReader().read(text))
        run = case.runs[0]
        yield Program(
            "corpus",
            case.name,
            case.input_text(),
            said["function"],
            tuple(word.partition("=")[2] for word in inputs),
            tuple(map(expected_value, results)),
            run.wheel,
            run.flags,
            said["device"],
        )


def _compiler(program: Program) -> CompilerConfig:
    toolchain = install(program.wheel, runtime=True)
    command = Command.parse(["iree-compile", *program.flags])
    return CompilerConfig(
        "the compiler", command, toolchain.compile, toolchain.run_module, program.device
    )


def _compile(program: Program) -> Row:
    """The program's row, with the compiler's part."""
    row = Row(program.source, program.name, State.NOT_COMPILED)
    with tempfile.TemporaryDirectory() as folder:
        context = RunContext(LIMITS)
        compiled = _compiler(program).build(program.text, Path(folder), context)
        if compiled is not None:
            given = compiled.call(_function(program), program.inputs, context, garbage=_GARBAGE)
            row.compiled, row.why = _state(given, program.expected)
    return row


def _evaluate(program: Program, row: Row) -> None:
    """Add the evaluator's part to a row."""
    with tempfile.TemporaryDirectory() as folder:
        context = RunContext(LIMITS)
        start = time.monotonic()
        module = EvaluatorReference(_compiler(program)).build(program.text, Path(folder), context)
        built = time.monotonic()
        row.lowering_seconds = built - start
        if not isinstance(module, EvaluatedModule | DirectModule):
            row.evaluated, row.why = State.UNSUPPORTED, "the front end does not print it"
            return
        given = module.call(_function(program), program.inputs, context, garbage=_GARBAGE)
        row.seconds = time.monotonic() - built
        row.ops = dict(Counter(_OP.findall(module.path.read_text(encoding="utf-8"))))
        row.evaluated, row.why = _state(given, program.expected)


def _function(program: Program) -> Function:
    return Function(program.function, (), ())


def _state(given: ExecutionResult, expected: tuple[Value, ...]) -> tuple[State, str]:
    if given.unsupported:
        return State.UNSUPPORTED, ", ".join(given.unsupported)
    if given.undefined:
        return State.UNDEFINED, given.undefined
    if given.failure:
        return State.RUN_FAILURE, given.failure
    found = compare(given.results, expected)
    return (State.WRONG, found[0].text) if found else (State.RIGHT, "")


def agreement(rows: list[Row]) -> str:
    """How often the evaluator gives the known results, as a Markdown table."""
    lines = [
        "| programs | compiled | compiler right | of these, evaluator agrees | "
        "compiler wrong or fails | of these, evaluator right | "
        "front end, median s | evaluation, median s | maximum s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for source in dict.fromkeys(row.source for row in rows):
        ours = [row for row in rows if row.source == source]
        ran = [row for row in ours if row.compiled != State.NOT_COMPILED]
        right = [row for row in ran if row.compiled == State.RIGHT]
        other = [row for row in ran if row.compiled != State.RIGHT]
        agree = sum(row.evaluated == State.RIGHT for row in right)
        share = f"{agree} ({100 * agree / len(right):.1f} %)" if right else "-"
        judged = [row for row in ran if row.seconds]
        cells: list[Any] = [
            f"{source}: {len(ours)}",
            len(ran),
            len(right),
            share,
            len(other),
            sum(row.evaluated == State.RIGHT for row in other),
            f"{statistics.median(row.lowering_seconds for row in judged):.2f}",
            f"{statistics.median(row.seconds for row in judged):.2f}",
            f"{max(row.seconds for row in judged):.1f}",
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def coverage(rows: list[Row]) -> str:
    """Which ops of the programs the evaluator knows, by dialect, as a Markdown table."""
    programs = Counter(op for row in rows for op in row.ops)
    lines = [
        "| dialect | ops that occur | known | not known (programs with it) |",
        "|---|---|---|---|",
    ]
    for dialect in sorted({op.partition(".")[0] for op in programs}):
        ops = [op for op in sorted(programs) if op.partition(".")[0] == dialect]
        unknown = [op for op in ops if not is_known(op)]
        named = ", ".join(f"{op.partition('.')[2]} ({programs[op]})" for op in unknown)
        lines.append(f"| {dialect} | {len(ops)} | {len(ops) - len(unknown)} | {named} |")
    return "\n".join(lines)


def speed(layers: tuple[int, ...]) -> str:
    """How long healthy modules of many layers take, as a Markdown table."""
    lines = [
        "| layers | ops | generic form, s | evaluation, s | compiler, s |",
        "|---|---|---|---|---|",
    ]
    for count in layers:
        text = plant(_IDENTITY, count)
        tensors = "64x64xf32=0.01", *("64x64xf32=0.001", "64xf32=0.5") * count, "1xf32=2"
        program = Program("layers", str(count), text, "host", tensors, (), VERSION, FLAGS)
        row = Row("layers", str(count), "")
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            _compiler(program).build(text, Path(folder), RunContext(LIMITS))
        compiled = time.monotonic() - start
        _evaluate(program, row)
        cells = count, sum(row.ops.values()), row.lowering_seconds, row.seconds, compiled
        lines.append("| " + " | ".join(f"{c:.1f}" if c != int(c) else f"{c}" for c in cells) + " |")
    return "\n".join(lines)


_IDENTITY = """\
func.func @same(%same: tensor<1xf32>) -> tensor<1xf32> {
  %one = arith.constant 1 : index
  return %same : tensor<1xf32>
}
"""


if __name__ == "__main__":
    main()
