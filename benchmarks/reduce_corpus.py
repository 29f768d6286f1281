"""Reduce the corpus and print the size, reliability and cost of each result.

    python -m benchmarks.reduce_corpus                    everything; resumes where it stopped
    python -m benchmarks.reduce_corpus cat-zero-width     one case
    python -m benchmarks.reduce_corpus --layers 20        smaller modules around the triggers
    python -m benchmarks.reduce_corpus --layers 0         the triggers alone

Each result is compared with the expert's in ops (counted in generic form for both) and in
characters. Finished rows are kept in the working folder and not measured again.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from benchmarks.measure import Budget, Row, load, measure, save
from tests.support.corpus import Case, Run, case_names, load_case

COLUMNS = (
    "case", "wheel", "same failure", "input ops", "ops", "expert", "chars", "expert", "lines",
    "1-minimal", "calls", "full runs", "compiler s", "wall s", "all CPU s",
    "elsewhere s",
)  # fmt: skip


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--layers", default=200, show_default=True, help="Around each trigger; 0 for none.")
@click.option("--wheel", help="Only this compiler version.")
@click.option("--max-seconds", default=3600, show_default=True, help="Budget of one reduction.")
@click.option("--jobs", default=1, show_default=True, help="Compilers at once.")
@click.option("--folder", default="build/bench", show_default=True, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Measure again what was measured before.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def main(
    names: tuple[str, ...],
    layers: int,
    wheel: str | None,
    max_seconds: int,
    jobs: int,
    folder: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Reduce the corpus (or the named cases) and print a table."""
    if unknown := set(names) - set(case_names()):
        raise click.BadParameter(f"no such case: {', '.join(sorted(unknown))}")
    budget = Budget(jobs, max_seconds)
    rows = []
    for case, run in _selected(names or case_names(), wheel):
        row = _row(case, run, layers, folder, budget, force)
        rows.append(row)
        click.echo(f"{row.key}: {row.status} {row.message}".rstrip(), err=True)
    if as_json:
        json.dump([asdict(row) for row in rows], sys.stdout, indent=2)
    else:
        click.echo(table(rows))


def _selected(names: Sequence[str], wheel: str | None) -> Iterator[tuple[Case, Run]]:
    for case in map(load_case, names):
        for run in case.runs:
            if wheel in (None, run.wheel):
                yield case, run


def _row(case: Case, run: Run, layers: int, folder: Path, budget: Budget, force: bool) -> Row:
    if case.execution is not None and not case.execution.plantable:
        layers = 0
    place = folder / Row(case.name, run.wheel, 0 if case.packed_input else layers, "").key
    known = None if force else load(place)
    if known is not None:
        return known
    row = measure(case, run, layers, place, budget)
    save(row, place)
    return row


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table with a summary below."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(_cells(row)) + " |" for row in rows]
    done = [row for row in rows if row.ops is not None and row.expert_ops is not None]
    small = sum(row.ops <= row.expert_ops for row in done if row.ops and row.expert_ops)
    alike = sum(row.same_failure for row in rows)
    measured = [row for row in rows if row.status == "reduced"]
    lines += [
        "",
        f"{len(measured)} reduced, {alike} of them to the same failure; "
        f"{small} of {len(done)} with no more ops than the expert's.",
        _cost(measured),
    ]
    return "\n".join(lines)


def _cost(rows: Sequence[Row]) -> str:
    """What it cost to ask whether the results are still the bugs of their inputs."""
    asked = [row for row in rows if row.whole_seconds and row.elsewhere_seconds is not None]
    whole = sum(row.whole_seconds or 0.0 for row in asked)
    elsewhere = sum(row.elsewhere_seconds or 0.0 for row in asked)
    share = 100 * elsewhere / (whole - elsewhere) if whole > elsewhere else 0.0
    return (
        f"{whole:.0f} s of CPU time, {elsewhere:.0f} s of them to ask elsewhere: {share:.0f} % "
        "more than without."
    )


def _cells(row: Row) -> list[str]:
    if row.status != "reduced":
        note = ": ".join(filter(None, (row.status, row.message)))
        return [row.case, row.wheel, note, *[""] * (len(COLUMNS) - 3)]
    return [
        row.case,
        row.wheel,
        _yes(row.same_failure),
        _number(row.input_ops),
        _number(row.ops),
        _number(row.expert_ops),
        _number(row.characters),
        _number(row.expert_characters),
        _number(row.lines),
        _yes(row.one_minimal),
        _number(row.calls),
        _number(row.full_run_equivalents, 2),
        _number(row.compiler_seconds, 1),
        _number(row.wall_seconds, 1),
        _number(row.whole_seconds, 1),
        _number(row.elsewhere_seconds, 1),
    ]


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _number(value: float | None, digits: int = 0) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


if __name__ == "__main__":
    main()
