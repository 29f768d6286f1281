"""Tell crashes of one tool apart that end in the same function.

    python -m benchmarks.opt_pairs [CASE]...

Each crash of corpus/opt/ is reduced, with a report. For every two of the same tool whose innermost
named function is the same, `repro.sh` of either runs on the program of the other, and should say
that this is not its failure.
"""

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.opt_rivals import NAMELESS, innermost
from tests.support.opt_corpus import OptCase, opt_cases

_COLUMNS = ("innermost function", "crashes", "buckets", "accepts the other's")


@dataclass(frozen=True)
class _Crash:
    """A reduced crash and its report."""

    case: OptCase
    function: str
    bucket: str
    report: Path

    def accepts(self, other: "_Crash") -> bool:
        """Whether `repro.sh` finds its failure in the program of another crash."""
        place = self.report.with_name("swapped")
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.report, place)
        shutil.copy(other.report / "repro.mlir", place)
        done = subprocess.run(["sh", "./repro.sh"], cwd=place, capture_output=True, check=False)
        return done.returncode == 0


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--folder", type=click.Path(path_type=Path), default="build/opt-pairs")
def main(names: tuple[str, ...], folder: Path) -> None:
    """Print a row for each pair."""
    wanted = [one for one in opt_cases() if one.name in names or not names]
    cases = [one for one in wanted if one.kind == "crash"]
    crashes = [crash for case in cases if (crash := _reduced(case, folder.absolute() / case.name))]
    click.echo(f"| {' | '.join(_COLUMNS)} |\n|{'---|' * len(_COLUMNS)}")
    for one, other in itertools.combinations(crashes, 2):
        alike = (one.case.tool, one.function) == (other.case.tool, other.function)
        if alike and one.function != NAMELESS:
            click.echo(f"| {' | '.join(_row(one, other))} |")


def _row(one: _Crash, other: _Crash) -> Sequence[str]:
    accepted = ["yes" if a.accepts(b) else "no" for a, b in ((one, other), (other, one))]
    return (
        f"`{one.function}`",
        f"{one.case.name} and {other.case.name}",
        "one" if one.bucket == other.bucket else "two",
        ", ".join(accepted),
    )


def _reduced(case: OptCase, place: Path) -> _Crash | None:
    """The crash after a reduction; None if there is no report."""
    if case.command is None:
        return None
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "input.mlir").write_text(case.text, encoding="utf-8")
    words = ["reduce", str(place / "input.mlir"), "-o", str(place / "reduced.mlir"), "-q",
             "--fresh", "--no-pass-level", "--", *case.command]  # fmt: skip
    subprocess.run([sys.executable, "-m", "reducer", *words], capture_output=True, check=False)
    report = place / "reduced" / "report"
    if not (report / "metadata.json").is_file():
        return None
    told = json.loads((report / "metadata.json").read_text(encoding="utf-8"))
    return _Crash(case, innermost(case), told["bucket"], report)


if __name__ == "__main__":
    main()
