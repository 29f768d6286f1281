"""Triage the whole corpus and compare the buckets with the known bugs.

    python -m benchmarks.triage_corpus
    python -m benchmarks.triage_corpus --layers 3     triggers planted in small healthy modules
    python -m benchmarks.triage_corpus --no-reduce

Every case is compiled on every wheel with its own flags, and the buckets are compared with the
ground truth (`triage_truth.toml`). Then the same triage is repeated, which must not run a compiler
again. The working folder keeps the database, so an interrupted benchmark resumes.
"""

import json
import shlex
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from benchmarks.plant import plant
from tests.support.corpus import Case, cases

WHEELS = "3.13.0,3.8.0,3.3.0"
TRUTH = Path(__file__).with_name("triage_truth.toml")
_UNKNOWN = "?"


@dataclass(frozen=True)
class Failure:
    """An input that fails on a wheel: its bucket, and its actual bug."""

    name: str
    wheel: str
    bucket: str
    bug: str


@dataclass
class Score:
    """How well the buckets match the bugs."""

    failures: list[Failure]
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def known(self) -> list[Failure]:
        return [one for one in self.failures if one.bug != _UNKNOWN]

    def exact(self) -> set[str]:
        """Bugs that have exactly one bucket, which contains no other bug."""
        pairs = {(one.bug, one.bucket) for one in self.known}
        buckets = Counter(bug for bug, _ in pairs)
        bugs = Counter(bucket for _, bucket in pairs)
        return {bug for bug, bucket in pairs if buckets[bug] == bugs[bucket] == 1}

    def pairs(self) -> tuple[float, float]:
        """Precision and recall over pairs of failures."""
        together = same = both = 0
        for one, other in combinations(self.known, 2):
            together += one.bucket == other.bucket
            same += one.bug == other.bug
            both += one.bucket == other.bucket and one.bug == other.bug
        return both / max(1, together), both / max(1, same)


@click.command()
@click.option("--wheels", default=WHEELS, show_default=True)
@click.option("--layers", default=0, show_default=True, help="Plant triggers in so many layers.")
@click.option("--jobs", default=2, show_default=True, help="Compilers at once.")
@click.option("--timeout", default=60, show_default=True, help="Seconds of one run.")
@click.option("--max-calls", default=400, show_default=True, help="Budget of one reduction.")
@click.option("--no-reduce", is_flag=True)
@click.option(
    "--folder", default="build/triage", show_default=True, type=click.Path(path_type=Path)
)
def main(
    wheels: str, layers: int, jobs: int, timeout: int, max_calls: int, no_reduce: bool, folder: Path
) -> None:
    """Triage the corpus twice and print a table."""
    inputs = folder / f"inputs-{layers}"
    write_inputs(inputs, layers)
    words = [
        inputs, "--iree", wheels, "--flags-file", inputs / "flags", "--jobs", jobs, "--timeout",
        timeout, "--max-calls", max_calls, *(["--no-reduce"] if no_reduce else []),
    ]  # fmt: skip
    first = triage(words, folder / "first.json")
    second = triage(words, folder / "second.json")
    click.echo(table(score_of(first)))
    click.echo(
        f"First run: {first['compiler_runs']} compiler runs to sort and compare, "
        f"{first['reduction_calls']} to reduce, of which {first['parting_calls']} "
        f"({first['parting_cpu_seconds']:.0f} CPU s) to part what prints the same. "
        f"Second run: {second['compiler_runs']} and {second['reduction_calls']}; "
        f"states {second['states']}."
    )


def triage(words: Iterable[object], target: Path, flags: Sequence[str] = ()) -> dict[str, Any]:
    """The report of one run of the program; `flags` are those of the compiler."""
    command = [sys.executable, "-m", "reducer", "triage", *map(str, words), "--json", str(target)]
    command += [*(["--", *flags] if flags else [])]
    code = subprocess.run(command, check=False).returncode
    if code:
        raise click.ClickException(f"triage ended with {code}: {shlex.join(command)}")
    report: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return report


def write_inputs(folder: Path, layers: int) -> None:
    """Write the experts' inputs of all cases (planted if possible), and the flags for each."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: dict[str, None] = {}
    for case in cases():
        for run in case.runs:
            expert = case.expert(run)
            if expert is None or run.program != "iree-compile" or run.match:
                continue
            name = _name(case, expert)
            text = expert.read_text(encoding="utf-8")
            (folder / f"{name}.mlir").write_text(
                _planted(text, layers) if layers else text, encoding="utf-8"
            )
            lines[f"{name}.mlir: {shlex.join(as_newest(run.flags))}"] = None
    (folder / "flags").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _planted(text: str, layers: int) -> str:
    """The trigger in the middle of a healthy module, or alone if it cannot be planted."""
    try:
        return plant(text, layers)
    except ValueError:
        return text


def _name(case: Case, expert: Path) -> str:
    return case.name if expert.stem == "expert" else f"{case.name}--{expert.stem}"


def as_newest(flags: Iterable[str]) -> list[str]:
    """One spelling of the flags for all runs of a case; triage translates it for each compiler."""
    return [flag.replace("--iree-hip-", "--iree-rocm-") for flag in flags]


# ---- ground truth --------------------------------------------------------------------------


def truth() -> dict[tuple[str, str], str]:
    """The bug of each case on each wheel; '' stands for all wheels that are not listed."""
    found = {}
    for bug, entries in tomllib.loads(TRUTH.read_text(encoding="utf-8")).items():
        for entry in entries:
            name, *wheels = entry.split(" @")
            for wheel in wheels or [""]:
                found[name, wheel] = bug
    return found


def score_of(report: dict[str, Any]) -> Score:
    """The failures of a report, each with its actual bug."""
    known = truth()
    score = Score([])
    for bug in report["bugs"]:
        score.rows[bug["bucket"]] = bug
        for one in bug["failures"]:
            name, wheel = Path(one["input"]).stem, one["configuration"].split()[0]
            label = known.get((name, wheel)) or known.get((name, "")) or _UNKNOWN
            score.failures.append(Failure(name, wheel, bug["bucket"], label))
    return score


def table(score: Score) -> str:
    """One row per bucket, and totals below."""
    lines = [
        "| bucket | signature | bugs in it | inputs | wheels | merged | ops | calls | right |",
        "|---|---|---|--:|---|--:|--:|--:|---|",
    ]
    exact = score.exact()
    for name, row in score.rows.items():
        mine = [one for one in score.failures if one.bucket == name]
        bugs = sorted({one.bug for one in mine})
        wheels = sorted({one.wheel for one in mine}, key=lambda wheel: wheel.split(".")[1].zfill(3))
        one = row["reproducer"] or {}
        cells = [
            name,
            row["signature"].replace("|", "\\|")[:60],
            ", ".join(bugs),
            str(len({failure.name for failure in mine})),
            " ".join(wheels),
            str(len(row["merged"]) or ""),
            f"{one['input_ops']} → {one['ops']}" if one.get("text") else "-",
            str(one.get("calls", "-")),
            "yes" if set(bugs) <= exact else "no",
        ]
        lines.append("| " + " | ".join(cells) + " |")
    bugs_known = {one.bug for one in score.known}
    precision, recall = score.pairs()
    lines += [
        "",
        f"{len(bugs_known)} bugs, {len(score.rows)} buckets; {len(exact)} bugs have a bucket of "
        f"their own. Pairs of failures: precision {precision:.3f}, recall {recall:.3f}.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
