"""Check that a busy machine changes nothing but figures.

    python -m benchmarks.load                      three small corpus cases
    python -m benchmarks.load CASE... --loops 16   others, beside more busy loops
    python -m benchmarks.load --input FILE -- iree-compile FLAGS

Each input is reduced with one worker, first beside whatever else runs and then beside busy loops.
The bytes of the result, the places where candidates had to do as the input does, the statement
about other places and the report must be equal. Durations and counts of runs are figures.
"""

import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tests.support.corpus import load_case

CASES = ("treshape-index-abi", "batch-matmul-20548", "sdpa-scale-legalize")
_FIGURES = re.compile(r"\b\d[\d,.]* (?:s\b|ms\b|seconds|compiler runs|runs?\b)|\b\d+:\d\d\b")


@dataclass(frozen=True)
class Ending:
    """What a reduction gives, and how long it took."""

    result: bytes
    health: dict[str, Any]
    report: str
    seconds: float
    runs: int

    @property
    def conditions(self) -> list[tuple[str, str]]:
        places = self.health.get("places", ())
        return [(one["name"], one["health"]) for one in places if one["required"]]


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("names", nargs=-1, type=click.UNPROCESSED)
@click.option("--input", "file", type=click.Path(exists=True, path_type=Path))
@click.option("--loops", default=8, show_default=True, help="How many processors are kept busy.")
def main(names: tuple[str, ...], file: Path | None, loops: int) -> None:
    """Print one row for each input; exit with 1 if anything differs."""
    jobs = (
        [(file.name, file.read_text(encoding="utf-8"), ("--", *names))]
        if file
        else list(_cases(names or CASES))
    )
    click.echo("| input | idle s | busy s | runs | result | conditions | elsewhere | report |")
    click.echo("|---|---:|---:|---:|---|---|---|---|")
    differs = False
    for name, text, command in jobs:
        idle = _reduce(text, command)
        with busy(loops):
            full = _reduce(text, command)
        same = (
            idle.result == full.result,
            idle.conditions == full.conditions,
            idle.health.get("text") == full.health.get("text"),
            idle.report == full.report,
        )
        words = " | ".join("same" if one else "DIFFERS" for one in same)
        runs = f"{idle.runs}, {full.runs}" if idle.runs != full.runs else f"{idle.runs}"
        click.echo(f"| {name} | {idle.seconds:.0f} | {full.seconds:.0f} | {runs} | {words} |")
        differs |= not all(same)
    sys.exit(differs)


def _cases(names: Sequence[str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for name in names:
        case = load_case(name)
        run = case.runs[0]
        text = (case.folder / (run.expert or "expert.mlir")).read_text(encoding="utf-8")
        yield name, text, ("--iree", run.wheel, "--", run.program, *run.flags)


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keep so many processors busy in the body of the `with`."""
    spinning = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(loops)]
    for one in spinning:
        one.start()
    try:
        yield
    finally:
        for one in spinning:
            one.kill()


def _spin() -> None:
    parent = os.getppid()
    while os.getppid() == parent:
        for _ in range(1_000_000):
            pass


def _reduce(text: str, command: Sequence[str]) -> Ending:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "input.mlir").write_text(text, encoding="utf-8")
        started = time.monotonic()
        reduce = ("reduce", "input.mlir", "-j", "1", "--json", "out.json", *command)
        subprocess.run(
            [sys.executable, "-P", "-m", "reducer", *reduce],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        seconds = time.monotonic() - started
        told = json.loads((folder / "out.json").read_text(encoding="utf-8"))
        reports = [*folder.glob("input.reduced/**/report.md")]
        report = reports[0].read_text(encoding="utf-8") if reports else ""
        return Ending(
            (folder / "input.reduced.mlir").read_bytes(),
            told.get("health") or {},
            _FIGURES.sub("…", report),
            seconds,
            told["oracle"]["calls"],
        )


if __name__ == "__main__":
    main()
