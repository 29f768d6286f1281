"""Measure which other failures a reduction keeps, and how many of them uncut programs have, too.

    python -m benchmarks.also_found                      every case that prints what fails; resumes
    python -m benchmarks.also_found st_toy_llama         one case
    python -m benchmarks.also_found --programs DIR       also ask the MLIR files below DIR

Each reduction records all other failures in its journal: those that it keeps, and those that it
explains by cutting. *Before* is both, as it was when nothing was explained. Two questions are asked
about each with runs of their own:

- *stands alone*: does the compiler's `…-opt` tool accept the program without any pass, and does the
  compiler then die on it (a crash, an assertion, a fatal error, runaway memory)? That is a defect
  wherever the program comes from.
- *uncut*: does any program that no reduction has cut fail with the same signature under the
  command of the case? Asked are the inputs of the corpus and what experts wrote for them.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.measure import input_of
from oracles import Command, CompilerOracle, Limits
from oracles.base import capabilities_of
from reducer.driver.also_found import DISMISSED, KEPT, AlsoFound, stored
from reducer.storage.journal import Journal
from reducer.storage.result_folder import ResultFolder
from tests.support.corpus import Case, Run, case_names, load_case

_LIMITS = Limits(seconds=60)
_LARGEST = 60_000  # bytes of an uncut program; larger ones take too long for what they tell
_QUICK = Limits(seconds=10)  # for an uncut program


@dataclass(frozen=True)
class Row:
    """The other failures of one reduction, and how many of them are of their own."""

    name: str
    before: int
    after: int
    alone_before: int
    alone_after: int
    uncut_before: int
    uncut_after: int


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--layers", default=20, show_default=True, help="Around each trigger.")
@click.option("--max-seconds", default=600, show_default=True, help="Budget of one reduction.")
@click.option("--wheel", help="Only this compiler version.")
@click.option("--programs", type=click.Path(path_type=Path), help="More uncut programs.")
@click.option("--level", default="any", show_default=True, help="As for `reduce`.")
@click.option(
    "--folder", default="build/also_found", show_default=True, type=click.Path(path_type=Path)
)
def main(
    names: tuple[str, ...],
    layers: int,
    max_seconds: int,
    wheel: str | None,
    programs: Path | None,
    level: str,
    folder: Path,
) -> None:
    """Reduce the corpus (or the named cases), and print a table of the other failures."""
    uncut = UncutPrograms(folder / "uncut.json", programs)
    rows = []
    for case, run in _selected(names or case_names(), wheel):
        place = folder / f"{case.name}-{run.wheel}-{level}"
        if not (place / "done").exists():
            _reduce(case, run, layers, max_seconds, level, place)
        row = _row(case, run, place, uncut)
        rows.append(row)
        click.echo(f"{row}", err=True)
    _print(rows)


def _selected(names: Sequence[str], wheel: str | None) -> Iterator[tuple[Case, Run]]:
    for name in names:
        case = load_case(name)
        if case.execution is None:
            yield from (
                (case, run)
                for run in case.runs
                if run.is_plain and run.wheel == (wheel or run.wheel)
            )


def _reduce(case: Case, run: Run, layers: int, max_seconds: int, level: str, place: Path) -> None:
    """Reduce a case, without what follows the result."""
    place.mkdir(parents=True, exist_ok=True)
    text = input_of(case, layers)
    (place / "input.mlir").write_text(text, encoding="utf-8")
    words = [
        sys.executable, "-m", "reducer", "reduce", str(place / "input.mlir"),
        "-o", str(place / "out.mlir"), "-q", "--no-pass-level", "--no-report", "--no-elsewhere",
        *(["--keep=level"] if level == "input" else []),
        "--max-seconds", str(max_seconds), "--fresh",
        *case.words(run),
    ]  # fmt: skip
    done = subprocess.run(words, check=False)
    (place / "done").write_text(f"{done.returncode}\n", encoding="utf-8")


def _row(case: Case, run: Run, place: Path, uncut: "UncutPrograms") -> Row:
    with Journal.reopen(ResultFolder.of(place / "out.mlir").journal) as journal:
        kept, dismissed = stored(journal, KEPT), stored(journal, DISMISSED)
    after = list(kept.values())
    others = [one for bucket, one in dismissed.items() if bucket not in kept]
    alone = {one.signature.bucket: _stands_alone(one, run) for one in (*after, *others)}
    seen = {one.signature.bucket: uncut.show(one, run) for one in (*after, *others)}
    kept_buckets = {one.signature.bucket for one in after}
    (place / "entries.json").write_text(
        json.dumps(
            [
                {
                    **one.to_json(),
                    "kept": one.signature.bucket in kept_buckets,
                    "alone": alone[one.signature.bucket],
                    "uncut": seen[one.signature.bucket],
                }
                for one in (*after, *others)
            ],
            indent=2,
        ),
        encoding="utf-8",
    )
    return Row(
        f"{case.name} {run.wheel}",
        len(after) + len(others),
        len(after),
        sum(alone.values()),
        sum(alone[bucket] for bucket in kept_buckets),
        sum(map(bool, seen.values())),
        sum(bool(seen[bucket]) for bucket in kept_buckets),
    )


def _stands_alone(one: AlsoFound, run: Run) -> bool:
    """Whether the program is valid by itself, and the compiler dies on it."""
    accepted = _is_accepted(one.text, run.opt())
    outcome = _oracle(one, run).run(one.text)
    traits = outcome.kind.traits
    return accepted and (traits.aborts or traits.out_of_memory)


def _is_accepted(text: str, opt: Path) -> bool:
    """Whether the tool's parser and verifier accept a program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.mlir")
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([opt, path, "-o", "/dev/null"], capture_output=True, check=False)
    return done.returncode == 0


def _oracle(one: AlsoFound, run: Run) -> CompilerOracle:
    """The compiler with the command that showed the failure."""
    executable = capabilities_of(run.oracle(_LIMITS)).executable
    assert executable is not None
    flags = [word for word in one.command if word.startswith("-") and word != "-o"]
    return CompilerOracle(Command.parse([run.program, *flags]), executable, limits=_LIMITS)


class UncutPrograms:
    """Programs that no reduction has cut, and how they fail under each command. Remembers that."""

    def __init__(self, path: Path, more: Path | None) -> None:
        self._path = path
        self._known: dict[str, dict[str, str]] = {}
        if path.is_file():
            self._known = json.loads(path.read_text(encoding="utf-8"))
        self._programs = dict(_uncut_programs(more))

    def show(self, one: AlsoFound, run: Run) -> list[str]:
        """The names of the programs that fail in this way under the command of the case."""
        oracle = run.oracle(_QUICK)
        known = self._known.setdefault(f"{run.wheel} {' '.join(run.flags)}", {})
        for name, text in self._programs.items():
            if name not in known:
                known[name] = oracle.run(text).signature.bucket
        self._path.write_text(json.dumps(self._known, indent=1), encoding="utf-8")
        return [name for name, bucket in known.items() if bucket == one.signature.bucket]


def _uncut_programs(more: Path | None) -> Iterator[tuple[str, str]]:
    for name in case_names():
        case = load_case(name)
        texts = {case.input_text()} | {
            path.read_text(encoding="utf-8") for path in case.folder.glob("*.mlir")
        }
        for number, text in enumerate(sorted(texts)):
            if len(text) <= _LARGEST:
                yield f"{name} {number}", text
    for path in sorted(more.rglob("*.mlir")) if more is not None else []:
        yield str(path), path.read_text(encoding="utf-8")


def _print(rows: Sequence[Row]) -> None:
    click.echo("| case | kept before | now | stand alone before | now | uncut before | now |")
    click.echo("|---|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        if row.before:
            _print_row(row)
    numbers = zip(*[list(vars(row).values())[1:] for row in rows], strict=True)
    _print_row(Row(f"all ({len(rows)})", *map(sum, numbers)))


def _print_row(row: Row) -> None:
    click.echo("| " + " | ".join(map(str, vars(row).values())) + " |")


if __name__ == "__main__":
    main()
