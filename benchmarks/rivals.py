"""Reduce the same failures with this program and with others, and say which results are others.

    python -m benchmarks.rivals [--max-seconds 30] [-j 1] [NAME]...

A name is one of `corpus/population` (without names, the twelve of `CASES`), of `corpus/opt`, which
is planted among healthy ops, or of `corpus`, planted in layers. The others are `mlir-reduce` of the
tool's own release, `iree-reduce` (in IREE's wheels without a command, so called through the
library), C-Vise (Debian's `cvise`) and Shrink Ray (`pip install shrinkray`), as far as they are
installed. All get the same test, which a careful user would write, and the same CPU time, after
which what they have written counts. The test wants the signal and the innermost function of the
compiler's own, or the longest text of the message that has no name and no number.

A result is read apart from this program: by the signal and the frames behind it, or the message,
with addresses fixed. One that fails otherwise is a slip. Where the printed command asks valgrind
for the first bad access to memory, it is asked for that of the input as well.
"""

import json
import lzma
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from benchmarks.measure import input_of
from benchmarks.opt_corpus import planted
from oracles import Limits
from reducer.conversions import OptPrinter
from reducer.ir import Module
from reducer.toolchain import install
from tests.support.corpus import load_case
from tests.support.opt_corpus import opt_cases

POPULATION = Path(__file__).parents[1] / "corpus" / "population"
CASES = (
    "convert-linalg-to-affine-loops-1", "scf-parallel-loop-collapsing-3", "sccp-6",
    "linalg-generalize-named-ops-8", "buffer-deallocation-9", "convert-linalg-to-loops-11",
    "convert-linalg-to-parallel-loops-12", "convert-vector-to-spirv-15", "convert-scf-to-cf-20",
    "convert-bufferization-to-memref-21", "convert-math-to-funcs-22", "slice-analysis-test-23",
)  # fmt: skip
"""The first of each of twelve passes whose failure is the same whatever the file is called."""

_LIMITS = Limits(seconds=120, memory=8 << 30)
_NEAR = 0x400  # bytes of code within which two addresses are of one function, most likely
_FRAMES = 6
_POLL_SECONDS = 0.25
_TICKS = os.sysconf("SC_CLK_TCK")

_TEST = """\
#!/bin/sh
# Ends with {interesting} if the candidate is interesting.
{candidate}
echo >> {log}
setarch -R timeout 120 {command} "$1" -o /dev/null > /dev/null 2> errors.$$
test $? -eq {status} && grep -qF -- {text} errors.$$; missing=$?
rm -f errors.$$ stdin.$$.mlir
test $missing -eq 0 && exit {interesting}
exit {boring}
"""

_IREE_REDUCE = """\
import ctypes, sys
words = [b"iree-reduce", *(word.encode() for word in sys.argv[2:])]
argv = (ctypes.c_char_p * len(words))(*words)
sys.exit(ctypes.CDLL(sys.argv[1]).ireeReduceRunMain(len(words), argv))
"""


# ---- failures ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """What a run shows: a shell's exit status and, innermost first, own frames, or a message."""

    status: int
    texts: tuple[str, ...]

    @property
    def searched(self) -> str:
        """What a user would search the output of a candidate for."""
        if self.status == 1:
            return max(re.split(r"'[^']*[%@!#][^']*'|\d+", self.texts[0]), key=len).strip()
        named = re.match(r"\(?(?:\S*/)?\S+ (\w\S*)\(", self.texts[0]) if self.texts else None
        offset = re.search(r"\+0x[0-9a-f]+\)$", self.texts[0]) if self.texts else None
        return (named and named[1]) or (offset and offset[0]) or "Stack dump"

    def is_same(self, other: "Shown") -> bool:
        """Whether both are one failure. A crash may be some instructions away in its functions."""
        if self.status != other.status:
            return False
        if self.status == 1:
            return _without_names(self.texts[0]) == _without_names(other.texts[0])
        own, others = (
            [int(match[1], 16) for text in shown.texts if (match := _OFFSET.search(text))]
            for shown in (self, other)
        )
        near = [any(abs(each - one) < _NEAR for one in others) for each in own]
        return not own or not others or near[0] or sum(near) > 1


_OFFSET = re.compile(r"\+(0x[0-9a-f]+)\)$")
_FRAME = re.compile(r"^ *#?\d+ +0x[0-9a-f]+ (.*)", re.M)
_HANDLER = re.compile(
    r"PrintStackTrace|RunSignalHandlers|SignalHandler|libc\.so|libLLVM|pthread_kill|raise |abort"
    r"|__restore|__libc"
)


_CHECK = "valgrind"
_AT = re.compile(r"^==\d+== +(?:at|by) 0x([0-9A-F]+): ", re.M)


def _without_names(message: str) -> str:
    return re.sub(r"'[^']*[%@!#][^']*'|@[\w$.]+|\d+", "N", message)


@dataclass(frozen=True)
class Failure:
    """A program and the command, without the input, that fails on it."""

    name: str
    text: str
    command: tuple[str, ...]
    printer: Path | None
    shared_object: Path | None = None

    def shown(self, path: Path, command: Sequence[str] = ()) -> Shown:
        """What the command, or another one, shows of a program."""
        words = [*(command or [*self.command, path.name, "-o", os.devnull])]
        done = subprocess.run(
            ["setarch", "-R", "timeout", "120", *words],
            cwd=path.parent,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        if _CHECK in words:
            accessed, _, _ = done.stderr.partition(" Address ")
            places = [f"(+0x{at.lower()})" for at in _AT.findall(accessed)]
            return Shown(status, tuple(places[:_FRAMES]))
        if status > 128:
            own = (text for text in _FRAME.findall(done.stderr) if not _HANDLER.search(text))
            return Shown(status, tuple(own)[:_FRAMES])
        errors = [line for line in done.stderr.splitlines() if "error: " in line] or [""]
        return Shown(status, (errors[0].split("error: ")[-1],) if status else ())

    def ops(self, text: str) -> int | None:
        """How many ops a program has, if its printer can read it."""
        generic = OptPrinter(self.printer, _LIMITS).generic(text) if self.printer else None
        return Module.parse(generic).op_count if generic else None


def failures(names: Sequence[str], layers: int, ops: int) -> Iterator[Failure]:
    """Those of the names; the program of a corpus is planted."""
    rows = json.loads((POPULATION / "cases.json").read_text(encoding="utf-8"))
    population = {row["name"]: row for row in rows}
    others = {case.name: case for case in opt_cases()}
    for name in names or CASES:
        if row := population.get(name):
            text = lzma.decompress((POPULATION / f"{row['program']}.xz").read_bytes()).decode()
            tool = shutil.which(row["tool"]) or sys.exit(f"{row['tool']} is not installed")
            yield Failure(name, text, (row["tool"], *row["flags"]), Path(tool))
        elif case := others.get(name):
            command = case.command or sys.exit(f"{case.tool} is not installed")
            yield Failure(name, planted(case, ops), tuple(command), case.opt())
        else:
            iree = load_case(name)
            tools = install(iree.runs[-1].wheel)
            words = (str(tools.compile), *iree.runs[-1].flags)
            yield Failure(name, input_of(iree, layers), words, tools.opt, tools.shared_library)


# ---- reducers ----------------------------------------------------------------------------------


Row = dict[str, str | int | None]


@dataclass(frozen=True)
class Bench:
    """One failure, and the reducers that are installed here."""

    failure: Failure
    jobs: int
    seconds: float
    folder: Path

    def reducers(self) -> Iterator[tuple[str, Callable[[], Row]]]:
        """Name, and what gives its row."""
        yield "mlir-reducer", self._ours
        rival = self.failure.command[0].replace("mlir-opt", "mlir-reduce")
        if "mlir-reduce" in rival and shutil.which(rival):
            yield rival, partial(self._mlir_reduce, rival)
        if self.failure.shared_object:
            yield "iree-reduce", self._iree_reduce
        if shutil.which("cvise"):
            yield "cvise", self._cvise
        if shutil.which("shrinkray"):
            yield "shrinkray", self._shrinkray

    def _ours(self) -> Row:
        place = self._place("mlir-reducer")
        words = [sys.executable, "-m", "reducer", "reduce", "input.mlir", "--json", "record.json",
                 "-q", f"-j{self.jobs}", "--", *self.failure.command]  # fmt: skip
        return self._row(place, words, place / "input.reduced.mlir")

    def _mlir_reduce(self, rival: str) -> Row:
        place = self._place(rival)
        test = self._test(place, interesting=1)
        out = place / "out.mlir"
        help_text = subprocess.run([rival, "--help"], capture_output=True, text=True, check=False)
        lenient = "--allow-unregistered-dialect"
        words = [rival, place / "input.mlir", "-o", out,
                 *[lenient] * (lenient in help_text.stdout),
                 f"--opt-reduction-pass=opt-pass=symbol-dce test={test}",
                 f"--reduction-tree=traversal-mode=0 test={test}"]  # fmt: skip
        return self._row(place, words, out)

    def _iree_reduce(self) -> Row:
        place = self._place("iree-reduce")
        out = place / "out.mlir"
        words = [sys.executable, "-c", _IREE_REDUCE, self.failure.shared_object, self._test(place),
                 place / "input.mlir", "-o", out]  # fmt: skip
        return self._row(place, words, out)

    def _cvise(self) -> Row:
        place = self._place("cvise")
        words = ["cvise", "--not-c", "--n", self.jobs, "--no-timing", self._test(place)]
        return self._row(place, [*words, "input.mlir"], place / "input.mlir")

    def _shrinkray(self) -> Row:
        place = self._place("shrinkray")
        test = self._test(place, candidate='cat > stdin.$$.mlir; set -- "$PWD/stdin.$$.mlir"')
        words = ["shrinkray", test, "input.mlir", "--parallelism", self.jobs, "--timeout", 120]
        return self._row(place, [*words, "--target", "out.mlir"], place / "out.mlir")

    def _place(self, name: str) -> Path:
        place = self.folder / self.failure.name / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "input.mlir").write_text(self.failure.text, encoding="utf-8")
        return place

    def _test(
        self, place: Path, *, interesting: int = 0, candidate: str = 'set -- "${1:-input.mlir}"'
    ) -> Path:
        wanted = self.failure.shown(place / "input.mlir")
        test = place / "test.sh"
        text = _TEST.format(
            interesting=interesting,
            boring=1 - interesting,
            candidate=candidate,
            log=shlex.quote(str(place / "runs")),
            command=shlex.join(self.failure.command),
            status=wanted.status,
            text=shlex.quote(wanted.searched),
        )
        test.write_text(text, encoding="utf-8")
        test.chmod(0o755)
        return test

    def _row(self, place: Path, words: Sequence[object], out: Path) -> Row:
        wanted = self.failure.shown(place / "input.mlir")
        ended, spent = _run([str(word) for word in words], place, self.seconds)
        record, log = place / "record.json", place / "runs"
        runs = None
        if record.exists():
            runs = json.loads(record.read_text(encoding="utf-8"))["oracle"]["calls"]
        elif log.exists():
            runs = len(log.read_bytes())
        text = out.read_text(encoding="utf-8", errors="replace") if out.exists() else ""
        result = "nothing"
        if text and text != self.failure.text:
            printed = re.match(r"// (?:setarch -R )?(.*input\.reduced\.mlir.*)", text)
            command = shlex.split(printed[1]) if printed else []
            shown = self.failure.shown(out, command)
            if _CHECK in command:
                whole = [word.replace(out.name, "input.mlir") for word in command]
                wanted = self.failure.shown(place / "input.mlir", whole)
            result = "same" if wanted.is_same(shown) else "slip" if shown.status else "no failure"
        ops = self.failure.ops(text) if text else None
        return {"ops": ops, "characters": len(text), "result": result, "ended": ended,
                "runs": runs, "seconds": round(spent)}  # fmt: skip


def _run(words: Sequence[str], folder: Path, seconds: float) -> tuple[str, float]:
    """How the command ended, and its CPU seconds; at the limit, all it has started is ended."""
    spent = 0.0
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(words, cwd=folder, stdout=log, stderr=log)
    while spent < seconds:
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(timeout=_POLL_SECONDS)
            return ("yes" if not status else f"exit {status}" if status > 0 else "crash"), spent
        spent = max(spent, sum(_descendants(process.pid).values()))
    for pid in _descendants(process.pid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    return "limit", spent


def _descendants(root: int) -> dict[int, float]:
    """The process and all below it, and the CPU seconds of each and of its own that have ended."""
    parents, seconds = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            parents[int(path.parent.name)] = int(fields[1])
            seconds[int(path.parent.name)] = sum(map(int, fields[11:15])) / _TICKS
    below = {root}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return {pid: seconds.get(pid, 0.0) for pid in below}


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--layers", default=5, show_default=True, help="Around each trigger of `corpus`.")
@click.option("--ops", default=1000, show_default=True, help="Healthy ops around `corpus/opt`.")
@click.option("-j", "--jobs", default=1, show_default=True, help="Number of workers.")
@click.option("--max-seconds", default=30.0, show_default=True, help="CPU time of one reducer.")
@click.option(
    "--folder", default="build/rivals", show_default=True, type=click.Path(path_type=Path)
)
def main(
    names: tuple[str, ...], layers: int, ops: int, jobs: int, max_seconds: float, folder: Path
) -> None:
    """Print one line of JSON for each failure and reducer."""
    for failure in failures(names, layers, ops):
        bench = Bench(failure, jobs, max_seconds, folder.absolute())
        for name, reduce in bench.reducers():
            row = {"failure": failure.name, "input": failure.ops(failure.text), "reducer": name}
            click.echo(json.dumps(row | reduce()))


if __name__ == "__main__":
    main()
