"""The outcomes of compilers that `replay` replays: in memory, and in a file for each compiler.

The environment variable `MLIR_REDUCER_TEST_RECORDINGS` says what is done:

- `replay` (the default): as above;
- `add`: what was not known is recorded as well;
- `renew`: everything that is here runs and is recorded, in place of what was;
- `prune`: what no test asks for any more is dropped at the end;
- `compare`: everything runs, and what differs from its recording is listed at the end;
- `off`: everything runs.
"""

import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

from tests.support import stand_ins

VARIABLE = "MLIR_REDUCER_TEST_RECORDINGS"
UNSAVED = "MLIR_REDUCER_TEST_UNSAVED"
"""The environment variable that names the folder for what is to be recorded."""

FOLDER = "MLIR_REDUCER_TEST_RECORDED"
"""The environment variable that names another folder of recordings than `tests/recordings`."""


def mode() -> str:
    """What is done with recordings in this run of the tests."""
    return os.environ.get(VARIABLE, "replay")


class Recordings:
    """What is known of all compilers; read on first use, written by `save`."""

    def __init__(self, mode: str, unsaved: Path | None = None, compiler: str = "*") -> None:
        self.mode = mode
        self._compiler = compiler
        self._unsaved = unsaved
        self._known: dict[str, str] | None = None
        self._lock = threading.Lock()
        self._file: int | None = None

    def find(self, key: str) -> dict[str, Any] | None:
        """The recorded outcome of a question."""
        with self._lock:
            if self._known is None:
                files = sorted(folder().glob(f"{self._compiler}.zst"))
                lines = [line for file in files if self._reads(file) for line in _lines(file)]
                self._known = dict(lines)
            line = self._known.get(key)
            if self.mode == "prune" and line is not None:
                self._write(f"=\t{key}\t\n")
        return None if line is None else json.loads(line)

    def _reads(self, file: Path) -> bool:
        if self.mode == "renew":
            return file.stem in stand_ins.absent()
        return self.mode != "off"

    def add(self, key: str, compiler: str, answer: Mapping[str, Any]) -> None:
        """Record an outcome, for `save` to collect from all processes."""
        line = json.dumps(answer, sort_keys=True)
        with self._lock:
            if self._known is not None and key not in self._known:
                self._known[key] = line
                self._write(f"{compiler}\t{key}\t{line}\n")

    def differ(self, key: str, words: Sequence[str]) -> None:
        """Note that a compiler no longer does what was recorded."""
        with self._lock:
            self._write(f"!\t{key}\t{' '.join(words)}\n")

    def _write(self, line: str) -> None:
        if self._unsaved is None:
            return
        if self._file is None:
            self._unsaved.mkdir(parents=True, exist_ok=True)
            name = self._unsaved / f"{os.getpid()}-{id(self)}"
            self._file = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(self._file, line.encode())

    def forked(self) -> None:
        """In a forked child: write to a file of its own."""
        self._file, self._lock = None, threading.Lock()


def folder() -> Path:
    """Where outcomes are recorded, in a file for each compiler."""
    return Path(os.environ.get(FOLDER) or Path(__file__).parents[1] / "recordings")


def save(unsaved: Path) -> list[str]:
    """Write what the processes of a test run have recorded, and return what differs by now."""
    new: dict[str, dict[str, str]] = {}
    differing, used = [], set()
    for file in sorted(unsaved.glob("*")):
        for line in file.read_text(encoding="utf-8").splitlines():
            compiler, key, answer = line.split("\t", 2)
            if compiler == "!":
                differing.append(answer)
            elif compiler == "=":
                used.add(key)
            else:
                new.setdefault(compiler, {})[key] = answer
    if mode() == "renew":
        for file in folder().glob("*.zst"):
            if file.stem not in stand_ins.absent():
                file.unlink()
    for file in folder().glob("*.zst"):
        old = dict(_lines(file))
        kept = {key: answer for key, answer in old.items() if mode() != "prune" or key in used}
        new[file.stem] = new.get(file.stem, {}) | kept
    folder().mkdir(parents=True, exist_ok=True)
    for compiler, answers in new.items():
        _write(folder() / f"{compiler}.zst", answers)
    return differing


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    for line in zstandard.decompress(file.read_bytes()).decode().splitlines():
        key, _, answer = line.partition("\t")
        yield key, answer


def _write(file: Path, answers: Mapping[str, str]) -> None:
    """Write answers, as the same bytes whenever they are the same; no file for none."""
    text = "".join(f"{key}\t{answers[key]}\n" for key in sorted(answers))
    if answers:
        file.write_bytes(zstandard.ZstdCompressor(level=19).compress(text.encode()))
    else:
        file.unlink(missing_ok=True)
