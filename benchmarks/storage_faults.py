"""Flip bits of journals and triage databases, and start two reductions at once; count what breaks.

    python -m benchmarks.storage_faults --pairs 20 --flips 200

A pair are two processes that reduce the same file, the second started at a random distance. One
must run to its end and the other be refused, and the journal be intact. A flip changes one random
bit of a journal, or of a triage database, of a finished run, and the same command runs again: it
must end with 0 and the same bytes, without a traceback, and either say that the file is damaged and
leave it aside, or not need the bit. Equal seeds flip equal bits.
"""

import random
import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import click

from tests.support.disturbed import OUTPUT, Program
from tests.support.fake_compilers import Reducer, write_script
from tests.support.forked import SAID, Forked

_PATIENCE = 300.0  # seconds
_BUSY = 75
_REDUCE = ("reduce", "in.mlir", "-j1", "--no-report", "--no-pass-level", "--", "./compiler")
_TRIAGE = ("triage", "inputs", "-j1", "--no-report", "--", "./compiler")
_DATABASE = Path("inputs", ".mlir-reducer", "triage.sqlite")


@click.command()
@click.option("--pairs", default=20, show_default=True, help="Pairs of processes.")
@click.option("--flips", default=200, show_default=True, help="Bits in each kind of file.")
@click.option("--seed", default=0, show_default=True)
def main(pairs: int, flips: int, seed: int) -> None:
    """Measure all three; exit code 1 if anything broke."""
    broken: list[str] = []
    click.echo(f"{'':24}{'tries':>6}{'said':>6}{'silent':>8}{'broken':>8}")
    for name, count, measure in (
        ("pairs of processes", pairs, pair_up),
        ("bits of a journal", flips, flip_journal),
        ("bits of a database", flips, flip_database),
    ):
        if not count:
            continue
        tally: Counter[str] = Counter()
        with tempfile.TemporaryDirectory(prefix="storage-") as folder:
            found = measure(Path(folder), count, random.Random(seed), tally)
        broken += [f"{name}: {line}" for line in found]
        row = f"{name:24}{count:>6}{tally['said']:>6}{count - tally['said']:>8}{len(found):>8}"
        click.echo(row)
    for line in broken:
        click.echo(line)
    raise SystemExit(1 if broken else 0)


def pair_up(home: Path, count: int, rng: random.Random, tally: Counter[str]) -> list[str]:
    """Start pairs at random distances; those refused are counted as said."""
    broken, seed = [], rng.random()
    alone = _place(home / "alone", random.Random(seed), slow=True)
    started = time.monotonic()
    code, said = _run(alone, _REDUCE)
    seconds = time.monotonic() - started
    if code != 0:
        return [f"alone: {code} {said}"]
    for number in range(count):
        place = _place(home / str(number), random.Random(seed), slow=True)
        first = Forked(place, _REDUCE)
        time.sleep(rng.uniform(0.0, 0.5 * seconds))
        second = Forked(place, _REDUCE)
        codes = [first.wait(_PATIENCE), second.wait(_PATIENCE)]
        tally["said"] += _BUSY in codes
        if sorted(codes) != [0, _BUSY]:
            broken.append(f"{number}: exit codes {codes}")
        folder = place.home / "in.reduced"
        with closing(sqlite3.connect(folder / "journal")) as journal:
            (answer,) = journal.execute("PRAGMA integrity_check").fetchone()
        if answer != "ok" or list(folder.glob("*.damaged*")):
            broken.append(f"{number}: the journal is damaged: {answer}")
    return broken


def flip_journal(home: Path, count: int, rng: random.Random, tally: Counter[str]) -> list[str]:
    """Flip bits of the journal of a reduction."""
    place = _place(home / "place", rng)
    return _flip(place, _REDUCE, Path("in.reduced", "journal"), _result, count, rng, tally)


def flip_database(home: Path, count: int, rng: random.Random, tally: Counter[str]) -> list[str]:
    """Flip bits of the database of a triage of two programs."""
    place = _place(home / "place", rng)
    (place.home / "inputs").mkdir()
    shutil.copy(place.home / "in.mlir", place.home / "inputs" / "one.mlir")
    (place.home / "inputs" / "two.mlir").write_text('"x.fine"() : () -> ()\n', encoding="utf-8")
    return _flip(place, _TRIAGE, _DATABASE, _reproducers, count, rng, tally)


def _flip(
    place: Reducer,
    words: Sequence[str],
    file: Path,
    result: Callable[[Path], bytes],
    count: int,
    rng: random.Random,
    tally: Counter[str],
) -> list[str]:
    broken = []
    code, said = _run(place, words)
    if code != 0:
        return [f"undamaged: {code} {said}"]
    whole = place.home.with_name("whole")
    shutil.copytree(place.home, whole)
    expected = result(whole)
    for number in range(count):
        shutil.rmtree(place.home)
        shutil.copytree(whole, place.home)
        data = bytearray((place.home / file).read_bytes())
        at, bit = rng.randrange(len(data)), rng.randrange(8)
        data[at] ^= 1 << bit
        (place.home / file).write_bytes(data)
        code, said = _run(place, words)
        told = str(file) in said and ("damaged" in said or "continuing without it" in said)
        tally["said"] += told
        if code != 0 or "Traceback" in said or result(place.home) != expected:
            broken.append(f"{number}: bit {bit} of byte {at}: {code} {said}")
    return broken


def _place(home: Path, rng: random.Random, *, slow: bool = False) -> Reducer:
    """A folder with a random program and a compiler that fails on some of its ops."""
    home.mkdir(parents=True)
    program = Program.random(rng)
    (home / "in.mlir").write_text(program.text, encoding="utf-8")
    tests = " && ".join(f"""grep -q '"{need}"' "$input\"""" for need in program.needs)
    said = "echo \"$input:1:1: error: failed to legalize operation 'x.bad'\" >&2"
    pause = "sleep 0.3\n" if slow else ""
    write_script(home / "compiler", f"{pause}if {tests}; then {said}; exit 1; fi\n")
    return Reducer(home)


def _run(place: Reducer, words: Sequence[str]) -> tuple[int, str]:
    code = Forked(place, words).wait(_PATIENCE)
    return code, (place.home / SAID).read_text(encoding="utf-8", errors="replace")


def _result(home: Path) -> bytes:
    return (home / OUTPUT).read_bytes()


def _reproducers(home: Path) -> bytes:
    """What a triage has found: the reproducer of each bucket that its database lists."""
    with closing(sqlite3.connect(home / _DATABASE)) as database:
        rows = database.execute("SELECT bucket, text FROM reproducers ORDER BY bucket").fetchall()
    return repr(rows).encode()


if __name__ == "__main__":
    main()
