"""Measure what noise does to a metric: false alarms and missed slowdowns, on a busy machine.

    python -m benchmarks.metric_noise [--alarms 200] [--slowdowns 20] [--busy 2]

Healthy programs are compared with themselves, the reference with a flag more that does nothing, so
that nothing that is measured serves both sides. For the slowdowns, passes are repeated as often as
it takes to be 1.3 times as slow, found out beforehand from the fastest of many runs. Half of each
are programs of `mlir-opt`, half of `iree-compile`.
"""

import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from os import cpu_count, getloadavg
from pathlib import Path

import click

from oracles import Command, CompilerOracle, Limits
from oracles.compilers.command import other_flags
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


class Tool:
    """A compiler, and how a pass is repeated in it."""

    def __init__(self, program: Path, flags: str, option: str, function: str, ops: int) -> None:
        self.program, self.flags, self.ops = program, tuple(flags.split()), ops
        self._option, self._function = option, function

    def repeated(self, count: int) -> str:
        """The flag that runs two passes so often."""
        passes = ",".join(["sccp", "cse"] * count)
        return f"{self._option}=builtin.module({self._function}({passes}))"

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
    return [
        Tool(Path("/usr/bin/mlir-opt-22"), "", "--pass-pipeline", "func.func", 4000),
        Tool(
            toolchain.compile,
            "--iree-hal-target-device=local --iree-hal-local-target-device-backends=llvm-cpu",
            "--iree-preprocessing-pass-pipeline",
            "util.func",
            1000,
        ),
    ]


@click.command()
@click.option("--alarms", default=200, show_default=True, help="Comparisons with themselves.")
@click.option("--slowdowns", default=20, show_default=True)
@click.option("--busy", default=cpu_count() or 1, show_default=True, help="Processes beside it.")
@click.option("--tool", type=int, multiple=True, help="Only mlir-opt (0) or iree-compile (1).")
@click.option("--to", default=RESULTS, show_default=True, type=click.Path(path_type=Path))
def main(alarms: int, slowdowns: int, busy: int, tool: tuple[int, ...], to: Path) -> None:
    """Compare, and append a line for each comparison."""
    tools = _tools()
    with _busy(busy), to.open("a", encoding="utf-8") as file:
        for number in tool or range(len(tools)):
            share = len(tool or tools)
            for row in _rows(tools[number], number, alarms // share, slowdowns // share):
                file.write(json.dumps(row) + "\n")
                file.flush()
    rows = [json.loads(line) for line in to.read_text(encoding="utf-8").splitlines()]
    for kind in ("healthy", "slower"):
        told = [row["worse"] for row in rows if row["kind"] == kind]
        print(f"{kind}: {sum(told)} of {len(told)} are called worse", file=sys.stderr)


@contextmanager
def _busy(count: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for one in loops:
            one.kill()


def _rows(tool: Tool, number: int, alarms: int, slowdowns: int) -> Iterator[dict[str, object]]:
    text = _random(tool.ops, 0)
    short, long = (_fastest(tool, count, text) for count in _CALIBRATED)
    each = (long - short) / (_CALIBRATED[1] - _CALIBRATED[0])
    nothing = _fastest(tool, 1, "func.func @empty() {\n  return\n}\n")
    more = round(_CALIBRATED[0] + (SLOWDOWN - 1) * (short - nothing) / each)
    for seed in range(slowdowns):
        text = _random(tool.ops, seed)
        oracle = tool.oracle((tool.repeated(more),), (tool.repeated(_CALIBRATED[0]),), text)
        yield _row("slower", tool, f"{more} for {_CALIBRATED[0]} of {seed}", oracle.run(text))
    for name, text in islice(_programs(number), alarms):
        flags = () if number else (tool.repeated(8),)
        outcome = tool.oracle(flags, (*flags, _NO_CHANGE), text).run(text)
        yield _row("healthy", tool, name, outcome)


def _fastest(tool: Tool, count: int, text: str) -> float:
    command = Command.parse([tool.program.name, *tool.flags, tool.repeated(count)])
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


def _programs(number: int) -> Iterator[tuple[str, str]]:
    if number == 0:
        yield from ((f"random {seed}", _random(3000 + 10 * seed, seed)) for seed in range(10**6))
    paths = sorted((Path(__file__).parent / "healthy").glob("*.mlir"))
    yield from cycle((path.stem, path.read_text(encoding="utf-8")) for path in paths)


def _random(ops: int, seed: int) -> str:
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
