"""Measure whether `locate --wrong-results` names the right dispatch in a large program.

    python -m benchmarks.locate_wrong [--layers 50] [--json FILE] [CASE]...

Each wrong result of the corpus is planted in the middle of 50 healthy layers, which are about a
hundred other dispatches; only those in the torch dialect stay alone. `locate` gets the options of
its case, or its inputs, only if it finds nothing wrong without them. It is right if it names a
dispatch and all ops of this were planted; or, for a bug that is not in a dispatch, if it names the
phase (`PHASES`). It is confirmed if the dispatch is wrong as a program of its own, or the IR after
that phase is. A bug that all compilers at hand share stays in dispute: they contradict the
evaluator.

A *full run* is one compilation by the command under test and one run of its program.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from benchmarks.plant import plant
from benchmarks.wrong_results import wrong_cases
from tests.support.corpus import Case, Run

PHASES = {
    "mis-add-i1-stablehlo": "input",
    "mis-argument-overwritten": "between dispatches",
    "mis-insert-element-2d": "between dispatches",
    "mis-insert-i4-odd-offset": "between dispatches",
    "mis-onnx-clip-unsigned": "input",
    "mis-onnx-det": "input",
    "mis-onnx-div-unsigned": "input",
    "mis-onnx-grid-sample-nearest": "input",
    "mis-onnx-topk-unsigned": "input",
    "mis-slice-i4-odd-offset": "between dispatches",
    "mis-stable-sort": "input",
}
"""Bugs that are not in a dispatch: the phase that is wrong."""

COLUMNS = (
    "case", "release", "right", "phase", "dispatch", "planted ops", "confirmed", "full runs",
    "compilations", "other runs", "CPU s", "options",
)  # fmt: skip
_SECONDS = 600


@dataclass(frozen=True)
class Located:
    """What `locate` said about one case. `planted` of its `ops` ops were planted."""

    case: str
    release: str
    right: bool
    phase: str = ""
    dispatch: str = ""
    planted: int = 0
    ops: int = 0
    confirmed: bool = False
    disputed: bool = False
    full_runs: float = 0.0
    compilations: int = 0
    other_runs: int = 0
    cpu_seconds: float = 0.0
    options: tuple[str, ...] = ()
    problem: str = ""


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--layers", default=50, show_default=True)
@click.option(
    "--json",
    "target",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Keep all figures; those in FILE are not measured again.",
)
def main(names: tuple[str, ...], layers: int, target: Path | None) -> None:
    """Locate the planted wrong results, and print a table."""
    known = {one.case: one for one in _load(target)}
    found = []
    for case, run in wrong_cases(names):
        if run.kind == "miscompile":
            found.append(known.get(case.name) or located(case, run, layers))
            click.echo(" | ".join(cells(found[-1])), err=True)
            known[case.name] = found[-1]
            if target is not None:
                rows = [asdict(one) for one in known.values()]
                target.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    click.echo(table(found))


def _load(target: Path | None) -> list[Located]:
    if target is None or not target.is_file():
        return []
    return [Located(**one) for one in json.loads(target.read_text(encoding="utf-8"))]


def located(case: Case, run: Run, layers: int) -> Located:
    """Locate one case, with its options only if nothing can judge it without."""
    text = case.text("expert", run)
    planted = text if "!torch" in text else plant(text, layers)
    answer = _locate(planted, run, ())
    options: tuple[str, ...] = ()
    if isinstance(answer, str):
        options = _options(case)
        answer = _locate(planted, run, options)
    if isinstance(answer, str):
        return Located(case.name, run.wheel, False, problem=answer)
    return _judged(case, run, _planted_lines(planted, layers), answer, options)


def _options(case: Case) -> tuple[str, ...]:
    """The options of a case, or else its inputs."""
    assert case.execution is not None
    inputs = tuple(one for one in case.execution.arguments if one.startswith("--input="))
    options = tuple(one.format(folder=case.folder) for one in case.execution.options)
    return options or inputs


def _locate(text: str, run: Run, options: Sequence[str]) -> dict[str, Any] | str:
    """The answer, or why there is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "planted.mlir"
        path.write_text(text, encoding="utf-8")
        words = ["locate", str(path), "--json", "-", "--wrong-results", *options, *run.words()]
        done = subprocess.run(
            [sys.executable, "-m", "reducer", *words],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    if not done.stdout:
        return (done.stderr.strip().splitlines() or ["no message"])[-1]
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def _planted_lines(text: str, layers: int) -> set[int]:
    """The numbers of the lines that do not belong to a healthy layer."""
    healthy = set(plant("func.func @nothing() {\n  return\n}\n", layers).splitlines())
    lines = enumerate(text.splitlines(), 1)
    return {number for number, line in lines if line not in healthy}


def _judged(
    case: Case, run: Run, planted: set[int], answer: dict[str, Any], options: tuple[str, ...]
) -> Located:
    places = [one["place"] for one in answer["culprits"]]
    inside = sum(place is not None and place[1] in planted for place in places)
    program = answer["program"]
    if case.name in PHASES:
        right = answer["phase"] == PHASES[case.name]
    else:
        right = program is not None and inside == len(places) > 0
    return Located(
        case.name,
        run.wheel,
        right,
        answer["phase"] or "",
        f"{program['call']} of {answer['dispatches']}" if program else "",
        inside,
        len(places),
        bool(answer["sure"]),
        bool(answer["dispute"]),
        answer["full_runs"],
        answer["compilations"],
        answer["calls"] - answer["compilations"],
        answer["cpu_seconds"],
        options,
        answer["how"] if not right else "",
    )


def cells(one: Located) -> list[str]:
    """A line of the table."""
    if one.problem and not one.phase:
        return [one.case, one.release, f"no: {one.problem}", *[""] * (len(COLUMNS) - 3)]
    return [
        one.case,
        one.release,
        "yes" if one.right else f"no: {one.problem}",
        one.phase,
        one.dispatch,
        f"{one.planted} of {one.ops}",
        "in dispute" if one.disputed else "yes" if one.confirmed else "no",
        f"{one.full_runs:.1f}",
        str(one.compilations),
        str(one.other_runs),
        f"{one.cpu_seconds:.1f}",
        "those of the case" if one.options else "",
    ]


def table(found: Sequence[Located]) -> str:
    """All cases as a Markdown table, with a summary below."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(cells(one)) + " |" for one in found]
    right = [one for one in found if one.right]
    cheap = sum(one.full_runs <= 10 for one in right)
    return "\n".join(
        [
            *lines,
            "",
            f"{len(right)} of {len(found)} right, {cheap} of them in at most 10 full runs.",
        ]
    )


if __name__ == "__main__":
    main()
