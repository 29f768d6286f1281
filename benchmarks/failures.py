"""Run each compiler on each case of the corpus and compare the failures with the manifest.

    python -m benchmarks.failures                    every run of every case: one hour, nine wheels
    python -m benchmarks.failures ds_real61_dyn      one case
    python -m benchmarks.failures --wheel 3.4.0      one compiler version

The exit code is 1 if any run fails differently or does not fail. The tests do the same for quick
runs on a few versions.
"""

import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from tests.support.corpus import Case, Run, case_names, load_case
from tests.support.described import INPUTS, fails_as_described


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--wheel", help="Only this compiler version.")
def main(names: tuple[str, ...], wheel: str | None) -> None:
    """Check the corpus (or the named cases) and print a line for each compiler run."""
    if unknown := set(names) - set(case_names()):
        raise click.BadParameter(f"no such case: {', '.join(sorted(unknown))}")
    wrong = 0
    for case, run, name in _selected(names or case_names(), wheel):
        with tempfile.TemporaryDirectory() as folder:
            found = fails_as_described(case, run, name, Path(folder))
        wrong += not found
        said = "as described" if found else "NOT as described"
        click.echo(f"{case.name} {run.wheel} {name}: {said}")
    sys.exit(1 if wrong else 0)


def _selected(names: Iterable[str], wheel: str | None) -> Iterator[tuple[Case, Run, str]]:
    for case in map(load_case, names):
        for run in case.runs:
            if wheel in (None, run.wheel):
                yield from ((case, run, name) for name in INPUTS if case.has(name, run))


if __name__ == "__main__":
    main()
