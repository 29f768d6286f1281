"""Inject faults into reductions of random programs and count what they break (expected: nothing).

    python -m benchmarks.faults --faults 1000

Each program is reduced once undisturbed, and once with a compiler that floods its output, hangs,
dies, exhausts memory, leaves processes and files behind, or gives inconsistent results. In every
fourth one, the reducer itself also receives a signal and is resumed. At any time, the file on disk
must be complete and must fail; afterward, no process and no file may be left over. Faults that do
not change the compiler's results must not change the result of the reduction. A bug report, if
there is one, must be complete and contain a failing program. Equal seeds inject equal faults.
"""

import random
import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import click

from tests.support.disturbed import (
    Faults,
    Program,
    Workplace,
    watching,
)

_OPTIONS = ("--timeout", 3, "--memory-limit", 256, "--quiet")
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FILES = {
    "in.mlir", "compiler", "log", "tmp",
    "in.reduced.mlir", "in.reduced",
}  # fmt: skip
_ENDINGS = {0, 4, 130}  # reduced; found to be flaky; interrupted


@dataclass
class Tally:
    """The numbers of reductions and faults, and everything that broke."""

    reductions: int = 0
    same: int = 0
    flaky: int = 0
    looks: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)

    @property
    def injected(self) -> int:
        return self.faults.total()


@click.command()
@click.option("--faults", default=1000, show_default=True, help="How many to inject.")
@click.option("--seed", default=0, show_default=True)
def main(faults: int, seed: int) -> None:
    """Inject faults up to the requested number; exit code 1 if any of them broke something."""
    tally = Tally()
    number = 0
    while tally.injected < faults:
        inject(f"{seed}.{number}", tally)
        number += 1
        click.echo(f"{tally.reductions} reductions, {tally.injected} faults", err=True)
    for name, count in sorted(tally.faults.items()):
        click.echo(f"{name:20}{count:>6}")
    click.echo(
        f"{tally.injected} faults in {tally.reductions} reductions: {tally.same} with the same "
        f"result as without, {tally.flaky} found to be flaky or interrupted; {tally.looks} states "
        f"on disk seen; {len(tally.broken)} broken"
    )
    for line in tally.broken:
        click.echo(line)
    raise SystemExit(1 if tally.broken else 0)


def inject(seed: str, tally: Tally) -> None:
    """Run one reduction undisturbed and one with faults, and add them to the tally."""
    rng = random.Random(seed)
    program = Program.random(rng)
    hiding = rng.random() < 0.25
    faults = Faults(
        mess=rng.choice((0.5, 0.9)),
        wrong=rng.choice((0.5, 0.9)),
        hidden=0.1 if hiding else 0.0,
        good_runs=rng.randrange(5, 40) if hiding and rng.random() < 0.5 else 0,
    )
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        peaceful = Workplace(Path(folder) / "peaceful", program, seed)
        done = peaceful.reducer(*peaceful.words(*_OPTIONS))
        if done.returncode != 0:
            tally.broken.append(f"{seed}: in peace: {done.returncode} {done.stderr}")
            return
        place = Workplace(Path(folder) / "disturbed", program, seed)
        place.set_faults(faults)
        with watching(place.output) as seen:
            code = _reduce(place, rng, tally)
        _judge(seed, place, peaceful, seen, code, hiding, tally)


def _reduce(place: Workplace, rng: random.Random, tally: Tally) -> int:
    """Reduce and return the exit code; some reductions are interrupted by a signal and resumed."""
    words = place.words("-j", rng.choice((1, 2)), *_OPTIONS)
    if rng.random() < 0.25:
        number = rng.choice(_SIGNALS)
        tally.faults[number.name] += 1
        with place.reducer.start(*words) as process:
            time.sleep(rng.uniform(0.3, 4.0))
            process.send_signal(number)
            process.communicate(timeout=60)
    return place.reducer(*words).returncode


def _judge(
    seed: str,
    place: Workplace,
    peaceful: Workplace,
    seen: set[str],
    code: int,
    hiding: bool,
    tally: Tally,
) -> None:
    tally.reductions += 1
    tally.faults += place.faults()
    tally.looks += len(seen)
    broken = []
    if bad := [text for text in seen if not place.is_sound(text)]:
        broken.append(f"{len(bad)} states on disk were not whole and interesting: {bad[0]!r}")
    if code not in (_ENDINGS if hiding else {0}):
        broken.append(f"exit code {code}")
    elif not hiding and place.output.read_bytes() != peaceful.output.read_bytes():
        broken.append(f"another result: {place.output.read_text(encoding='utf-8')!r}")
    try:
        place.reducer.assert_clean()
    except AssertionError as error:
        broken.append(f"left behind: {error}")
    if more := {path.name for path in place.home.iterdir()} - _FILES:
        broken.append(f"files that nobody asked for: {more}")
    if told := place.broken_report():
        broken.append(told)
    tally.same += not hiding and not broken
    tally.flaky += code != 0
    tally.broken += [f"{seed}: {line}" for line in broken]


if __name__ == "__main__":
    main()
