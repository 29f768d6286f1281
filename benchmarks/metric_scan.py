"""Find what a release of IREE makes worse: the numbers of each program over several releases.

    python -m benchmarks.metric_scan [FOLDER]...          measure, and write metric_scan.jsonl
    python -m benchmarks.metric_scan --no-measure         from what has been measured before

The programs are those of the corpus and of `healthy/`, and the files of the folders: `*.mlir`,
`*.mlir.xz`, and those in `*.tar.xz`; of operator tests, the largest of each operator. One run each
shows all exact metrics. CPU seconds are screened with one run each, only of operator tests, and
measured in pairs where these differ much. What is measured goes to a file in `build/`, and is not
measured again.
"""

import json
import lzma
import math
import re
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, zip_longest
from operator import sub
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from oracles import Limits, run_process
from oracles.metrics.comparison import EMPTY
from oracles.metrics.metric import METRICS
from oracles.metrics.noise import ratio_of
from oracles.metrics.readings import FOLDER, OUTPUT, MeasuredRun
from oracles.run.scratch import private_folder
from reducer.toolchain import find
from tests.support.corpus import Case, cases

RELEASES = ("3.4.0", "3.6.0", "3.8.0", "3.10.0", "3.13.0")
EXACT = ("ir-size", "binary-size", "statistics")
JUMP, REPEATED = 2.0, 1.5
LEAST = {"ir-size": 20.0, "binary-size": 256.0, "statistics": 1.0}
"""Less than this is taken for this much: one op that becomes two is no news."""
TARGETS = {
    "llvm-cpu": "--iree-hal-target-device=local --iree-hal-local-target-device-backends=llvm-cpu",
    "hip": "--iree-hal-target-device=hip --iree-rocm-target=gfx942",
}
_BEFORE_3_11 = {"--iree-rocm-target=gfx942": "--iree-hip-target=gfx942"}
RESULTS = Path(__file__).with_name("metric_scan.jsonl")
_CRASHES_WITH_ALL = ("3.13.0",)
_EMPTY = "nothing"
_SMALL = 30_000
"""Characters; the IR of larger programs after each pass would take gigabytes."""


@dataclass(frozen=True)
class Program:
    """A program and where it is from."""

    name: str
    text: str
    is_operator: bool = False


@dataclass(frozen=True)
class Measurement:
    """The numbers of a program with a release, by metric and part; none if it does not compile."""

    program: str
    target: str
    release: str
    exact: Mapping[str, Mapping[str, float]]
    seconds: float | None = None


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--timeout", default=40.0, show_default=True, help="Seconds for a compilation.")
@click.option("--largest", default=400_000, show_default=True, help="Characters of a program.")
@click.option("--operators", default=60, show_default=True, help="Operator tests.")
@click.option("--minutes", default=35.0, show_default=True, help="Begin nothing after this long.")
@click.option("--measure/--no-measure", default=True)
@click.option("--raw", default="build/metric_scan.jsonl", show_default=True,
              type=click.Path(path_type=Path), help="What has been measured.")  # fmt: skip
def main(
    folders: tuple[Path, ...],
    timeout: float,
    largest: int,
    operators: int,
    minutes: float,
    measure: bool,
    raw: Path,
) -> None:
    """Measure the programs and list what jumps between consecutive releases."""
    end = time.monotonic() + 60 * minutes
    chosen = {one.name: one for one in programs(folders, largest, operators)}
    known = _known(raw)
    if measure:
        raw.parent.mkdir(parents=True, exist_ok=True)
        with raw.open("a", encoding="utf-8") as file:
            for one in _measurements(list(chosen.values()), timeout, end, known):
                known[one.program, one.target, one.release] = one
                file.write(json.dumps(vars(one)) + "\n")
                file.flush()
    rows = [*_jumps(known), *_slower(known, chosen, timeout)]
    kept = [row for row in _rows() if row["kind"] not in ("jump", "scan")]
    compiled = [one for one in known.values() if one.exact and one.program != _EMPTY]
    scan = {
        "kind": "scan",
        "programs": len({one.program for one in known.values()} - {_EMPTY}),
        "compiled": len({one.program for one in compiled}),
        "releases": list(RELEASES),
        "compilations": len(compiled),
        "screened": len({one.program for one in compiled if one.seconds is not None}),
    }
    lines = [json.dumps(row) + "\n" for row in (scan, *rows, *kept)]
    RESULTS.write_text("".join(lines), encoding="utf-8")
    print(f"{len(rows)} jumps of {scan['compiled']} programs", file=sys.stderr)


def _rows() -> list[dict[str, Any]]:
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def _known(raw: Path) -> dict[tuple[str, str, str], Measurement]:
    text = raw.read_text(encoding="utf-8") if raw.exists() else ""
    found = (Measurement(**json.loads(line)) for line in text.splitlines())
    return {(one.program, one.target, one.release): one for one in found}


# ---- programs ----------------------------------------------------------------------------------


def programs(folders: Sequence[Path], largest: int, operators: int) -> Iterator[Program]:
    """All programs, of each kind in turn: who runs out of time has some of all."""
    yield Program(_EMPTY, EMPTY)
    found = [(case.name, case.input_text()) for case in cases() if _is_plain(case)]
    given = [one for folder in folders for one in _files(folder)]
    tests = [Program(*one, is_operator=True) for one in given if "onnx." in one[1]]
    models = [one for one in (*found, *given) if "onnx." not in one[1] and len(one[1]) <= largest]
    healthy = sorted((Path(__file__).parent / "healthy").glob("*.mlir"))
    kinds = (
        _one_of_each(tests)[:operators],
        [Program(*one) for one in sorted(models, key=lambda one: len(one[1]))],
        [Program(path.stem, path.read_text(encoding="utf-8")) for path in healthy],
    )
    for turn in zip_longest(*kinds):
        yield from filter(None, turn)


def _is_plain(case: Case) -> bool:
    return bool(case.runs) and case.runs[0].program == "iree-compile"


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.name.endswith(".mlir"):
            name = path.parent.name if path.stem == "model" else path.stem
            yield name, path.read_text(encoding="utf-8")
        elif path.name.endswith(".mlir.xz"):
            yield path.name.removesuffix(".mlir.xz"), lzma.decompress(path.read_bytes()).decode()
        elif path.name.endswith(".tar.xz"):
            with tarfile.open(path) as archive:
                for member in archive:
                    stream = archive.extractfile(member) if member.name.endswith(".mlir") else None
                    if stream is not None:
                        yield Path(member.name).parent.name, stream.read().decode()


def _one_of_each(tests: Sequence[Program]) -> list[Program]:
    """The largest program of each operator, the largest first."""

    def operator(one: Program) -> str:
        return "-".join(sorted(set(re.findall(r'"onnx\.(\w+)"', one.text)) - {"Constant"})[:1])

    ordered = sorted(tests, key=lambda one: (operator(one), -len(one.text), one.name))
    best = [next(group) for _, group in groupby(ordered, operator)]
    return sorted(best, key=lambda one: (-len(one.text), one.name))


# ---- measurements ------------------------------------------------------------------------------


def _measurements(
    programs: Sequence[Program],
    timeout: float,
    end: float,
    known: Mapping[tuple[str, str, str], Measurement],
) -> Iterator[Measurement]:
    for program in programs:
        for target in TARGETS:
            for release in RELEASES:
                if (program.name, target, release) in known:
                    continue
                if time.monotonic() > end:
                    print("out of time before", program.name, file=sys.stderr)
                    return
                place = (program.text, target, release, timeout)
                exact = _exact(*place, large=len(program.text) > _SMALL)
                asked = program.is_operator or program.name == _EMPTY
                spent = _seconds(*place) if exact and asked else None
                yield Measurement(program.name, target, release, exact, spent)


def _exact(
    text: str, target: str, release: str, timeout: float, *, large: bool
) -> dict[str, dict[str, float]]:
    shown = EXACT[1:] if large else EXACT
    together = [shown[:1], shown[1:]] if release in _CRASHES_WITH_ALL else [shown]
    found: dict[str, dict[str, float]] = {}
    for metrics in together:
        numbers = _numbers(text, target, release, timeout, metrics)
        if not numbers:
            break
        found |= numbers
    return found


def _numbers(
    text: str, target: str, release: str, timeout: float, metrics: Sequence[str]
) -> dict[str, dict[str, float]]:
    """What one run shows, by metric and part; nothing if it fails."""
    toolchain = find(release)
    assert toolchain is not None, f"mlir-reducer toolchain install {release}"
    flags = [flag for name in metrics for flag in METRICS[name].flags_for("iree-compile")]
    with private_folder() as place:
        source = place / "input.mlir"
        source.write_text(text, encoding="utf-8")
        words = [
            *flags_of(target, release),
            *(one.replace(FOLDER, str(place)) for one in dict.fromkeys(flags)),
        ]
        command = [str(toolchain.compile), str(source), *words, "-o", str(place / OUTPUT)]
        result = run_process(command, cwd=place, limits=Limits(seconds=timeout))
        if result.exit_code != 0:
            return {}
        run = MeasuredRun(
            place, result.stdout, result.stderr, result.cpu_seconds, result.peak_memory
        )
        return {name: METRICS[name].read(run, "") for name in metrics}


def flags_of(target: str, release: str) -> list[str]:
    """The flags for a target, as a release spells them."""
    old = tuple(map(int, release.split("."))) < (3, 11)
    return [_BEFORE_3_11.get(word, word) if old else word for word in TARGETS[target].split()]


def _seconds(text: str, target: str, release: str, timeout: float) -> float | None:
    found = _numbers(text, target, release, timeout, ("compile-time",))
    return found["compile-time"][""] if found else None


# ---- jumps -------------------------------------------------------------------------------------


def _jumps(known: Mapping[tuple[str, str, str], Measurement]) -> list[dict[str, Any]]:
    """Where a number is at least twice that of the release before, of exact metrics.

    What jumps in the same part in a quarter of all programs is no regression of theirs: the release
    runs that pass elsewhere, on other IR.
    """
    pairs = list(_consecutive(known))
    worse = [(old, new, metric, _worse(known, old, new, metric))
             for old, new in pairs for metric in new.exact]  # fmt: skip
    programs = Counter((new.target, new.release) for _, new in pairs)
    seen = Counter((new.target, new.release, metric, part)
                   for _, new, metric, parts in worse for part in parts)  # fmt: skip
    found = []
    for old, new, metric, parts in worse:
        place = (new.target, new.release)
        most = programs[place] / 4 if metric == "ir-size" else math.inf
        own = {part: one for part, one in parts.items() if seen[*place, metric, part] <= most}
        if own:
            part = next(part for part, ratio in own.items() if ratio >= 0.8 * max(own.values()))
            sides = (_above_empty(known, one, metric)[part] for one in (old, new))
            parts_told = {one: round(ratio, 2) for one, ratio in own.items()}
            found.append({**_row(old, new, metric, part, *sides), "parts": parts_told})
    return found


def _worse(
    known: Mapping[tuple[str, str, str], Measurement],
    old: Measurement,
    new: Measurement,
    metric: str,
) -> dict[str, float]:
    """The ratio in each part that is at least twice as much."""
    before, after = _above_empty(known, old, metric), _above_empty(known, new, metric)
    least = LEAST[metric]
    ratios = {part: max(value, least) / max(before[part], least)
              for part, value in after.items() if part in before}  # fmt: skip
    return {part: ratio for part, ratio in ratios.items() if ratio >= JUMP}


def _consecutive(
    known: Mapping[tuple[str, str, str], Measurement],
) -> Iterator[tuple[Measurement, Measurement]]:
    """Each two measurements of a program with releases next to each other that compile it."""
    for program, target in dict.fromkeys((one.program, one.target) for one in known.values()):
        places = [(program, target, release) for release in RELEASES]
        compiled = [known[place] for place in places if place in known and known[place].exact]
        if program != _EMPTY:
            yield from pairwise(compiled)


def _above_empty(
    known: Mapping[tuple[str, str, str], Measurement], one: Measurement, metric: str
) -> dict[str, float]:
    empty = known[_EMPTY, one.target, one.release].exact.get(metric, {})
    cost = empty if METRICS[metric].above_empty else {}
    found = one.exact.get(metric, {})
    return {part: value - cost.get(part, 0.0) for part, value in found.items()}


def _row(
    old: Measurement, new: Measurement, metric: str, part: str, before: float, after: float
) -> dict[str, Any]:
    least = LEAST.get(metric, METRICS[metric].least)
    return {
        "kind": "jump",
        "program": new.program,
        "target": new.target,
        "metric": metric,
        "old": old.release,
        "new": new.release,
        "part": part,
        "before": round(before, 3),
        "after": round(after, 3),
        "ratio": round(max(after, least) / max(before, least), 2),
    }


def _slower(
    known: Mapping[tuple[str, str, str], Measurement],
    programs: Mapping[str, Program],
    timeout: float,
) -> Iterator[dict[str, Any]]:
    """Where a release needs 1.5 times as many CPU seconds, in pairs of runs."""
    for old, new in _consecutive(known):
        if old.seconds is None or new.seconds is None or new.program not in programs:
            continue
        empty = [known[_EMPTY, one.target, one.release].seconds or 0.0 for one in (new, old)]
        least = METRICS["compile-time"].least
        first = [max(spent, least) for spent in map(sub, (new.seconds, old.seconds), empty)]
        if first[0] < REPEATED * first[1]:
            continue
        pairs = [*_pairs(programs[new.program].text, (new, old), empty, timeout)]
        ratio = ratio_of(pairs, REPEATED)
        if ratio.is_at_least(REPEATED):
            after, before = (fmean(side) for side in zip(*pairs, strict=True))
            row = _row(old, new, "compile-time", "", before, after)
            yield {**row, "ratio": round(ratio.value, 2), "low": round(ratio.low, 2)}


def _pairs(
    text: str, sides: Sequence[Measurement], empty: Sequence[float], timeout: float
) -> Iterator[tuple[float, float]]:
    least = METRICS["compile-time"].least
    for _ in range(5):
        spent = [_seconds(text, one.target, one.release, timeout) or 0.0 for one in sides]
        one, other = (max(value, least) for value in map(sub, spent, empty))
        yield one, other


if __name__ == "__main__":
    main()
