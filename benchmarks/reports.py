"""Make the bug report of every corpus case and run its `repro.sh` in an empty folder.

python -m benchmarks.reports                    every case and wheel, from the expert's input
python -m benchmarks.reports cat-zero-width     one case
python -m benchmarks.reports --healthy          also with a compiler that does not fail
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from oracles import Kind
from reducer.report.writing import MAX_ARCHIVE_BYTES
from reducer.toolchain import install
from tests.support.corpus import TRITON, Case, Run, case_names, load_case

COLUMNS = (
    "case", "wheel", "kind", "repro.sh", "healthy", "lit", "report.md lines", "zip bytes", "title"
)  # fmt: skip
_PATIENCE = 300.0  # seconds


@dataclass(frozen=True)
class Row:
    """One report. `here` and `healthy` are exit statuses of `repro.sh`; None if it was not run.

    If a healthy compiler does not know a flag of the command, the script exits with 2.
    """

    case: str
    wheel: str
    kind: str
    made: int
    here: int | None = None
    healthy: int | None = None
    lit: bool = False
    lines: int = 0
    bytes: int = 0
    title: str = ""

    @property
    def good(self) -> bool:
        return self.here == 0 and self.healthy != 0 and self.bytes <= MAX_ARCHIVE_BYTES


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option(
    "--folder", default="build/reports", show_default=True, type=click.Path(path_type=Path)
)
@click.option("--healthy", is_flag=True, help="Also run it with a wheel that compiles the case.")
def main(names: tuple[str, ...], folder: Path, healthy: bool) -> None:
    """Make the reports and print a table."""
    if unknown := set(names) - set(case_names()):
        raise click.BadParameter(f"no such case: {', '.join(sorted(unknown))}")
    rows = []
    for case, run in _selected(names or case_names()):
        row = measure(case, run, folder / f"{case.name}-{run.wheel}", healthy)
        rows.append(row)
        click.echo(f"{row.case} {row.wheel}: {'good' if row.good else 'BAD'}", err=True)
    click.echo(table(rows))


def _selected(names: Sequence[str]) -> Iterator[tuple[Case, Run]]:
    for case in map(load_case, names):
        for run in case.runs:
            if case.expert(run) is not None and run.package != TRITON:
                yield case, run


def measure(case: Case, run: Run, folder: Path, healthy: bool) -> Row:
    """Make one report from the expert's input, and run its script on two compilers."""
    expert = case.expert(run)
    assert expert is not None
    folder.mkdir(parents=True, exist_ok=True)
    words = _question(case, run)
    made = subprocess.run(
        [sys.executable, "-m", "reducer", "report", str(expert), "-o", str(folder / "report"),
         "--iree", run.wheel, *words, "--", run.program, *run.flags],
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
    )  # fmt: skip
    archive = folder / "report.zip"
    if made.returncode not in (0, 4) or not archive.is_file():
        return Row(case.name, run.wheel, run.kind, made.returncode, title=made.stderr[-120:])
    text = (folder / "report" / "report.md").read_text(encoding="utf-8")
    first = run is case.runs[0]  # the healthy releases are those of the first run
    other = case.healthy[-1] if healthy and case.healthy and first else None
    return Row(
        case.name,
        run.wheel,
        run.kind,
        made.returncode,
        _run(archive, run.wheel, run.kind),
        _run(archive, other, run.kind) if other else None,
        (folder / "report" / "repro.lit.mlir").is_file(),
        text.count("\n"),
        archive.stat().st_size,
        text.partition("\n")[0].removeprefix("<!-- Title: ").removesuffix(" -->"),
    )


def _question(case: Case, run: Run) -> list[str]:
    """Options that define the failure, if it is more than a compiler error."""
    words = ["--wrong-results"] if run.kind == "miscompile" else []
    if case.execution is not None:
        words += [word for word in case.execution.arguments if word.startswith("--input")]
    for option, value in (
        ("--timeout", run.timeout),
        ("--memory-limit", run.memory),
        ("--match", run.match),
    ):
        words += [] if value is None else [option, str(value)]
    return words


def _run(archive: Path, wheel: str, kind: str) -> int:
    """The exit status of the script after unpacking it in an empty folder."""
    toolchain = install(wheel, runtime=Kind(kind).traits.wrong_results)
    with tempfile.TemporaryDirectory() as place, zipfile.ZipFile(archive) as packed:
        packed.extractall(place)
        (script,) = Path(place).glob("*/repro.sh")
        environment = {
            **os.environ,
            "IREE_COMPILE": str(toolchain.compile),
            "IREE_OPT": str(toolchain.opt),
            "IREE_RUN_MODULE": str(toolchain.run_module),
        }
        done = subprocess.run(
            ["sh", str(script)], cwd=place, env=environment, capture_output=True, timeout=_PATIENCE
        )
    return done.returncode


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table with a summary below."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    lines += ["| " + " | ".join(_cells(row)) + " |" for row in rows]
    good = sum(row.good for row in rows)
    return "\n".join([*lines, "", f"{good} of {len(rows)} reports hold in an empty folder."])


def _cells(row: Row) -> list[str]:
    return [
        row.case,
        row.wheel,
        row.kind,
        "-" if row.here is None else str(row.here),
        "-" if row.healthy is None else str(row.healthy),
        "yes" if row.lit else "no",
        str(row.lines),
        str(row.bytes),
        row.title.replace("|", "\\|"),
    ]


if __name__ == "__main__":
    main()
