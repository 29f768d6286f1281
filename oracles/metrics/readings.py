"""Read what a compilation costs from what it printed and wrote.

A reading is a number for each part: a pass, a statistic, or '' for the whole.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from oracles.profiles import any_of

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
_OPENS = re.compile(r' *(?:%[^=]*= )?"(?P<name>[^"]+)".*\(\{$')
_SYMBOL = re.compile(r'sym_name = "([^"]*)"')
_SERIALIZING = re.compile(any_of(lambda profile: profile.serializing_passes))


@dataclass(frozen=True)
class PassDump:
    """The IR that a pass leaves, in sum over all ops that it runs on.

    Attributes:
        ops: the most ops.
        added: how many more these are than it got, over all its runs; None if it is the first.
        place: the innermost op with a symbol in which there are most, as `func_func_NAME`.
    """

    ops: float
    added: float | None
    place: str

    @property
    def received(self) -> float:
        """How many ops it got; as many as it leaves if that is not known."""
        return self.ops - (self.added or 0.0)


class Dumps:
    """The IR after each pass, from files `OP/OP/0_1_PASS.mlir` in generic form.

    Each op has a line there that begins with its first result or its quoted name. The numbers are
    those of the runs. What a pass gets is what the last one on the same op has left, or one on an
    op around it.

    Attributes:
        passes: by name, in the order of the first runs.
        end: the ops of the whole program, before they become machine code.
    """

    def __init__(self, run: MeasuredRun) -> None:
        self._ops: dict[tuple[str, ...], float] = {}
        self._texts: dict[tuple[str, ...], Path] = {}
        most: dict[str, dict[tuple[str, ...], float]] = {}
        added: dict[str, list[float | None]] = {}
        self.end, is_ir = 0.0, True
        for _, name, path in sorted(_dumps(run.folder)):
            place, ops = path.relative_to(run.folder / "ir").parent.parts, _ops_in(path)
            added.setdefault(name, []).append(self._left(place, path, ops))
            places = most.setdefault(name, {})
            places[place] = max(ops, places.get(place, 0.0))
            if is_ir := is_ir and not _SERIALIZING.fullmatch(name):
                self.end = math.fsum(n for key, n in self._ops.items() if not self._around(key))
        self.passes = {name: _dump(most[name], added[name]) for name in most}

    def beside(self, own: "Dumps") -> dict[str, float]:
        """The most ops after each pass, also of the other compilation; as '', at the end."""
        names = dict.fromkeys([*self.passes, *own.passes])
        found = {name: counterpart(name, own.passes, self.passes) for name in names}
        ops = {name: dump.ops for name, dump in found.items() if dump}
        return {**ops, "": self.end} if ops else {}

    def _left(self, place: tuple[str, ...], path: Path, ops: float) -> float | None:
        """How many ops a pass has added to an op; None if it is the first of all."""
        around = self._around(place)
        if place not in self._ops and (inside := next(filter(self._texts.get, around[::-1]), None)):
            for below, many in _ops_inside(self._texts.pop(inside)).items():
                self._ops.setdefault((*inside, *below), many)
        before = self._ops.get(place)
        known = [key for key in self._ops if key[: len(place)] == place and not self._around(key)]
        if before is None and known and not around:  # what is not known there is taken for the same
            now = _ops_inside(path)
            grown = (now.get(key[len(place) :], 0.0) - self._ops[key] for key in known)
            before = ops - math.fsum(grown)
        for key in [key for key in self._ops if key[: len(place)] == place]:
            del self._ops[key]
            self._texts.pop(key, None)
        self._ops[place], self._texts[place] = ops, path
        if before is None:  # one that was not in those around it may be a new one
            return 0.0 if around else None
        for key in around:
            self._ops[key] += ops - before
        return ops - before

    def _around(self, place: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The ops around one that are known, from the outside in."""
        return [key for depth in range(1, len(place)) if (key := place[:depth]) in self._ops]


def _ops_in(path: Path) -> float:
    return float(len(_OP.findall(path.read_bytes())))


def _ops_inside(path: Path) -> dict[tuple[str, ...], float]:
    """How many ops there are in each op with a region, itself too, by the names on the way to it.

    Those of the same name count together.
    """
    found: dict[tuple[str, ...], float] = {}
    around: list[tuple[str, ...]] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        first = line.lstrip()[:1]
        if first in ("%", '"'):
            if opens := _OPENS.match(line):
                symbol = _SYMBOL.search(line)
                name = f"{opens['name'].replace('.', '_')}_{symbol[1] if symbol else _NO_SYMBOL}"
                around.append((*(around[-1] if around else ()), name))
            for key in around:
                found[key] = found.get(key, 0.0) + 1
        if line.lstrip().startswith("})") and around:
            around.pop()
    return {key[1:]: many for key, many in found.items() if key[1:]}


def _dump(most: dict[tuple[str, ...], float], added: list[float | None]) -> PassDump:
    """What is known of a pass: `most` that it leaves of each op, and what each run `added`."""
    depths = {len(place) for place in most}  # what it leaves of an op is part of those around it
    ops = max(math.fsum(n for at, n in most.items() if len(at) == depth) for depth in depths)
    largest = max(most, key=lambda place: most[place])
    named = (one for one in reversed(largest) if not one.endswith(_NO_SYMBOL))
    known = [one for one in added if one is not None]
    return PassDump(ops, math.fsum(known) if known else None, next(named, ""))


def counterpart(
    name: str, own: Mapping[str, PassDump], other: Mapping[str, PassDump]
) -> PassDump | None:
    """The same pass of another compilation; one at its place that gets most nearly as much."""
    if name in other:
        return other[name]
    names, others = list(own), list(other)
    for _, low, high, first, end in SequenceMatcher(None, names, others, False).get_opcodes():
        if low <= names.index(name) < high and first < end:
            each = (other[one] for one in others[first:end])
            return min(each, key=lambda one: abs(one.received - own[name].received))
    return None


def ops_after_passes(run: MeasuredRun, argument: str) -> dict[str, float]:
    """The most ops that there are after each pass, and, as '', at the end."""
    dumps = Dumps(run)
    return dumps.beside(dumps)


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
