"""The cost of the first accepted step and of the pass level, from finished corpus reductions.

    python -m benchmarks.reduce_corpus     runs the reductions
    python -m benchmarks.stages            prints how each one located the failure

For each case: how much of the input the first accepted candidate left, and after how many oracle
calls; the cost of the whole reduction in units of a run of the whole input; and the pass-level
reproducer: its pass, size, calls, and whether a fresh run of its command verified it.
"""

import json
from pathlib import Path
from typing import Any

import click

from reducer.driver.records.history import reading

COLUMNS = (
    "case", "ops", "first step", "gone", "calls", "full runs", "pass level", "lines", "calls",
)  # fmt: skip


@click.command()
@click.option("--folder", default="build/bench", show_default=True, type=click.Path(path_type=Path))
def main(folder: Path) -> None:
    """Print one row for each finished reduction."""
    rows = [_row(path.parent) for path in sorted(folder.glob("*/report.json"))]
    widths = [max(len(row[n]) for row in [COLUMNS, *rows]) for n in range(len(COLUMNS))]
    for row in [COLUMNS, *rows]:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))


def _row(folder: Path) -> tuple[str, ...]:
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    before = report["input"]["ops"]
    ops, calls = _first_step(folder / "reduced" / "journal")
    return (
        folder.name,
        f"{before:,}",
        f"{ops:,}",
        f"{100 * (1 - ops / before):.1f}%",
        str(calls),
        f"{report['oracle']['full_run_equivalents']:.2f}",
        *_pass_level(report.get("pass_level")),
    )


def _first_step(journal: Path) -> tuple[int, int]:
    """Ops left by the first accepted candidate, and the calls up to it."""
    with reading(journal) as reader:
        moments = reader.history().moments
    return (moments[0].ops, moments[0].spent.calls) if moments else (0, 0)


def _pass_level(report: dict[str, Any] | None) -> tuple[str, str, str]:
    if report is None:
        return ("none", "", "")
    pipeline = report["pipeline"] or "the IR is invalid as it is"
    verified = "" if report["verified"] else "NOT VERIFIED: "
    lines, calls = report["output"]["lines"], report["oracle"]["calls"]
    return (f"{verified}{pipeline}"[:90], str(lines), str(calls))


if __name__ == "__main__":
    main()
