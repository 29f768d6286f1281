"""Test the releases listed in the corpus manifests and compare the verdicts with the manifests.

    python -m benchmarks.bisect_corpus                    everything; resumes where it stopped
    python -m benchmarks.bisect_corpus cat-zero-width     one case
    python -m benchmarks.bisect_corpus --search           also find boundaries, on more releases

The failure to look for is that of a case's first run. Every release in its manifest is tested;
verdicts are kept in journals in the working folder. If a case fails differently on a release, with
a separate expert's input, the expected verdict there is "another failure".
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import click
from packaging.version import Version

from reducer.bisect import Bisector, BisectResult, ReleaseRunner, ReleaseVerdict
from reducer.bisect.classifier import ReleaseClassifier
from reducer.bisect.query import BisectQuery
from reducer.cli.commands.bisect import query_of
from reducer.cli.request.oracle_options import OracleOptions
from reducer.cli.workspace import workspace
from reducer.errors import NotInteresting
from reducer.storage.journal import Journal
from tests.support.corpus import TRITON, Case, Execution, Run, case_names, load_case

_SORTS = {"f": "float", "i": "int"}
_NUMBER = re.compile(r"-?(?:[\d.]+(?:e[-+]?\d+)?|inf|nan)", re.I)


@dataclass(frozen=True)
class Row:
    """One release of one case: the expected verdict and the actual one."""

    case: str
    version: str
    expected: str
    found: str
    message: str = ""

    @property
    def agrees(self) -> bool:
        return self.expected == self.found


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--search", is_flag=True, help="Bisect all published releases as well.")
@click.option(
    "--longest", default=60.0, show_default=True, help="Seconds of a run that is bisected."
)
@click.option(
    "--folder", default="build/bisect", show_default=True, type=click.Path(path_type=Path)
)
def main(names: tuple[str, ...], search: bool, longest: float, folder: Path) -> None:
    """Print a line for each release that disagrees, and a table of all cases."""
    if unknown := set(names) - set(case_names()):
        raise click.BadParameter(f"no such case: {', '.join(sorted(unknown))}")
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    rows: list[Row] = []
    with workspace():
        for case in map(load_case, names or case_names()):
            if any(run.program == TRITON for run in case.runs):
                continue  # not a release of this compiler
            quick = bool(case.runs) and case.runs[0].seconds <= longest
            found, line = _one(case, folder, search and quick)
            rows += found
            lines.append(line)
            click.echo(line, err=True)
            for row in found:
                if not row.agrees:
                    click.echo(
                        f"    {row.version}: {row.expected} expected, {row.found}: {row.message}",
                        err=True,
                    )
    agree = sum(row.agrees for row in rows)
    click.echo("| case | releases | agree | boundary | runs |\n|---|--:|--:|---|--:|")
    click.echo("\n".join(lines))
    click.echo(f"\n{agree} of {len(rows)} releases agree")


def _one(case: Case, folder: Path, search: bool) -> tuple[list[Row], str]:
    """The releases of one case, and its line in the table."""
    path = folder / f"{case.name}.journal"
    with closing(Journal.open(path, identity={"case": case.name}, log=_silent)) as journal:
        runner = ReleaseRunner(_query(case, folder), journal, log=_silent)
        reference = _reference(case)
        try:
            classifier = ReleaseClassifier(runner, reference)
        except NotInteresting as error:
            rows = [Row(case.name, reference, str(_expected(case)[reference]), "good", str(error))]
            return rows, _line(case, rows, "does not fail", runner)
        rows = []
        for version, expected in sorted(_expected(case).items(), key=lambda p: Version(p[0])):
            answer = classifier.test(version)
            rows.append(Row(case.name, version, expected, str(answer.verdict), answer.message))
        boundary = "-"
        if search:
            boundary = _boundary(Bisector(runner, bad=reference).run())
        return rows, _line(case, rows, boundary, runner)


def _query(case: Case, folder: Path) -> BisectQuery:
    source = Path(f"{case.name}.mlir")
    if not case.runs:
        words = ("iree-compile", *_twin_flags(case))
        return query_of(OracleOptions(source=source, words=words), case.input_text())
    run = case.runs[0]
    words = (run.program, *run.flags)
    if case.execution is None:
        oracle_options = OracleOptions(
            source=source,
            words=words,
            match=run.match,
            timeout=run.timeout,
            memory_limit=run.memory,
        )
        return query_of(oracle_options, case.input_text())
    options: dict[str, list[str]] = {}
    for argument in case.execution.arguments:
        name, _, value = argument.removeprefix("--").partition("=")
        options.setdefault(name, []).append(value)
    reference = folder / f"{case.name}.py"
    reference.write_text(_reference_in_python(case.execution), encoding="utf-8")
    oracle_options = OracleOptions(
        source=source,
        words=words,
        wrong_results=True,
        references=(f"python:{reference}:expected",),
        run=(f"--function={options['function'][0]}",),
        inputs=tuple(options.get("input", ())),
    )
    return query_of(oracle_options, case.input_text())


def _reference_in_python(execution: Execution) -> str:
    """A Python function that returns the right results, whatever its arguments."""
    arrays = []
    for result in execution.expected:
        kind, _, values = result.partition("=")
        *shape, element = kind.split("x")
        numbers = ", ".join(f'float("{one}")' for one in _NUMBER.findall(values))
        sort = "bool_" if element == "i1" else _SORTS[element[0]] + element[1:]
        sizes = ", ".join(shape)
        arrays.append(f"np.array([{numbers}], dtype=np.{sort}).reshape([{sizes}])")
    return f"import numpy as np\n\ndef expected(*inputs):\n    return {', '.join(arrays)},\n"


def _twin_flags(case: Case) -> tuple[str, ...]:
    """The flags of the failing twin of a healthy case, which has no run of its own."""
    twin = load_case(case.name.replace("good", "bad"))
    return next(run.flags for run in twin.runs if run.wheel in case.healthy)


def _reference(case: Case) -> str:
    return case.runs[0].wheel if case.runs else case.healthy[-1]


def _expected(case: Case) -> Mapping[str, str]:
    """The verdict expected for each release according to the manifest."""
    verdicts = {version: str(ReleaseVerdict.BAD) for version in case.failing}
    verdicts |= {version: str(ReleaseVerdict.GOOD) for version in case.healthy}
    verdicts |= {version: str(ReleaseVerdict.OTHER) for version in case.otherwise}
    return verdicts | {
        run.wheel: str(ReleaseVerdict.BAD if _same_bug(case.runs[0], run) else ReleaseVerdict.OTHER)
        for run in case.runs
    }


def _same_bug(one: Run, other: Run) -> bool:
    return one.kind == other.kind and one.expert == other.expert


def _boundary(result: BisectResult) -> str:
    return ", ".join(_said(result))


def _said(result: BisectResult) -> Iterator[str]:
    if result.first is not None:
        yield f"first bad {result.first.bad}"
        yield f"last good {result.first.good or 'none'}"
    if result.fixed is not None:
        yield f"good again {result.fixed.good or 'never'}"


def _line(case: Case, rows: list[Row], boundary: str, runner: ReleaseRunner) -> str:
    agree = sum(row.agrees for row in rows)
    return f"| {case.name} | {len(rows)} | {agree} | {boundary} | {runner.cost.calls} |"


def _silent(_: str) -> None:
    pass


if __name__ == "__main__":
    main()
