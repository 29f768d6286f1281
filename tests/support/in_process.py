"""Compilers that are functions of the tests, and are called where a process would be started.

A test of what a reduction makes of hundreds of runs needs their outcomes, and no processes.
"""

import os
import re
import shutil
import tempfile
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from oracles import End, Limits, ProcessResult
from oracles.run import run_process as process
from oracles.run.confinement import Reach
from oracles.run.limits import Reader
from oracles.run.reaper_client import FIXED_ADDRESSES


@dataclass(frozen=True)
class Run:
    """What a program is started with: its words, the folder, and the last file named in them."""

    words: Sequence[str]
    folder: Path
    fixed: bool = True
    """Whether it has the same addresses each time."""
    layout: int = 0
    """In which way these are fixed."""

    @property
    def input(self) -> str:
        """The name of the input: the last word that is a file; '' if none is."""
        files = (word for word in reversed(self.words[1:]) if (self.folder / word).is_file())
        return next(files, "")

    @property
    def text(self) -> str:
        """The text of the input."""
        return (self.folder / self.input).read_text(encoding="utf-8") if self.input else ""


@dataclass(frozen=True)
class Answer:
    """How a run ends, and how long it takes (computing for `cpu` seconds of it); nobody waits."""

    code: int = 0
    stderr: str = ""
    stdout: str = ""
    seconds: float = 0.0
    cpu: float = 0.0


Program = Callable[[Run], Answer]
SUCCESS = Answer()


class Programs:
    """The programs of a test, by path. All others are started as always."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._by_path: dict[str, Program] = {}
        self._child: Callable[..., Any] = process.Child
        self._watch: Callable[..., Any] = process.watch
        patch.setattr(process, "Child", self._start)
        patch.setattr(process, "watch", self._end)

    def add(self, path: Path, program: Program, *, content: str = "") -> Path:
        """Have `path` be that program; its identity depends on the content of the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/false\n{content}", encoding="utf-8")
        path.chmod(0o755)
        self._by_path[os.path.realpath(path)] = program
        return path

    def _start(
        self,
        words: Sequence[str],
        folder: Path,
        env: Mapping[str, str],
        reach: Reach | None,
        limits: Limits,
    ) -> Any:
        if tuple(words[:2]) == FIXED_ADDRESSES:
            words, limits = words[2:], replace(limits, layout=limits.layout or 0)
        known = _program(words, folder) in self._by_path
        if known:
            return Run(words, folder, limits.layout is not None, limits.layout or 0)
        return self._child(words, folder, env, reach, limits)

    def _end(
        self,
        child: Any,
        *,
        limits: Limits,
        cancel: threading.Event | None,
        reader: Reader | None = None,
        **others: Any,
    ) -> ProcessResult:
        if not isinstance(child, Run):
            return self._watch(child, limits=limits, cancel=cancel, reader=reader, **others)  # type: ignore[no-any-return]
        answer = self._by_path[_program(child.words, child.folder)](child)
        end, code = End.EXITED, answer.code
        if cancel is not None and cancel.is_set():
            end = End.CANCELLED
        elif answer.cpu > (limits.cpu or 1e9) or answer.seconds > (limits.seconds or 1e9):
            end, code = End.TIMEOUT, -9
        elif reader is not None and any(
            reader(name, text.encode())
            for name, text in (("stdout", answer.stdout), ("stderr", answer.stderr))
            if text
        ):
            end = End.STOPPED
        seconds = min(answer.seconds, limits.seconds or 1e9)
        cpu = min(answer.cpu, limits.cpu or 1e9)
        return ProcessResult(end, code, seconds, cpu, 1 << 20, answer.stdout, answer.stderr)


def _program(words: Sequence[str], folder: Path) -> str:
    return os.path.realpath(folder / (shutil.which(words[0]) or words[0]))


def failing(run: Run, message: str, line: int = 1, column: int = 1) -> Answer:
    """The answer of a compiler that prints an error at a place in its input."""
    return Answer(1, f"{run.input}:{line}:{column}: error: {message}\n")


Compiler = Callable[[Run], Answer | None]
"""What a release does with a program; None if it compiles it."""


def copy(run: Run) -> Answer:
    """A tool that prints a module as it is."""
    output = run.words[run.words.index("-o") + 1] if "-o" in run.words else "out.mlir"
    (run.folder / output).write_text(run.text, encoding="utf-8")
    return SUCCESS


def passing_on(program: Path, *flags: str) -> Program:
    """A program that is another one with some more flags."""

    def passed_on(run: Run) -> Answer:
        words = [str(program), *run.words[1:], *flags]
        result = process.run_process(words, cwd=run.folder, limits=Limits())
        return Answer(result.exit_code, result.stderr, result.stdout)

    return passed_on


def output_of(program: Path, text: str, *flags: str) -> str:
    """What a tool prints of a module; '' if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "in.mlir").write_text(text, encoding="utf-8")
        words = [str(program), "in.mlir", *flags]
        result = process.run_process(words, cwd=Path(folder), limits=Limits())
    return "" if result.exit_code else result.stdout


class Releases:
    """Installed releases of IREE, each with a compiler and a tool that prints modules."""

    def __init__(
        self,
        programs: Programs,
        cache: Path,
        compilers: Mapping[str, Compiler],
        flags: Sequence[str],
        opt: Program = copy,
    ) -> None:
        self._flags = flags
        self.runs: list[str] = []
        """One line per run: version, tool, checksum and size of the input, words."""
        for version, compiler in compilers.items():
            root = cache / "toolchains" / f"iree-base-compiler-{version}"
            tools = root / "iree" / "compiler" / "_mlir_libs"
            for tool, does in (("compile", compiler), ("opt", opt)):
                program = self._program(version, tool, does)
                programs.add(tools / f"iree-{tool}", program, content=f"{version} {tool}")

    def _program(self, version: str, tool: str, does: Compiler) -> Program:
        def program(run: Run) -> Answer:
            if run.words[1] == "--help-hidden":
                return Answer(stdout="".join(f"  {f}=<string>   - \n" for f in self._flags))
            for word in run.words[1:]:
                if re.match("--iree-", word) and word.partition("=")[0] not in self._flags:
                    return Answer(1, f"Unknown command line argument '{word}'.  Try: '--help'\n")
            data = run.text.encode()
            told = (version, tool, zlib.crc32(data), len(data), *run.words[1:])
            self.runs.append(" ".join(map(str, told)))
            return does(run) or SUCCESS

        return program
