"""Outcomes of real compilers, recorded and replayed by what was asked.

A test that reduces a module starts a compiler hundreds of times, for the same answers as the last
time. Here a run that `run_process` is asked for is found again by its content: the release, the
words, the files that they name, those in its folder, and the few environment variables that a
compiler reads. What was never asked runs the compiler itself, so a change of the search costs
time, never truth; `starts` counts such runs. Where the compiler is absent, the test fails (see
`stand_ins`).

`recordings` says what an environment variable does to this.

Runs that reach a limit are never recorded. Nor is anything replayed in tests marked `live`, which
are about the processes themselves.
"""

import base64
import faulthandler
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from oracles.compilers.compiler import CompilerOracle
from oracles.run import run_process as process
from oracles.run.confinement import Confinement, Reach, current_confinement, reach_of
from oracles.run.limits import End, Limits, ProcessResult, Reader
from oracles.run.memory import Seat
from oracles.run.reaper_client import Child
from oracles.run.supervisor import watch
from oracles.stacks.symbols import SymbolIndex
from tests.support import recordings, stand_ins
from tests.support.recordings import Recordings

ASKED = "MLIR_REDUCER_TEST_ASKED"
"""The environment variable that names a file to which each question is written, in JSON."""

UNKNOWN = 99
"""The exit code of a program that ends where nothing is recorded."""

PROGRAM = f"""\
#!{sys.executable}
from reducer.__main__ import main
from tests.support import replay

replay.install()
main()
"""
"""The text of an `mlir-reducer` that replays outcomes."""

_COMPILERS = re.compile(r"(iree|mlir|circt)-[\w.-]+")
_INSTALLED = re.compile(r"/toolchains/(iree-base-\w+-[\w.]+)/")
_SYSTEM = "/usr/lib/", "/usr/bin/"
_READ_BY_COMPILERS = "LLVM_", "IREE_", "MLIR_ENABLE", "PYTHONFAULTHANDLER", "LD_", "ASAN_"
_PATH = re.compile(r"/[^\s=,;:\"'{}()]+")
_TEMPORARY = re.compile(r"(?:/[^/\s\"'=,:;]+)+?/pytest-of-[^/]+/pytest-\d+(?:/popen-gw\d+)?")
_OWN = re.compile(r"mlir-reducer-\w{8}")
_MOST_FILES = 64  # of a folder whose content is part of a question or an answer
_MOST_BYTES = 32 << 20  # of one of them
_MOST_ANSWERED = 1 << 20  # bytes of one that is recorded
_MOST_SHOWN = 1 << 16  # bytes of a program that is written to the file of questions
_NEARLY = 0.5  # of a limit: what came so near to it runs again
_ADDRESS = re.compile(r"0x[0-9a-f]+|\d+\.\d+|PID \d+|\b\d{3,}\b")

Files = dict[str, bytes]
"""Contents by path."""


@dataclass(frozen=True)
class _Question:
    """What a run depends on, with placeholders for folders that are others in each test run."""

    compiler: str
    key: str
    places: tuple[tuple[str, str], ...]
    roots: tuple[Path, ...]
    before: Mapping[Path, tuple[int, int, int]]

    def general(self, text: str) -> str:
        """A text with placeholders for the folders."""
        for place, name in self.places:
            text = text.replace(place, name)
        return stand_ins.general(text)

    def concrete(self, text: str) -> str:
        """A text with the folders of this run."""
        for place, name in self.places:
            text = text.replace(name, place)
        return stand_ins.concrete(text)


class _NotAsked(Exception):
    """The question depends on more than can be recorded."""


def _question(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    limits: Limits,
    how: str,
    *,
    own: bool = True,
    stdin: bytes = b"",
) -> _Question | None:
    """What is asked, if a compiler is; the folder may be the run's own."""
    try:
        compiler = _compiler(words[0], env.get("PATH", ""))
        if compiler is None:
            return None
        named = [Path(found) for word in words[1:] for found in _PATH.findall(word)]
        apart = *_SYSTEM, "/dev/"
        named = [path for path in named if not stand_ins.general(str(path)).startswith(apart)]
        places = _places(folder, named, words[0], env)
        roots = (folder, *(path for path in named if not path.is_relative_to(folder)))
        if not own:
            roots = tuple(folder / part for word in words[1:] for part in re.split("[=,:]", word))
        if not named and all(word.startswith("-") for word in words[1:]):
            roots = ()  # such as --version: nothing is read
        files, before = _files(folder, words, roots)
    except (OSError, _NotAsked):
        return None
    question = _Question(compiler, "", places, roots, before)
    asked = [
        compiler,
        [Path(words[0]).name, *map(question.general, words[1:])],
        sorted((question.general(name), _digest(question, data)) for name, data in files.items()),
        sorted((n, v) for n, v in env.items() if n.startswith(_READ_BY_COMPILERS)),
        [limits.output, how, *([_digest(question, stdin)] if stdin else [])],
    ]
    key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:32]
    return replace(question, key=key)


def release_of(program: str) -> str | None:
    """The name of a real compiler and its release; None for all other programs."""
    return _compiler(program, os.environ.get("PATH", ""))


@cache
def _compiler(program: str, path: str) -> str | None:
    if not _COMPILERS.fullmatch(Path(program).name):
        return None
    found = shutil.which(program, path=path or None)
    if found is None:
        return None
    real = Path(found).resolve()
    if (tool := stand_ins.tool_of(real)) is not None:
        return tool.release
    with real.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return None  # a script that plays a compiler
    if (installed := _INSTALLED.search(str(real))) is not None:
        return installed[1]
    return stand_ins.release(real) if str(real).startswith(_SYSTEM) else None


def _places(
    folder: Path, named: Sequence[Path], program: str, env: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    real = str(Path(shutil.which(program, path=env.get("PATH")) or program).resolve())
    installed = _INSTALLED.search(real)
    toolchains = real[: installed.start(1)] if installed else str(Path(real).parent)
    found = {str(folder): "«folder»", str(folder.resolve()): "«folder»", toolchains: "«tools»"}
    for number, path in enumerate(named):
        if not path.is_relative_to(folder) and not str(path).startswith(toolchains):
            own = _OWN.fullmatch(path.name)  # a temporary folder, whose name is random
            found.setdefault(str(path if own else path.parent), f"«{number}»")
    for text in (str(folder), *map(str, named)):
        if base := _TEMPORARY.match(text):
            found.setdefault(base[0], "«tests»")
    if (scratch := env.get("TMPDIR")) is not None:
        found.setdefault(scratch, "«scratch»")
    found.pop("/", None)
    found.pop("/tmp", None)
    return tuple(sorted(found.items(), key=lambda item: (-len(item[0]), item)))


def _files(
    folder: Path, words: Sequence[str], roots: Sequence[Path]
) -> tuple[Files, dict[Path, tuple[int, int, int]]]:
    """The contents of the files that a run may read, and the state of those that it may write."""
    before = _states(roots)
    read = {path for path in before if not path.is_symlink() and path.is_relative_to(folder)}
    for word in words[1:]:
        for part in (word, *re.split(r"[=,:{} ]", word)):
            path = folder / part if part else folder
            with suppress(OSError):  # a word that is too long for a name
                if path.is_file() and not str(path).startswith("/dev/"):
                    read.add(path)
    contents = {}
    for path in read:
        if path.stat().st_size > _MOST_BYTES:
            raise _NotAsked
        contents[str(path)] = path.read_bytes()
    return contents, before


def _states(roots: Sequence[Path]) -> dict[Path, tuple[int, int, int]]:
    found: dict[Path, tuple[int, int, int]] = {}
    for root in roots:
        paths = [root] if root.is_file() else sorted(root.rglob("*")) if root.is_dir() else []
        if len(paths) > _MOST_FILES:
            raise _NotAsked
        for path in paths:
            if path.is_file():
                state = path.stat()
                found[path] = state.st_ino, state.st_mtime_ns, state.st_size
    return found


def _digest(question: _Question, data: bytes) -> str:
    with suppress(UnicodeDecodeError):
        data = _TEMPORARY.sub("«tests»", question.general(data.decode())).encode()
    return hashlib.sha256(data).hexdigest()


def _written(question: _Question) -> dict[str, str] | None:
    """What a run has written, by place; None if that is too much to record."""
    written = {}
    try:
        states = _states(question.roots)
    except _NotAsked:
        return None
    for path, state in states.items():
        if question.before.get(path) != state:
            if state[2] > _MOST_ANSWERED:
                return None
            data = path.read_bytes()
            written[question.general(str(path))] = base64.b64encode(data).decode()
    return written


class _Chunks:
    """Passes the output of a program on to a reader, and remembers it."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.read: list[tuple[str, bytes]] = []

    def __call__(self, stream: str, chunk: bytes) -> bool:
        self.read.append((stream, chunk))
        return self._reader(stream, chunk)

    def restart(self) -> None:
        self.read.clear()
        self._reader.restart()


@dataclass(frozen=True)
class _Unstarted:
    """A run of a compiler that was asked for, and is started if nothing is recorded."""

    words: Sequence[str]
    folder: Path
    env: Mapping[str, str]
    reach: Reach | None
    limits: Limits


_recordings = Recordings("off")
_live = False


def _child(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    reach: Reach | None,
    limits: Limits,
) -> "Child | _Unstarted":
    path = env.get("PATH", "")
    if _recordings.mode == "off" or _compiler(words[0], path) is None:
        return Child(words, folder, env, reach, limits)
    if _live and _stand_in(words[0], path) is None:
        return Child(words, folder, env, reach, limits)
    return _Unstarted(tuple(map(os.fspath, words)), folder, env, reach, limits)


def _stand_in(program: str, path: str | None) -> stand_ins.Tool | None:
    """What a program stands in for."""
    found = shutil.which(program, path=path)
    return found and stand_ins.tool_of(Path(found).resolve())


def _watch(
    child: "Child | _Unstarted",
    *,
    limits: Limits,
    cancel: threading.Event | None,
    seat: Seat,
    reader: Reader | None = None,
) -> ProcessResult:
    if isinstance(child, Child):
        return watch(child, limits=limits, cancel=cancel, seat=seat, reader=reader)
    how = "read" if reader else "kept"
    question = _question(child.words, child.folder, child.env, limits, how)
    known = _recordings.find(question.key) if question else None
    _log(child, question, known is not None)
    tool = _stand_in(child.words[0], child.env.get("PATH"))
    is_here = tool is None or bool(tool.program)
    plays = not is_here or not (_live or _recordings.mode == "compare")
    if known and question and plays and not (cancel and cancel.is_set()):
        nearly = _NEARLY if is_here else 1.0  # it was within them when it was recorded
        result = _played(question, known, limits, reader, nearly)
        if result is not None:
            return result
        if reader is not None:
            reader.restart()
    if _recordings.mode == "end":
        os._exit(UNKNOWN)
    chunks = None if reader is None else _Chunks(reader)
    words, reach = child.words, child.reach
    if tool is not None and is_here:
        words = [tool.program, *map(stand_ins.real, words[1:])]
        if reach is not None:
            how = current_confinement() or Confinement()
            reach = reach_of(words, child.folder, child.env, how)
    started = Child(words, child.folder, child.env, reach, child.limits)
    result = watch(started, limits=limits, cancel=cancel, seat=seat, reader=chunks)
    if tool is not None:
        said = {name: stand_ins.concrete(getattr(result, name)) for name in ("stdout", "stderr")}
        result = replace(result, **said)
    if question is None or not is_here:
        return result
    if known is not None:
        if _recordings.mode == "compare" and _differs(question, known, result):
            _recordings.differ(question.key, child.words)
    elif _recordings.mode in ("add", "renew") and result.end in (End.EXITED, End.STOPPED):
        _record(question, result, chunks)
    return result


def _log(run: _Unstarted, question: _Question | None, known: bool) -> None:
    """Write a question to the file of questions, with the programs that it is about."""
    if (file := os.environ.get(ASKED)) is None:
        return
    texts = {}
    for path in question.before if question else ():
        if not path.is_symlink() and path.stat().st_size < _MOST_SHOWN:
            texts[path.name] = path.read_text(encoding="utf-8", errors="replace")
    words = [question.general(word) if question else word for word in run.words]
    asked = {"key": question.key if question else "", "words": words, "texts": texts}
    with Path(file).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({**asked, "known": known}) + "\n")


def _record(question: _Question, result: ProcessResult, chunks: _Chunks | None) -> None:
    written = _written(question)
    if written is None or (result.exit_code == -9 and result.end is End.EXITED):
        return
    answer = {
        **asdict(result),
        "seconds": round(result.seconds, 2),
        "cpu_seconds": round(result.cpu_seconds, 2),
        "stdout": question.general(result.stdout),
        "stderr": question.general(result.stderr),
        "written": written,
    }
    if chunks is not None:
        answer["chunks"] = [
            (stream, question.general(data.decode("latin-1"))) for stream, data in _joined(chunks)
        ]
    _recordings.add(question.key, question.compiler, answer)


def _joined(chunks: _Chunks) -> list[tuple[str, bytes]]:
    joined: list[tuple[str, bytes]] = []
    for stream, data in chunks.read:
        if joined and joined[-1][0] == stream:
            joined[-1] = stream, joined[-1][1] + data
        else:
            joined.append((stream, data))
    return joined


def _played(
    question: _Question,
    known: Mapping[str, Any],
    limits: Limits,
    reader: Reader | None,
    nearly: float = _NEARLY,
) -> ProcessResult | None:
    """The recorded outcome; None if it cannot be told whether it holds within these limits."""
    for most, taken in (
        (limits.seconds, known["seconds"]),
        (limits.cpu, known["cpu_seconds"]),
        (limits.memory, known["peak_memory"]),
    ):
        if most is not None and taken > nearly * most:
            return None
    end = End(known["end"])
    for stream, text in known.get("chunks", ()):
        if reader is not None and reader(stream, question.concrete(text).encode("latin-1")):
            end = End.STOPPED
            break
    else:
        if end is End.STOPPED:
            return None  # the reader wants more than the one of that time
    for name, data in known["written"].items():
        path = Path(question.concrete(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data))
    names = "exit_code", "seconds", "cpu_seconds", "peak_memory"
    return ProcessResult(
        end=end,
        **{name: known[name] for name in names},
        stdout=question.concrete(known["stdout"]),
        stderr=question.concrete(known["stderr"]),
    )


def _differs(question: _Question, known: Mapping[str, Any], result: ProcessResult) -> bool:
    def same(text: str) -> str:
        return _ADDRESS.sub("#", question.general(text))

    return (result.exit_code, same(result.stdout), same(result.stderr)) != (
        known["exit_code"],
        _ADDRESS.sub("#", known["stdout"]),
        _ADDRESS.sub("#", known["stderr"]),
    )


@dataclass(frozen=True)
class _Symbols:
    """The functions of a library, recorded by what was asked of them."""

    tool: stand_ins.Tool
    module: str
    index: SymbolIndex | None
    """None if there are none, or if the tool is absent."""

    def __getattr__(self, method: str) -> Callable[..., Any]:
        return partial(self.ask, method)

    def ask(self, method: str, *arguments: Any) -> Any:
        asked = json.dumps([self.tool.release, self.module, method, arguments])
        key = hashlib.sha256(asked.encode()).hexdigest()[:32]
        if (known := _recordings.find(key)) is not None:
            return known["answer"]
        if not self.tool.program:
            stand_ins.note(f"{self.module}: {method} {arguments}")
            return None
        answer = self.index is not None
        if method != "exist":
            answer = getattr(self.index, method)(*arguments)
        if _recordings.mode in ("add", "renew"):
            _recordings.add(key, self.tool.release, {"answer": answer})
        return answer


def _symbols(oracle: CompilerOracle, module: str) -> "SymbolIndex | _Symbols | None":
    tool = _stand_in(str(oracle.executable), None)
    if tool is None:
        return _symbols_of(oracle, module)
    index = None
    if tool.program:
        index = _symbols_of(CompilerOracle(oracle.command, Path(tool.program)), module)
    symbols = _Symbols(tool, module, index)
    return symbols if symbols.ask("exist") else None


_symbols_of = CompilerOracle.symbols


def stand_in() -> None:
    """Be the tool that a script has started; never returns."""
    global _recordings
    from tests.support import starts

    faulthandler.disable()
    starts.watch()
    program, words = Path(sys.argv[0]).resolve(), sys.argv[1:]
    os.environ[stand_ins.FOLDER] = str(program.parents[3])
    tool = stand_ins.tool_of(program)
    assert tool is not None
    unsaved = os.environ.get(recordings.UNSAVED)
    _recordings = Recordings(recordings.mode(), Path(unsaved) if unsaved else None, tool.release)
    has_input = any(not word.startswith("-") and Path(word).is_file() for word in words)
    reads = "-" in words or not (has_input or {"--help", "--version"} & set(words))
    stdin = sys.stdin.buffer.read() if reads else b""
    unstarted = _Unstarted((str(program), *words), Path.cwd(), os.environ, None, Limits())
    result = _alone(tool, unstarted, stdin)
    sys.stdout.write(result.stdout)
    sys.stderr.write(result.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    if result.exit_code < 0:
        signal.signal(-result.exit_code, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.kill(os.getpid(), -result.exit_code)
    os._exit(result.exit_code)


def _alone(tool: stand_ins.Tool, run: _Unstarted, stdin: bytes) -> ProcessResult:
    """The outcome of a run that this program has not started, in any folder and with any input."""
    words, limits = run.words, Limits()
    question = _question(words, run.folder, run.env, limits, "alone", own=False, stdin=stdin)
    known = _recordings.find(question.key) if question else None
    if question and known and not (tool.program and _recordings.mode == "compare"):
        played = _played(question, known, limits, None)
        assert played is not None
        return played
    if not tool.program:
        asked = shlex.join([Path(words[0]).name, *words[1:]])
        stand_ins.note(asked)
        said = f"{asked}: {stand_ins.NOT_RECORDED}\n"
        return ProcessResult(End.EXITED, UNKNOWN, 0.0, 0.0, 0, "", said)
    real = [tool.program, *map(stand_ins.real, words[1:])]
    done = subprocess.run(real, input=stdin, capture_output=True, check=False)
    texts = (stand_ins.concrete(data.decode()) for data in (done.stdout, done.stderr))
    result = ProcessResult(End.EXITED, done.returncode, 0.0, 0.0, 0, *texts)
    if question and known and _differs(question, known, result):
        _recordings.differ(question.key, words)
    elif question and _recordings.mode in ("add", "renew"):
        _record(question, result, None)
    return result


def install() -> None:
    """Replay in this process from now on, as the environment says."""
    global _recordings
    unsaved = os.environ.get(recordings.UNSAVED)
    _recordings = Recordings(recordings.mode(), Path(unsaved) if unsaved else None)
    process.Child = _child  # type: ignore[assignment, misc]
    process.watch = _watch  # type: ignore[assignment]
    CompilerOracle.symbols = _symbols  # type: ignore[assignment, method-assign]


def load() -> None:
    """Read the recordings now rather than on first use."""
    _recordings.find("")


def is_live() -> bool:
    """Whether the compilers themselves run, whatever is recorded."""
    return _live


def live(wanted: bool) -> None:
    """Whether the compilers themselves run, whatever is recorded."""
    global _live
    _live = wanted


def end_where_unknown() -> None:
    """End this process where a compiler would have to run."""
    _recordings.mode = "end"


os.register_at_fork(after_in_child=lambda: _recordings.forked())
