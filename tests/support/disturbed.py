"""Reductions by the real program with faults injected into its compiler or its own process."""

import json
import random
import shutil
import sys
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support import faulty_compiler
from tests.support.fake_compilers import Reducer
from tests.support.faulty_compiler import digest_of, is_interesting

OUTPUT = "in.reduced.mlir"
REPORT, REPORT_ARCHIVE = "in.reduced/report", "in.reduced/report.zip"
_LOOK = 0.003  # seconds between checks of the file on disk


@dataclass(frozen=True)
class Faults:
    """The probability of each kind of fault in one run of the compiler; see `faulty_compiler`."""

    mess: float = 0.0
    wrong: float = 0.0
    hidden: float = 0.0
    good_runs: int = 0


@dataclass(frozen=True)
class Program:
    """A random program, and the ops that the failure needs."""

    text: str
    needs: tuple[str, ...]

    @classmethod
    def random(cls, rng: random.Random) -> "Program":
        """Nested ops with odd strings, one to three of which are needed."""
        names = [f"x.op{number}" for number in range(rng.randrange(20, 80))]
        needs = ["x.bad", *(f"x.need{number}" for number in range(rng.randrange(3)))]
        for need in needs:
            names.insert(rng.randrange(len(names) + 1), need)
        return cls("module {\n" + "".join(_nested(names, rng, "  ")) + "}\n", tuple(needs))


def _nested(names: list[str], rng: random.Random, indent: str) -> Iterator[str]:
    while names:
        if len(names) > 3 and rng.random() < 0.2:
            inside = [names.pop() for _ in range(rng.randrange(1, len(names)))]
            yield f'{indent}"x.region"() ({{\n'
            yield from _nested(inside, rng, f"{indent}  ")
            yield f"{indent}}}) : () -> ()\n"
        else:
            said = rng.choice(("", "", ' {s = "}) \\22 ({ // */"}', ' {n = "a\\0Ab"}'))
            yield f'{indent}"{names.pop()}"(){said} : () -> ()\n'


class Workplace:
    """One folder in which a program is reduced with a compiler that may be faulty."""

    def __init__(self, home: Path, program: Program, seed: object) -> None:
        home.mkdir(parents=True)
        self.home = home
        self.program = program
        self.seed = str(seed)
        self.log = home / "log"
        self.log.mkdir()
        self.output = home / OUTPUT
        (home / "in.mlir").write_text(program.text)
        source = Path(faulty_compiler.__file__).read_text()
        (home / "compiler").write_text(f"#!{sys.executable} -IS\n{source}")
        (home / "compiler").chmod(0o755)
        self.reducer = Reducer(home)
        self.set_faults(Faults())

    def set_faults(self, faults: Faults) -> None:
        """Set the faults from the next run on."""
        settings = {
            "needs": self.program.needs,
            "log": str(self.log),
            "seed": self.seed,
            "mess": faults.mess,
            "wrong": faults.wrong,
            "hidden": faults.hidden,
            "good_runs": faults.good_runs,
        }
        self.reducer.environment[faulty_compiler.VARIABLE] = json.dumps(settings)

    def words(self, *options: object) -> list[object]:
        """A command line of the program."""
        return ["reduce", "in.mlir", *options, "--", "./compiler"]

    def faults(self) -> Counter[str]:
        """The faults so far, by name."""
        return Counter(_lines(self.log / "faults"))

    def runs(self) -> Counter[str]:
        """Every run of the compiler so far, by the hash of its text."""
        return Counter(line.split()[0] for line in _lines(self.log / "runs"))

    def is_sound(self, text: str) -> bool:
        """Whether a result is complete and interesting: the input, or a text that failed."""
        failing = {line.split()[0] for line in _lines(self.log / "runs") if line.endswith(" 1")}
        known = digest_of(text) in failing or text == self.program.text
        return known and is_interesting(text, list(self.program.needs))

    def broken_report(self) -> str:
        """What is wrong with the bug report, if there is one; '' if nothing is."""
        folder, archive = self.home / REPORT, self.home / REPORT_ARCHIVE
        if folder.is_dir() and not self.is_sound((folder / "repro.mlir").read_text()):
            return "the program in the bug report is not whole and interesting"
        if archive.exists():
            try:
                with zipfile.ZipFile(archive) as opened:
                    bad = opened.testzip()
            except zipfile.BadZipFile as error:
                bad = str(error)
            return f"the bug report's archive: {bad}" if bad else ""
        return ""

    def remove(self) -> None:
        shutil.rmtree(self.home)


@contextmanager
def watching(path: Path) -> Iterator[set[str]]:
    """Collect every content of a file, as far as polling sees it, while the `with` body runs."""
    seen: set[str] = set()
    done = threading.Event()

    def watch() -> None:
        last = None
        while True:
            finished = done.wait(_LOOK)
            if path.exists():
                now = path.stat()
                if (now.st_ino, now.st_mtime_ns) != last:
                    last = (now.st_ino, now.st_mtime_ns)
                    seen.add(path.read_text(errors="surrogateescape"))
            if finished:
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
