"""Measure what noise does to a metric: false alarms and missed slowdowns, on a busy machine.

    python -m benchmarks.metric_noise [--alarms 200] [--slowdowns 20] [--busy 2]

Healthy programs are compared with themselves, the reference with a flag more that does nothing, so
that nothing that is measured serves both sides. For the slowdowns, passes are repeated as often as
it takes to be 1.3 times as slow, found out beforehand from the fastest of many runs. The tools are
`mlir-opt` and `iree-opt`, and for healthy programs `iree-compile` as well.
"""

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, cycle, islice
from os import cpu_count, getloadavg
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from oracles import Command, CompilerOracle, Limits
from oracles.compilers.command import other_flags
from oracles.metrics.comparison import EMPTY
from oracles.metrics.metric import metric_named
from oracles.metrics.oracle import MetricOracle, Reference
from oracles.signature.outcome import Outcome
from reducer.toolchain import find

SLOWDOWN = 1.3
RELEASE = "3.13.0"
RESULTS = Path(__file__).with_name("metric_noise.jsonl")
_NO_CHANGE = "--mlir-print-op-on-diagnostic=false"
_LIMITS = Limits(seconds=120)
_CALIBRATED = (20, 60)
"""How often the pass runs in the reference, and in the longer run that tells what one costs."""


@dataclass(frozen=True)
class Tool:
    """A compiler; one that runs passes can be made slower."""

    program: Path
    flags: tuple[str, ...] = ()

    @property
    def runs_passes(self) -> bool:
        return not self.flags

    def repeated(self, count: int) -> str:
        """The flag that runs two passes so often."""
        passes = ",".join(["cse", "canonicalize"] * count)
        return f"--pass-pipeline=builtin.module(func.func({passes}))"

    def oracle(self, flags: Sequence[str], other: Sequence[str], text: str) -> MetricOracle:
        """The comparison of a program with these flags to other ones."""
        command = Command.parse([self.program.name, *self.flags, *flags])
        compiler = CompilerOracle(command, self.program, limits=_LIMITS)
        reference = Reference(
            f"flags:{' '.join(other)}",
            of=lambda one: one.with_command(other_flags(one.command, [*self.flags, *other])),
        )
        metric = metric_named("compile-time")
        return MetricOracle(metric, compiler, reference, text, shown=lambda _: [])


def _tools() -> list[Tool]:
    toolchain = find(RELEASE)
    assert toolchain is not None, f"mlir-reducer toolchain install {RELEASE}"
    target = "--iree-hal-target-device=local --iree-hal-local-target-device-backends=llvm-cpu"
    return [
        Tool(Path("/usr/bin/mlir-opt-22")),
        Tool(toolchain.opt),
        Tool(toolchain.compile, tuple(target.split())),
    ]


@click.command()
@click.option("--alarms", default=200, show_default=True, help="Comparisons with themselves.")
@click.option("--slowdowns", default=20, show_default=True)
@click.option("--busy", default=cpu_count() or 1, show_default=True, help="Processes beside it.")
@click.option("--tool", type=int, multiple=True, help="Only this one of the three.")
@click.option("--raw", default="build/metric_noise.jsonl", show_default=True,
              type=click.Path(path_type=Path), help="All comparisons.")  # fmt: skip
def main(alarms: int, slowdowns: int, busy: int, tool: tuple[int, ...], raw: Path) -> None:
    """Compare, and count what is called worse in all comparisons so far."""
    tools = _tools()
    raw.parent.mkdir(parents=True, exist_ok=True)
    with _busy(busy), raw.open("a", encoding="utf-8") as file:
        for number in tool or range(len(tools)):
            share = len(tool or tools)
            for row in _rows(tools[number], alarms // share, slowdowns // min(share, 2)):
                file.write(json.dumps(row) + "\n")
                file.flush()
    rows = [json.loads(line) for line in raw.read_text(encoding="utf-8").splitlines()]
    RESULTS.write_text("".join(json.dumps(one) + "\n" for one in _counted(rows)), encoding="utf-8")


def _counted(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for kind, tool in sorted({(row["kind"], row["tool"]) for row in rows}):
        these = [row for row in rows if (row["kind"], row["tool"]) == (kind, tool)]
        yield {
            "kind": kind,
            "tool": tool,
            "worse": sum(row["worse"] for row in these),
            "of": len(these),
            "pairs": round(fmean(row["pairs"] for row in these), 1),
            "greatest": max(row["ratio"] for row in these),
            "least": min(row["ratio"] for row in these),
            "load": round(fmean(row["load"] for row in these), 1),
        }


@contextmanager
def _busy(processes: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for one in loops:
            one.kill()


def _rows(tool: Tool, alarms: int, slowdowns: int) -> Iterator[dict[str, object]]:
    if tool.runs_passes and slowdowns:
        text = _random(0)
        short, long = (_fastest(tool, times, text) for times in _CALIBRATED)
        each = (long - short) / (_CALIBRATED[1] - _CALIBRATED[0])
        nothing = _fastest(tool, 1, EMPTY)
        more = round(_CALIBRATED[0] + (SLOWDOWN - 1) * (short - nothing) / each)
        for seed in range(slowdowns):
            text = _random(seed)
            oracle = tool.oracle((tool.repeated(more),), (tool.repeated(_CALIBRATED[0]),), text)
            yield _row("slower", tool, f"{more} for {_CALIBRATED[0]} of {seed}", oracle.run(text))
    flags = (tool.repeated(8),) if tool.runs_passes else ()
    for name, text in islice(_programs(tool), alarms):
        outcome = tool.oracle(flags, (*flags, _NO_CHANGE), text).run(text)
        yield _row("healthy", tool, name, outcome)


def _fastest(tool: Tool, times: int, text: str) -> float:
    command = Command.parse([tool.program.name, *tool.flags, tool.repeated(times)])
    compiler = CompilerOracle(command, tool.program, limits=_LIMITS)
    compiler = compiler.with_extra_flags(("--mlir-disable-threading",))
    runs = [compiler.execute(text) for _ in range(12)]
    assert all(run.exit_code == 0 for run in runs), runs[0].stderr
    return min(run.cpu_seconds for run in runs)


def _row(kind: str, tool: Tool, name: str, outcome: Outcome) -> dict[str, object]:
    numbers = {key: round(value, 3) for key, value in outcome.numbers}
    return {
        "kind": kind,
        "tool": tool.program.name,
        "program": name,
        "worse": bool(outcome.failed),
        "load": round(getloadavg()[0], 1),
        **{key: numbers.get(key) for key in ("ratio", "low", "high", "pairs", "reference")},
    }


# ---- programs ----------------------------------------------------------------------------------


def _programs(tool: Tool) -> Iterator[tuple[str, str]]:
    if tool.runs_passes:
        yield from ((f"random {seed}", _random(seed)) for seed in count())
    paths = sorted((Path(__file__).parent / "healthy").glob("*.mlir"))
    yield from cycle((path.stem, path.read_text(encoding="utf-8")) for path in paths)


def _random(seed: int, ops: int = 4000) -> str:
    """A function of random ops on integers."""
    choose = random.Random(seed).choice
    values = ["%a", "%b"]
    lines = []
    for number in range(ops):
        op = choose(("addi", "muli", "xori", "subi", "maxsi"))
        one, other = choose(values[-30:]), choose(values[-30:])
        lines.append(f"  %{number} = arith.{op} {one}, {other} : i32")
        values.append(f"%{number}")
    body = "\n".join(lines)
    return f"func.func @f(%a: i32, %b: i32) -> i32 {{\n{body}\n  return {values[-1]} : i32\n}}\n"


if __name__ == "__main__":
    main()
