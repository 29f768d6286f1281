"""Triage the operator tests of ONNX and compare the buckets with the known bugs.

    python -m benchmarks.onnx_operators FOLDER          from nothing, with reductions
    python -m benchmarks.onnx_operators FOLDER --keep   go on with what the last run has

FOLDER is `onnx_ops` of iree-org/iree-test-suites, or any selection of its tests: a folder for each,
with a `model.mlir`. They are compiled on IREE 3.13.0 with the flags that the suite uses for the
CPU, and the buckets are compared with `onnx_truth.toml`. A failing test that is not there is listed
and does not count.
"""

import resource
import shutil
import tomllib
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from benchmarks.triage_corpus import Failure, Score, table, triage

VERSION = "3.13.0"
FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-input-demote-f64-to-f32=false",
)
TRUTH = Path(__file__).with_name("onnx_truth.toml")
_UNKNOWN = "?"


@click.command()
@click.argument("models", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--jobs", default=2, show_default=True, help="Compilers at once.")
@click.option("--no-reduce", is_flag=True)
@click.option("--keep", is_flag=True, help="Use the database of the last run.")
@click.option("--folder", default="build/onnx", show_default=True, type=click.Path(path_type=Path))
def main(models: Path, jobs: int, no_reduce: bool, keep: bool, folder: Path) -> None:
    """Triage MODELS and print the buckets, their score, and the pairs that are wrong."""
    if not keep:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    words = [
        models, "--iree", VERSION, "--db", folder / "triage.sqlite", "--jobs", jobs,
        "--timeout", 120, *(["--no-reduce"] if no_reduce else []),
    ]  # fmt: skip
    report = triage(words, folder / "report.json", FLAGS)
    score = score_of(report)
    click.echo(table(score))
    for pair in wrong_pairs(score):
        click.echo(pair)
    unknown = sorted({one.name for one in score.failures if one.bug == _UNKNOWN})
    if unknown:
        click.echo(f"Not in {TRUTH.name}: {', '.join(unknown)}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    click.echo(
        f"{report['results']} models, {len(score.failures)} failures; {report['compiler_runs']} "
        f"compiler runs and {report['reduction_calls']} reduction calls; "
        f"{(used.ru_utime + used.ru_stime) / 60:.1f} CPU minutes."
    )


def truth() -> dict[str, str]:
    """The bug of each test."""
    bugs = tomllib.loads(TRUTH.read_text(encoding="utf-8"))
    return {test: bug for bug, tests in bugs.items() for test in tests}


def score_of(report: dict[str, Any]) -> Score:
    """The failures of a report, each with its actual bug."""
    known = truth()
    score = Score([])
    for bug in report["bugs"]:
        score.rows[bug["bucket"]] = bug
        for one in bug["failures"]:
            name = Path(one["input"]).parent.name
            label = known.get(name, _UNKNOWN)
            score.failures.append(Failure(name, VERSION, bug["bucket"], label))
    return score


def wrong_pairs(score: Score) -> Iterator[str]:
    """Each two bugs that share a bucket, and each two buckets that share a bug, once."""
    counts: dict[str, int] = {}
    for one, other in combinations(score.known, 2):
        if (one.bug == other.bug) != (one.bucket == other.bucket):
            bugs = " and ".join(sorted({one.bug, other.bug}))
            buckets = " and ".join(sorted({one.bucket, other.bucket}))
            line = f"{bugs} in {buckets}"
            counts[line] = counts.get(line, 0) + 1
    yield from (f"{line}: {number} pairs" for line, number in sorted(counts.items()))


if __name__ == "__main__":
    main()
