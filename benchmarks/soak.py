"""Kill reductions with SIGKILL at random moments, resume them, and compare the results.

    python -m benchmarks.soak --fake 188 --real 12

Each reduction is done twice: undisturbed, and killed up to four times at random moments before it
is allowed to finish with `--resume`. The bytes must be identical, and nothing may be left behind.
With one worker, no compiler run may be repeated, except the one that a kill interrupted, and the
final ones, which verify the result without any cache. Bug reports are
made anew each time and left out here. Most programs are random, with a compiler of a few lines;
the real ones are small cases of the corpus, planted in ten layers of a healthy module, with
iree-compile.
"""

import random
import shlex
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.plant import plant
from reducer.toolchain import install, toolchains_folder
from tests.support.corpus import load_case
from tests.support.disturbed import OUTPUT, Program
from tests.support.fake_compilers import Reducer, wait_until
from tests.support.forked import SAID, Forked

_KILLS = 4
_PATIENCE = 900.0  # seconds
_VERSION = "3.13.0"
_LAYERS = 10
_CASES = (
    "cat-zero-width",
    "batch-matmul-20548",
    "treshape-index-abi",
    "torch-fft-constant-int",
    "seed-21014-topk-bufferize-40",
    "matmul-k0-sigfpe",
)


class Place:
    """A folder for the reduction of one program, with a compiler that logs its inputs."""

    def __init__(
        self,
        home: Path,
        text: str,
        compiler: str,
        flags: Sequence[str] = (),
        cache: Path | None = None,
    ) -> None:
        """`compiler` are shell lines that run the compiler with the arguments "$@"."""
        home.mkdir(parents=True)
        self.home = home
        self.output = home / OUTPUT
        self.reducer = Reducer(home, cache)
        self._flags = flags
        self._log = home / "runs"
        (home / "in.mlir").write_text(text, encoding="utf-8")
        noting = home / "noting"  # a name that `--iree` does not replace by the real compiler
        noting.write_text(
            f"#!/bin/sh\nfor file in *.mlir; do :; done\n"
            f'echo "$(cksum < "$file") $*" >> {shlex.quote(str(self._log))}\n{compiler}\n',
            encoding="utf-8",
        )
        noting.chmod(0o755)

    def start(self, *options: object) -> Forked:
        """Start a reduction."""
        words = ["reduce", "in.mlir", "--no-report", *options, "--", "./noting", *self._flags]
        return Forked(self.reducer, words)

    def runs(self) -> Counter[str]:
        """The runs so far that look for the result: what was compiled, and the arguments."""
        lines = self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else ()
        return Counter(line for line in lines if OUTPUT not in line.split())

    def said(self) -> str:
        """The output of the reducer."""
        return (self.home / SAID).read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class Result:
    """The result of one reduction; `repeated` counts runs, `broken` describes what went wrong."""

    starts: int
    kills: int
    runs: int
    repeated: int
    strict: bool
    broken: str


@click.command()
@click.option("--fake", default=188, show_default=True, help="Reductions with a compiler in play.")
@click.option("--real", default=12, show_default=True, help="Reductions with iree-compile.")
@click.option("--seed", default=0, show_default=True)
def main(fake: int, real: int, seed: int) -> None:
    """Soak; the exit code is 1 if any result was different."""
    results = []
    for number in range(fake + real):
        name = f"{seed}.{number}"
        result = soak_real(name, number) if number < real else soak_fake(name)
        results.append(result)
        click.echo(f"{name}: {result}", err=True)
    strict = [result for result in results if result.strict]
    broken = [result.broken for result in results if result.broken]
    click.echo(
        f"{len(results)} reductions ({real} with iree-compile), {sum(r.kills for r in results)} "
        f"kills: {len(results) - len(broken)} with identical bytes and nothing left behind; with "
        f"one worker {sum(r.runs for r in strict)} runs, {sum(r.repeated for r in strict)} of them "
        f"begun again after {sum(r.starts for r in strict)} starts of which a kill ended "
        f"{sum(r.kills for r in strict)}"
    )
    for line in broken:
        click.echo(line)
    raise SystemExit(1 if broken else 0)


def soak_fake(seed: str) -> Result:
    """Soak a random program."""
    rng = random.Random(seed)
    program = Program.random(rng)
    tests = " && ".join(f"""grep -q '"{need}"' "$file\"""" for need in program.needs)
    said = "echo \"$file:1:1: error: failed to legalize operation 'x.bad'\" >&2"
    compiler = f"if {tests}; then {said}; exit 1; fi"
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        peaceful, killed = (
            Place(Path(folder) / name, program.text, compiler) for name in ("peaceful", "killed")
        )
        return soak(seed, peaceful, killed, rng, jobs=rng.choice((1, 1, 2, 3)))


def soak_real(seed: str, number: int) -> Result:
    """Soak a case of the corpus."""
    name = _CASES[number % len(_CASES)]
    case = load_case(name)
    run = next(run for run in case.runs if run.wheel == _VERSION)
    text = plant(case.input_text(), _LAYERS)
    compiler = f'exec {shlex.quote(str(install(_VERSION).compile))} "$@"'
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        peaceful, killed = (
            Place(Path(folder) / name, text, compiler, run.flags, toolchains_folder().parent)
            for name in ("peaceful", "killed")
        )
        options = ("--iree", _VERSION, "--no-pass-level")
        return soak(f"{seed} {name}", peaceful, killed, random.Random(seed), *options, jobs=1)


def soak(
    name: str, peaceful: Place, killed: Place, rng: random.Random, *options: object, jobs: int
) -> Result:
    """Reduce undisturbed with one worker, then with kills, and compare."""
    began = time.monotonic()
    code = peaceful.start("-j1", "--quiet", *options).wait(_PATIENCE)
    seconds = time.monotonic() - began
    if code != 0:
        return Result(0, 0, 0, 0, False, f"{name}: in peace: {code} {peaceful.said()}")
    words = ("-j", jobs, "--quiet", *options)
    starts = rng.randrange(1, _KILLS + 1)
    kills = sum(_killed(killed, words, rng, seconds) for _ in range(starts))
    code = killed.start(*words).wait(_PATIENCE)
    before, after = peaceful.runs(), killed.runs()
    repeated = (after - before).total()
    broken = []
    if code != 0:
        broken.append(f"exit code {code}: {killed.said()}")
    elif killed.output.read_bytes() != peaceful.output.read_bytes():
        broken.append(f"another result: {killed.output.read_text(encoding='utf-8')!r}")
    if jobs == 1 and (repeated > starts or before - after):
        broken.append(f"{repeated} runs repeated, {(before - after).total()} missing")
    try:
        killed.reducer.assert_clean()
    except AssertionError as error:
        broken.append(f"left behind: {error}")
    told = f"{name}: {'; '.join(broken)}" if broken else ""
    return Result(starts, kills, after.total(), repeated, jobs == 1, told)


def _killed(place: Place, words: Sequence[object], rng: random.Random, seconds: float) -> bool:
    """Start a reduction and kill it; return whether it was still running.

    In half of the cases, returns at once, while the orphan reaper is still cleaning up.
    """
    process = place.start(*words)
    time.sleep(rng.uniform(0.0, seconds))
    running = process.poll() is None
    process.kill()
    if rng.random() < 0.5:
        wait_until(lambda: not place.reducer.strays() and not place.reducer.leftovers())
    return running


if __name__ == "__main__":
    main()
