"""Reduce a failure in modules of different sizes: the result should always be the same.

    python -m benchmarks.surroundings [--layers 0 --layers 5]... [CASE]...

What the search does depends on how many ops there are, since some stages only pay for large inputs.
None of that should show in the result. Each trigger is planted in more and more healthy layers (17
ops each), and reduced. A row has the ops and characters of the result, and the runs, for each size.
"""

from pathlib import Path

import click

from benchmarks.measure import Budget, Row, measure
from oracles import Kind
from tests.support.corpus import Case, Run, case_names, load_case

_LAYERS = (0, 3, 5, 8, 12, 17, 25, 40)


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--layers", multiple=True, type=int, default=_LAYERS, show_default=True)
@click.option("--wheel", default="3.13.0", show_default=True)
@click.option("--max-seconds", default=300, show_default=True, help="For each reduction.")
@click.option("--folder", type=click.Path(path_type=Path), default="build/surroundings")
def main(
    names: tuple[str, ...], layers: tuple[int, ...], wheel: str, max_seconds: int, folder: Path
) -> None:
    """Print a row for each case: ops/characters/runs."""
    columns = ("case", *map(str, layers), "same result")
    click.echo(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for name in names or case_names():
        case = load_case(name)
        if run := _run(case, wheel):
            place, budget = folder / name, Budget(1, max_seconds)
            rows = [measure(case, run, number, place / str(number), budget) for number in layers]
            alike = len({(row.ops, row.characters) for row in rows}) == 1
            cells = (name, *map(_cell, rows), "yes" if alike else "no")
            click.echo(f"| {' | '.join(cells)} |")


def _run(case: Case, wheel: str) -> Run | None:
    """The case's run on this release, if it is one that can be planted and ends by itself."""
    runs = [run for run in case.runs if run.wheel == wheel]
    quick = runs and not Kind(runs[0].kind).traits.costly
    return runs[0] if quick and not case.packed_input and case.execution is None else None


def _cell(row: Row) -> str:
    if row.ops is None:
        return row.status
    return f"{row.ops}/{row.characters}/{row.calls}" + ("" if row.same_failure else " (another)")


if __name__ == "__main__":
    main()
