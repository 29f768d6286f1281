"""Compare with other reducers on the same input and the same compiler.

    python -m benchmarks.rivals [--layers 5] [-j 1 -j 2] [--max-seconds 900] [CASE]...

IREE's wheels contain iree-reduce without a command, so it is called through the library. C-Vise
(`apt-get install cvise`) is told that the input is not C. Both need an interestingness test: theirs
is a script that runs the compiler and looks for the failure's message, as their manuals recommend.
The script counts all compiler runs and their CPU time. Our oracle then checks whether the result
still has the same failure: the message can stay while the failure becomes another one. iree-reduce
has no option for the number of workers.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.measure import Budget, input_of, measure
from oracles import Command, CompilerOracle, Limits, Outcome
from reducer.conversions import OptPrinter
from reducer.ir import Module
from reducer.toolchain import Toolchain, install
from tests.support.corpus import Case, Run, load_case

CASES = ("batch-matmul-20548", "seed-21014-topk-bufferize-40", "reduce-f8-add-hip-readlane")
_LIMITS = Limits(seconds=120, memory=8 << 30)

_SCRIPT = """\
#!/bin/bash
# $1, or else the file of that name here, is the candidate; ends with 0 if it is interesting.
TIMEFORMAT='%U %S'
errors=$PWD/stderr.$$
compile() {{ timeout 120 {compile} "$1" -o /dev/null >/dev/null 2>"$errors"; }}
{{ time compile "${{1:-input.mlir}}"; }} 2>> {log}
grep -qF -- {message} "$errors"; found=$?
rm -f "$errors"
exit $found
"""

_IREE_REDUCE = """\
import ctypes, sys
words = [b"iree-reduce", *(word.encode() for word in sys.argv[2:])]
argv = (ctypes.c_char_p * len(words))(*words)
sys.exit(ctypes.CDLL(sys.argv[1]).ireeReduceRunMain(len(words), argv))
"""


@dataclass(frozen=True)
class Result:
    """The result of one reducer. `seconds`: CPU time of the compiler; `wall`: time that passed."""

    ops: int | None
    characters: int
    calls: int
    seconds: float
    wall: float
    same: bool
    ended: bool


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option(
    "--layers", default=5, show_default=True, help="Around each trigger; models stay as they are."
)
@click.option("-j", "--jobs", multiple=True, default=(1,), type=int, help="Numbers of workers.")
@click.option("--max-seconds", default=900, show_default=True, help="Wall time of one reducer.")
@click.option(
    "--folder", default="build/rivals", show_default=True, type=click.Path(path_type=Path)
)
def main(
    names: tuple[str, ...], layers: int, jobs: tuple[int, ...], max_seconds: int, folder: Path
) -> None:
    """Print one row for each case, number of workers, and reducer."""
    click.echo(
        "| case | ops | reducer | -j | ops | chars | same failure | ended | calls | compiler s "
        "| ratio | wall s |\n|---|---:|---|---:|---:|---:|---|---|---:|---:|---:|---:|"
    )
    for case in map(load_case, names or CASES):
        for number in jobs:
            place = folder.absolute() / f"{case.name}-{number}"
            bench = Bench(case, layers, number, max_seconds, place)
            ours = bench.ours()
            click.echo(_line(bench, "mlir-reducer", ours, ours))
            for name, reduce in bench.rivals():
                click.echo(_line(bench, name, reduce(), ours))


def _line(bench: "Bench", name: str, result: Result, ours: Result) -> str:
    ops = "-" if result.ops is None else str(result.ops)
    same, ended = ("yes" if flag else "no" for flag in (result.same, result.ended))
    ratio = result.seconds / ours.seconds if ours.seconds else 0.0
    return (
        f"| {bench.case.name} | {bench.ops} | {name} | {bench.jobs} | {ops} | {result.characters} "
        f"| {same} | {ended} | {result.calls} | {result.seconds:.1f} | {ratio:.1f} "
        f"| {result.wall:.0f} |"
    )


class Bench:
    """One input, and the reducers that are installed here."""

    def __init__(self, case: Case, layers: int, jobs: int, max_seconds: int, folder: Path) -> None:
        self.case, self.layers, self.jobs, self.max_seconds = case, layers, jobs, max_seconds
        self.run: Run = case.runs[-1]
        self.toolchain: Toolchain = install(self.run.wheel)
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.text = input_of(case, layers)
        self.ops = self._ops(self.text)
        command = Command.parse(["iree-compile", *self.run.flags], directory=case.folder)
        self.oracle = CompilerOracle(command, self.toolchain.compile, limits=_LIMITS)
        self.target = self.oracle.run(self.text).signature

    def ours(self) -> Result:
        """This program's result, run as in `benchmarks.reduce_corpus`, without the pass level."""
        place = self.folder / "ours"
        row = measure(self.case, self.run, self.layers, place, Budget(self.jobs, self.max_seconds))
        text = (place / "reduced.mlir").read_text(encoding="utf-8")
        return Result(
            row.ops,
            row.characters or len(text),
            row.calls or 0,
            row.compiler_seconds or 0.0,
            row.wall_seconds or 0.0,
            row.same_failure,
            row.one_minimal,
        )

    def rivals(self) -> Iterator[tuple[str, Callable[[], Result]]]:
        """The other reducers: name, and a function that runs it."""
        if self.jobs == 1:
            yield "iree-reduce", self._iree_reduce
        if shutil.which("cvise"):
            yield "cvise", self._cvise

    def _iree_reduce(self) -> Result:
        place = self._place("iree-reduce")
        out = place / "out.mlir"
        library = self.toolchain.shared_library
        script = self._script(place)
        words = [sys.executable, "-c", _IREE_REDUCE, library, script, place / "input.mlir"]
        return self._measured(place, [*words, "-o", out], out)

    def _cvise(self) -> Result:
        place = self._place("cvise")
        script = self._script(place)
        words = ["cvise", "--not-c", "--n", str(self.jobs), "--no-timing", script, "input.mlir"]
        return self._measured(place, words, place / "input.mlir")

    def _place(self, name: str) -> Path:
        place = self.folder / name
        place.mkdir()
        (place / "input.mlir").write_text(self.text, encoding="utf-8")
        return place

    def _script(self, place: Path) -> Path:
        script = place / "interesting.sh"
        script.write_text(
            _SCRIPT.format(
                compile=shlex.join([str(self.toolchain.compile), *self.run.flags]),
                message=shlex.quote(self.run.message),
                log=shlex.quote(str(place / "calls")),
            ),
            encoding="utf-8",
        )
        script.chmod(0o755)
        return script

    def _measured(self, place: Path, words: Sequence[object], out: Path) -> Result:
        log, begun = place / "calls", time.monotonic()
        ended = _run([str(word) for word in words], place, self.max_seconds)
        wall = time.monotonic() - begun
        times = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        seconds = sum(sum(map(float, line.split())) for line in times if line[:1].isdigit())
        # some reducers only write at the end
        text = out.read_text(encoding="utf-8", errors="replace") if out.exists() else ""
        outcome: Outcome = self.oracle.run(text)
        return Result(
            self._ops(text) if text else None,
            len(text),
            len(times),
            seconds,
            wall,
            bool(text) and outcome.signature == self.target,
            ended,
        )

    def _ops(self, text: str) -> int | None:
        generic = (
            OptPrinter(self.toolchain.opt, _LIMITS).generic(text) if self.toolchain.opt else None
        )
        return Module.parse(generic).op_count if generic else None


def _run(words: Sequence[str], folder: Path, seconds: float) -> bool:
    """Whether the command ended in time; its whole process group is ended in any case."""
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            words, cwd=folder, stdout=log, stderr=log, start_new_session=True
        )
        try:
            return process.wait(timeout=seconds) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


if __name__ == "__main__":
    main()
