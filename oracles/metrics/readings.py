"""Read what a compilation costs from what it printed and wrote.

A reading is a number for each part: a pass, a statistic, or '' for the whole.
"""

import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

FOLDER = "@FOLDER@"
"""Stands in flags for the folder of a run."""
OUTPUT = "output.bin"
"""The file in that folder with what is compiled."""


class NoNumber(ValueError):
    """A run does not show the number; the text says why."""


@dataclass(frozen=True)
class MeasuredRun:
    """What is left of a run: its folder, what it printed, its CPU seconds and peak memory."""

    folder: Path
    stdout: str
    stderr: str
    cpu_seconds: float
    peak_memory: int


# ---- IR after each pass ------------------------------------------------------------------------

_NO_SYMBOL = "no-symbol-name"
_OP = re.compile(rb"^\s*[%\"]", re.M)


@dataclass(frozen=True)
class LargestDump:
    """The IR after that run of a pass after which there were most ops.

    Attributes:
        ops: how many.
        before: how many there were on the same op before; None if no pass had run on it.
        place: the innermost op with a symbol that the pass ran on, as `func_func_NAME`.
    """

    ops: float
    before: float | None
    place: str

    @property
    def step(self) -> float:
        """How many ops it made of one; infinite if there was none before that is known."""
        return self.ops / self.before if self.before else math.inf


def largest_dumps(run: MeasuredRun) -> dict[str, LargestDump]:
    """The largest IR after each pass, in the order of the first runs.

    It is in files `OP/OP/0_1_PASS.mlir` in generic form, in which each op has a line that begins
    with its first result or its quoted name. The numbers are those of the runs.
    """
    dumps: dict[str, LargestDump] = {}
    last: dict[Path, float] = {}
    for _, name, path in sorted(_dumps(run.folder)):
        ops, before = float(len(_OP.findall(path.read_bytes()))), last.get(path.parent)
        last[path.parent] = ops
        if name not in dumps or ops > dumps[name].ops:
            inside = path.relative_to(run.folder / "ir").parent.parts
            place = next((one for one in reversed(inside) if not one.endswith(_NO_SYMBOL)), "")
            dumps[name] = LargestDump(ops, before, place)
    return dumps


def ops_after_passes(run: MeasuredRun, argument: str) -> dict[str, float]:
    """The most ops that there were after a run of each pass."""
    return {name: dump.ops for name, dump in largest_dumps(run).items()}


def _dumps(folder: Path) -> Iterator[tuple[list[int], str, Path]]:
    for path in folder.glob("ir/**/*.mlir"):
        numbers, name = re.fullmatch(r"((?:\d+_)*)(.*)\.mlir", path.name).groups()  # type: ignore[union-attr]
        yield [int(one) for one in numbers.split("_")[:-1]], name, path


# ---- what is printed ---------------------------------------------------------------------------

_TIME = re.compile(r"^\s*(?:\d+\.\d+ \([ \d.]+%\)\s+)*(\d+\.\d+) \([ \d.]+%\)\s+(\S.*)$", re.M)
_NO_PASS = re.compile(r"root|Parser|Output|Rest|Total|Pipeline Collection : .*|'.*' Pipeline")
_COUNTER = re.compile(r"^([\w-]+)\s*: \{(\d+),", re.M)


def seconds_of_passes(run: MeasuredRun, argument: str) -> dict[str, float]:
    """The CPU seconds of each pass in a list of `--mlir-timing`, as one thread sees them.

    What is printed is the time on the wall, a multiple of it on a busy machine.
    """
    by_pass: dict[str, float] = {}
    lines = [(line[2], float(line[1])) for line in _TIME.finditer(run.stderr + run.stdout)]
    wall = dict(lines).get("Total", 0.0)
    busy = min(1.0, run.cpu_seconds / wall) if wall else 1.0
    for name, seconds in lines:
        if not _NO_PASS.fullmatch(name):
            by_pass[name] = by_pass.get(name, 0.0) + seconds * busy
    return by_pass


def counted_actions(run: MeasuredRun, argument: str) -> dict[str, float]:
    """How often each of MLIR's debug counters was asked: patterns applied, folds, conversions."""
    return {name: float(count) for name, count in _COUNTER.findall(run.stderr + run.stdout)}


def statistics(run: MeasuredRun, argument: str) -> dict[str, float]:
    """The numbers of a JSON object, by their names."""
    start = run.stdout.find("{")
    with suppress(ValueError):
        return dict(_numbers(json.JSONDecoder().raw_decode(run.stdout[start:])[0]))
    return {}


def _numbers(value: object) -> Iterator[tuple[str, float]]:
    for name, one in value.items() if isinstance(value, dict) else ():
        if isinstance(one, int | float):
            yield name, float(one)
        yield from _numbers(one)


def printed_number(run: MeasuredRun, argument: str) -> dict[str, float]:
    """The last number on standard output.

    Raises:
        NoNumber: there is none.
    """
    found = re.findall(r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", run.stdout)
    if not found:
        raise NoNumber("no number on standard output")
    return {"": float(found[-1])}


# ---- what is written ---------------------------------------------------------------------------


def bytes_written(run: MeasuredRun, argument: str) -> dict[str, float]:
    """The size of what is compiled."""
    file = run.folder / OUTPUT
    return {"": float(file.stat().st_size)} if file.is_file() else {}


def matches_in_assembly(run: MeasuredRun, argument: str) -> dict[str, float]:
    """How often a pattern matches in the assembly; the sum of its first group if it has one.

    Raises:
        NoNumber: what the group matches is no number.
    """
    pattern = re.compile(argument, re.M)
    total = 0.0
    for path in sorted(run.folder.glob("files/**/*")):
        if path.suffix in (".s", ".rocmasm", ".ptx", ".ll") and path.is_file():
            for match in pattern.finditer(path.read_text(encoding="utf-8", errors="replace")):
                total += _number(match[1] or "0") if pattern.groups else 1.0
    return {"": total}


def _number(matched: str) -> float:
    try:
        return float(matched)
    except ValueError:
        raise NoNumber(
            f"the group matches '{matched}', which is not a number; a group (?:…) is not summed"
        ) from None


# ---- what a process costs ----------------------------------------------------------------------


def cpu_seconds(run: MeasuredRun, argument: str) -> dict[str, float]:
    """The CPU seconds of the process."""
    return {"": run.cpu_seconds}


def peak_memory(run: MeasuredRun, argument: str) -> dict[str, float]:
    """The most memory that the process had, in bytes."""
    return {"": float(run.peak_memory)}


READERS: dict[str, Callable[[MeasuredRun, str], dict[str, float]]] = {
    "ir-size": ops_after_passes,
    "rewrites": counted_actions,
    "dispatches": statistics,
    "statistics": statistics,
    "binary-size": bytes_written,
    "asm": matches_in_assembly,
    "peak-memory": peak_memory,
    "compile-time": cpu_seconds,
    "pass-time": seconds_of_passes,
    "run-time": cpu_seconds,
    "script": printed_number,
}
"""How each metric is read."""
