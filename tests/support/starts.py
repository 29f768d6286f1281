"""Count the compilers and other processes that tests start, and hold their numbers down.

Every slow suite got there one start at a time. `tests/starts.toml` has a limit for each folder; a
change that needs more raises it in its own diff. Starts are counted, since a busy machine does not
change them, where time would make a limit that fails by chance.

Each start is a line in a file: the test, "compiler" or "process", and the program. A file, since
several processes write to it: the workers of a test run, and what `warm` forks. What other
processes of ours start is not seen.
"""

import os
import shutil
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.support import replay, stand_ins

VARIABLE = "MLIR_REDUCER_TEST_STARTS"
"""The environment variable that names the file."""

LIMITS = Path(__file__).parents[1] / "starts.toml"
KINDS = "compiler", "process"
PLURALS = "compilers", "other processes"

Counts = Counter[tuple[str, str]]
"""Numbers of starts by folder and kind."""

_file: int | None = None
_test: str | None = None
_counts = True


def watch() -> None:
    """Count from now on what this process starts, and what it has started for it."""
    global _file
    path = os.environ.get(VARIABLE)
    if path is None or _file is not None:
        return
    _file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    sys.addaudithook(_heard)


def count(wanted: bool) -> None:
    """Whether starts count from now on; the limits are those of `make test`, without slow tests."""
    global _counts
    _counts = wanted


def in_test(name: str | None) -> None:
    """Count for this test, which another process runs."""
    global _test
    _test = name


def current_test() -> str | None:
    """The test that runs."""
    return _test or os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0] or None


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("subprocess.Popen", "os.posix_spawn"):
        words = arguments[1]
        _note([words] if isinstance(words, str) else [os.fsdecode(word) for word in words])


def _note(words: Sequence[str]) -> None:
    program = shutil.which(words[0]) or str(words[0])
    is_compiler = replay.release_of(program) and not stand_ins.tool_of(Path(program).resolve())
    kind = KINDS[not is_compiler]
    line = f"{current_test() or '?'}\t{kind}\t{' '.join(map(str, words))[:200]!r}\n"
    if _file is not None and _counts:
        os.write(_file, line.encode())


def counted(file: Path) -> Counts:
    """The numbers of starts that a file tells of."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    fields = (line.split("\t", 2) for line in lines)
    return Counter((_folder(test), kind) for test, kind, _ in fields if test != "?")


def _folder(test: str) -> str:
    _, first, *rest = test.split("::")[0].split("/")
    return first if rest else "."


def table(counts: Counts) -> Iterator[str]:
    """A line for each folder."""
    for folder in sorted({folder for folder, _ in counts}):
        yield _line(folder, [counts[folder, kind] for kind in KINDS])
    yield _line("all", [sum(n for (_, k), n in counts.items() if k == kind) for kind in KINDS])


def _line(folder: str, numbers: Sequence[int]) -> str:
    return f"{folder:16}" + ",".join(
        f"{number:6} {kind}" for number, kind in zip(numbers, PLURALS, strict=True)
    )


def allowed() -> dict[str, dict[str, int]]:
    """The limits, by kind and folder."""
    return tomllib.loads(LIMITS.read_text(encoding="utf-8"))


def exceeded(counts: Counts, limits: dict[str, dict[str, int]]) -> Iterator[str]:
    """A sentence for each folder that starts more than it may."""
    for (folder, kind), number in sorted(counts.items()):
        most = limits[kind].get(folder, 0)
        if number > most:
            yield (
                f"tests/{folder} started a {kind} {number} times, of {most} allowed: start fewer, "
                f"record new outcomes (make record), or raise the limit in tests/{LIMITS.name}"
            )
