"""Measure what the reducer itself takes for each candidate, next to other versions of it.

    python -m benchmarks.overhead [CHECKOUT...]

Reduces one program with a script that takes a few milliseconds, with this checkout and with each of
the others in turn, so that all see the same load. The columns: the wall time of everything, that of
each run, and the processor time of the reducer itself for each run, both after start-up, which is
measured on an input that ends at once. The last column is the script's own time when it is started
by nothing but a loop. The goal is at most 6 ms for each run beyond that.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click

_HERE = Path(__file__).parents[1]
_OPS, _EVERY = 600, 8
"""The ops of the program; every eighth is needed, so that many candidates are tried."""

_SCRIPT = """#!/bin/sh
test "$(grep -c 'math.sin' "$1")" -ge {needed}
"""
_TYPE = "tensor<8x16xf32>"


@dataclass(frozen=True)
class _Cost:
    """What one reduction cost: seconds of wall time, own processor seconds, runs of the script."""

    wall: float
    own: float
    runs: int


@click.command()
@click.argument("checkouts", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--calls", default=1_500, help="Runs of the script.", show_default=True)
@click.option("--iree", default="3.13.0", help="The compiler that prints generic form.")
@click.option("-j", "--jobs", default=1, show_default=True)
@click.option("--repeat", default=3, help="Reductions with each checkout.", show_default=True)
def main(checkouts: tuple[Path, ...], calls: int, iree: str, jobs: int, repeat: int) -> None:
    """Print one row for each reduction."""
    click.echo(f"{'checkout':32}{'runs':>6}{'wall s':>8}{'ms/run':>8}{'own ms':>8}{'script':>8}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        text, script = _program(_OPS, _EVERY), folder / "script.sh"
        (folder / "input.mlir").write_text(text, encoding="utf-8")
        script.write_text(_SCRIPT.format(needed=_OPS // _EVERY), encoding="utf-8")
        script.chmod(0o755)
        for _ in range(repeat):
            for checkout in (_HERE, *checkouts):
                words = ["--iree", iree, "-j", str(jobs), "--test", str(script)]
                start = _reduce(checkout, folder, [*words, "--max-calls", "1"])
                whole = _reduce(checkout, folder, [*words, "--max-calls", str(calls)])
                runs = whole.runs - start.runs
                alone = _alone(script, folder / "input.mlir")
                wall = 1000 * (whole.wall - start.wall) / runs
                own = 1000 * (whole.own - start.own) / runs
                click.echo(
                    f"{checkout!s:32}{whole.runs:>6}{whole.wall:>8.1f}{wall:>8.1f}{own:>8.2f}"
                    f"{1000 * alone:>8.1f}"
                )


def _program(ops: int, every: int) -> str:
    """A chain of ops in which every eighth is a sine."""
    lines = [f"func.func @main(%a: {_TYPE}, %b: {_TYPE}) -> {_TYPE} {{"]
    last, other = "%a", "%b"
    for number in range(ops):
        if number % every == every - 1:
            lines.append(f"  %{number} = math.sin {last} : {_TYPE}")
        else:
            name = ("arith.addf", "arith.mulf", "arith.subf")[number % 3]
            lines.append(f"  %{number} = {name} {last}, {other} : {_TYPE}")
        last, other = f"%{number}", last
    return "\n".join([*lines, f"  return {last} : {_TYPE}", "}", ""])


def _reduce(checkout: Path, folder: Path, words: list[str]) -> _Cost:
    """Reduce with the code of a checkout."""
    command = [
        sys.executable, "-m", "reducer", "reduce", str(folder / "input.mlir"), "--fresh",
        "-o", str(folder / "reduced.mlir"), "--json", str(folder / "report.json"), *words,
    ]  # fmt: skip
    (folder / "report.json").unlink(missing_ok=True)
    started = time.monotonic()
    # The folder that `python -m` runs in comes before whatever is installed.
    process = subprocess.Popen(
        command, cwd=checkout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, _, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - started
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    children = report["oracle"]["cpu_seconds"]
    own = usage.ru_utime + usage.ru_stime - children
    return _Cost(wall, own, report["oracle"]["calls"])


def _alone(script: Path, path: Path, times: int = 100) -> float:
    """The seconds that the script takes by itself."""
    started = time.monotonic()
    for _ in range(times):
        subprocess.run([script, path], check=False)
    return (time.monotonic() - started) / times


if __name__ == "__main__":
    main()
