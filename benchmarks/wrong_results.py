"""Reduce wrong results and failing runs with no option but `--wrong-results`, and distrust it.

    python -m benchmarks.wrong_results                 every such case, alone and in 30 layers
    python -m benchmarks.wrong_results mis-atan2-zero  one case
    python -m benchmarks.wrong_results --healthy       programs that must not be called wrong

A result is checked with means that the reduction did not use: `repro.sh` is run in an empty folder
with nothing but IREE's tools and the system's on PATH, and the expected values that it contains are
compared with what other releases compute, on both backends. The bugs that all releases share leave
no such witness; about those MLIR's own mlir-runner is asked, and then the case's `reference.py`, a
NumPy function.

`--healthy` takes what the reductions rejected as right: every program of the corpus for which a
release is known that is right, and small programs that are right everywhere. Each is judged with
each kind of reference, the default one first. Finished rows are kept in the working folder and not
measured again.
"""

import json
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from benchmarks.healthy_programs import Healthy, Reference, healthy_programs
from benchmarks.measure import Budget, Row, measure
from oracles import Command, Limits
from oracles.evidence import EXPECTED
from reducer.cli import main as reducer_cli
from reducer.miscompile.mlir_runner.reference import MlirRunner
from reducer.miscompile.mlir_runner.tools import find_tools
from reducer.miscompile.oracle import (
    CompilerConfig,
    Implementation,
    InputSpec,
    PythonReference,
    with_backend,
)
from reducer.miscompile.oracle.execution import Compiled, RunContext
from reducer.miscompile.values.compare import compare
from reducer.miscompile.values.declared_functions import declared_functions
from reducer.miscompile.values.input_files import expected_value
from reducer.report.facts import FILES
from reducer.toolchain import install
from tests.support.corpus import Case, Run, cases

LAYERS = 30
RELEASES = "3.13.0", "3.11.0", "3.8.0", "3.6.0", "3.4.0"
"""Releases that can be a witness."""
BACKENDS = "llvm-cpu", "vmvx"
COLUMNS = (
    "case", "layers", "reduced", "input ops", "ops", "expert", "calls", "compiler s", "wall s",
    "repro.sh", "expected", "other witness",
)  # fmt: skip
_RUN = re.compile(r"^//\s+(iree-run-module .*)$", re.M)
_EXPECTED = re.compile(r"^result\[\d+\]: (.*=.*)$", re.M)
RIGHT = f"{FILES}/{EXPECTED}"
"""Where a report says what is right."""
_TOLERANCE = re.compile(r"~\S+")
_CALL = "function", "input", "expected_output"
_MINUTES = 5


@dataclass
class Result:
    """One reduction, and the checks of its result."""

    row: Row
    repro: int | None = None
    """The exit status of `repro.sh`; None without one."""
    expected: str = ""
    """What the script says is right."""
    witness: str = ""
    """The release and backend, or whoever else computes this."""


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--layers", multiple=True, type=int, help="[default: 0 and 30]")
@click.option("--max-seconds", default=900, show_default=True, help="Budget of one reduction.")
@click.option("--folder", default="build/wrong", show_default=True, type=click.Path(path_type=Path))
@click.option("--healthy", is_flag=True, help="Judge healthy programs instead.")
@click.option("--sample", type=int, help="So many of their judgements, always the same ones.")
@click.option("--force", is_flag=True, help="Measure again what was measured before.")
@click.option("--recheck", is_flag=True, help="Check results again without reducing again.")
@click.option("--finished", is_flag=True, help="Print what was measured, and measure nothing.")
def main(
    names: tuple[str, ...],
    layers: tuple[int, ...],
    max_seconds: int,
    folder: Path,
    healthy: bool,
    sample: int | None,
    force: bool,
    recheck: bool,
    finished: bool,
) -> None:
    """Reduce the wrong results of the corpus (or the named cases) and print a table."""
    if healthy:
        judge_healthy(folder / "healthy", force, finished, sample)
        return
    results = []
    for case, run in wrong_cases(names):
        for count in layers or (0, LAYERS):
            if count and not _plantable(case):
                continue
            place = folder / Row(case.name, run.wheel, count, "").key
            result = None if force else _load(place)
            if result is None and finished:
                continue
            if result is None or recheck:
                result = (
                    _checked(result, case, run, place)
                    if result
                    else _reduce(case, run, count, place, Budget(1, max_seconds))
                )
                told = json.dumps(asdict(result), indent=1)
                (place / "result.json").write_text(told, encoding="utf-8")
            results.append(result)
            click.echo(" | ".join(cells(result)), err=True)
    click.echo(table(results))


def wrong_cases(names: tuple[str, ...] = ()) -> Iterator[tuple[Case, Run]]:
    """The cases that compile and run, with the first of their releases."""
    for case in cases():
        if case.execution is not None and (not names or case.name in names):
            yield case, case.runs[0]


def _plantable(case: Case) -> bool:
    return case.execution is not None and case.execution.plantable


def _reduce(case: Case, run: Run, layers: int, place: Path, budget: Budget) -> Result:
    result = Result(measure(case, run, layers, place, budget, words=_words(run)))
    return _checked(result, case, run, place)


def _checked(result: Result, case: Case, run: Run, place: Path) -> Result:
    """The result, checked without the program that made it."""
    script = place / "reduced" / "report" / "repro.sh"
    if not script.is_file():
        return result
    result.repro = _exit_status(script, run)
    text, right = (place / "reduced.mlir").read_text(encoding="utf-8"), script.parent / RIGHT
    flags = _flags(text + (right.read_text(encoding="utf-8") if right.is_file() else ""))
    result.expected = " ".join(flags.get("expected_output", []))
    agreeing = (side.name for side in _others(case, run) if _gives(side, text, flags))
    result.witness = next(agreeing, "")
    return result


def _words(run: Run) -> list[str]:
    return ["--wrong-results", *run.words()]


def _exit_status(script: Path, run: Run) -> int:
    """How the script ends in an empty folder, next to nothing but IREE's tools."""
    toolchain = install(run.wheel, runtime=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tools, work = folder / "tools", folder / "work"
        tools.mkdir()
        work.mkdir()
        for tool in (toolchain.compile, toolchain.run_module):
            (tools / tool.name).symlink_to(tool)
        shutil.copytree(script.parent, folder / "report")
        done = subprocess.run(
            ["/bin/sh", str(folder / "report" / script.name)],
            cwd=work,
            env={"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(folder)},
            capture_output=True,
            text=True,
            timeout=60 * _MINUTES,
            check=False,
        )
        (script.parent / "repro.log").write_text(done.stdout + done.stderr, encoding="utf-8")
        return done.returncode


def _flags(text: str) -> dict[str, list[str]]:
    """How the program is called, by the comment above it, and what is right."""
    found: dict[str, list[str]] = {}
    line = _RUN.search(text)
    for word in shlex.split(line[1]) if line else []:
        name, _, value = word.removeprefix("--").partition("=")
        if name in _CALL:
            found.setdefault(name, []).append(value)
    if told := _EXPECTED.findall(text):
        found["expected_output"] = [_TOLERANCE.sub("", values) for values in told]
    return found


def _others(case: Case, run: Run) -> Iterator[Implementation]:
    """Who may compute what is right, from other releases on."""
    command = Command.parse([run.program, *run.flags])
    for release in (one for one in RELEASES if one != run.wheel):
        other = install(release, runtime=True)
        for backend in BACKENDS:
            compiler = with_backend(command, backend)
            name = f"{release} {backend}"
            yield CompilerConfig(name, compiler, other.compile, other.run_module)
    if tools := find_tools():
        yield MlirRunner(tools, install(run.wheel, runtime=True).compile)
    file = case.folder / "reference.py"
    if file.is_file():
        name = re.findall(r"^def (\w+)", file.read_text(encoding="utf-8"), re.M)[-1]
        yield PythonReference(file, name, sys.executable)


def _gives(side: Implementation, text: str, flags: dict[str, list[str]]) -> bool:
    """Whether somebody outside the project computes the expected values."""
    with tempfile.TemporaryDirectory() as folder:
        context = RunContext(Limits(60.0 * _MINUTES))
        made = side.build(text, Path(folder), context)
        if made is None:
            return False
        functions = made.functions(text) if isinstance(made, Compiled) else declared_functions(text)
        wanted = flags.get("function", [""])[0]
        function = next((one for one in functions if one.name == wanted), None)
        if function is None:
            return False
        given = made.call(function, flags.get("input", []), context, garbage=85)
    right = [expected_value(InputSpec.parse(text)) for text in flags.get("expected_output", [])]
    return not given.failure and (not right or not compare(given.results, right))


# ---- programs that are right ---------------------------------------------------------------------


def judge_healthy(folder: Path, force: bool, finished: bool, sample: int | None) -> None:
    """Check healthy programs with their references, and print what each kind of them said."""
    folder.mkdir(parents=True, exist_ok=True)
    told: dict[str, dict[str, int]] = {}
    judgements = list(_judgements())
    if sample is not None:
        judgements = random.Random(0).sample(judgements, sample)
    for program, reference in sorted(judgements, key=lambda pair: pair[1].options):
        name = re.sub(r"[^A-Za-z0-9]+", "_", reference.label)
        path = folder / f"{program.name}-{name}.json"
        if finished and not path.is_file():
            continue
        if force or not path.is_file():
            said = _check(program, reference)
            path.write_text(json.dumps(said), encoding="utf-8")
        said = json.loads(path.read_text(encoding="utf-8"))
        counts = told.setdefault(reference.label, {})
        counts[said["verdict"]] = counts.get(said["verdict"], 0) + 1
        if said["verdict"] == "wrong":
            click.echo(f"{program.name} with {reference.label}: {said['why']}")
    verdicts = sorted({verdict for counts in told.values() for verdict in counts})
    click.echo(f"| reference | {' | '.join(verdicts)} |")
    click.echo("|---" * (1 + len(verdicts)) + "|")
    for label, counts in told.items():
        click.echo(f"| {label} | {' | '.join(str(counts.get(one, 0)) for one in verdicts)} |")


def _judgements() -> list[tuple[Healthy, Reference]]:
    return [(one, reference) for one in healthy_programs() for reference in one.references]


def _check(program: Healthy, reference: Reference) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "input.mlir"
        source.write_text(program.text, encoding="utf-8")
        (Path(folder) / "reference.py").write_text(program.python, encoding="utf-8")
        words = [
            "check", str(source), "--json", "-", "--wrong-results",
            *(word.format(folder=folder) for word in reference.options),
            "--iree", program.wheel, "--", "iree-compile", *program.flags,
            *(("--", "iree-run-module", "--function=f", *reference.run) if reference.run else ()),
        ]  # fmt: skip
        done = CliRunner().invoke(reducer_cli, words)
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return {"verdict": f"exit code {done.exit_code}", "why": done.stderr[-400:]}
    kind = str(report.get("kind", ""))
    wrong = kind in ("miscompile", "run-failure")
    right = {"success": "right", "cannot-judge": "cannot judge"}
    shown = "\n".join(str(one.get("message", "")) for one in report.get("diagnostics", []))
    return {"verdict": "wrong" if wrong else right.get(kind, kind), "why": shown[:400]}


# ---- output --------------------------------------------------------------------------------------


def _load(place: Path) -> Result | None:
    try:
        found = json.loads((place / "result.json").read_text(encoding="utf-8"))
        return Result(**{**found, "row": Row(**found["row"])})
    except (OSError, ValueError, TypeError):
        return None


def cells(result: Result) -> list[str]:
    """A line of the table."""
    row = result.row
    said = "yes" if row.verified else row.message or row.status
    seconds = [
        f"{s:.1f}" if s is not None else "-" for s in (row.compiler_seconds, row.wall_seconds)
    ]
    counts = [
        "-" if number is None else str(number)
        for number in (row.input_ops, row.ops, row.expert_ops, row.calls)
    ]
    repro = "-" if result.repro is None else str(result.repro)
    return [
        row.case, str(row.layers), said, *counts, *seconds, repro, result.expected[:60],
        result.witness,
    ]  # fmt: skip


def table(results: list[Result]) -> str:
    """All results as a Markdown table, with a summary below."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(cells(result)) + " |" for result in results]
    done = [one for one in results if one.row.verified]
    small = sum((one.row.ops or 0) <= (one.row.expert_ops or 0) for one in done)
    scripts = sum(one.repro == 0 for one in done)
    others = sum(bool(one.witness) for one in done)
    lines += [
        "",
        f"{len(done)} of {len(results)} reduced; {small} of them to no more ops than the expert's; "
        f"repro.sh ended with 0 for {scripts}; somebody else computes what is right for "
        f"{others}.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
