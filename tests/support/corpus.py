"""The corpus: real compiler failures under corpus/, each a folder with a `case.toml`.

A folder may hold `input.mlir.xz`, the original input, and `expert.mlir`, the smallest input that a
person found for the bug. A case without an original input was not found in a model: benchmarks
plant its expert input into a healthy module to have something to reduce. A case without runs
compiles everywhere.
"""

import lzma
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from packaging.version import Version

from oracles import Command, CompilerOracle, Limits, Oracle, PatternOracle
from reducer.toolchain import install
from tests.support.triton import install_triton, triton_command

TRITON = "triton"
CORPUS = Path(__file__).parents[2] / "corpus"


@dataclass(frozen=True)
class Run:
    """One compiler version on which the case fails, and how."""

    wheel: str
    flags: tuple[str, ...]
    kind: str
    seconds: float
    """Wall-clock time of the compiler, measured once on two busy cores: an order of magnitude."""
    message: str = ""
    """A part of what the compiler prints (for a miscompile: the wrong result)."""
    expert: str | None = None
    """The file with the smallest known input that fails in this way."""
    package: str = "iree-base-compiler"
    program: str = "iree-compile"
    timeout: float | None = None
    """Seconds; exceeding this limit is the failure."""
    memory: int | None = None
    """Megabytes; exceeding this limit is the failure."""
    match: str | None = None
    """A pattern, if the failure is in the output."""

    @property
    def is_plain(self) -> bool:
        """Whether `iree-compile` fails, by itself and within any limits."""
        asks = self.timeout or self.memory or self.match
        return self.program == "iree-compile" and not asks

    @property
    def is_wordless(self) -> bool:
        """Whether the failure prints nothing."""
        return bool(self.timeout or self.memory) or self.program == "iree-opt"

    def limits(self, longest: float | None = None) -> Limits:
        """The limits of a run: `longest` seconds, unless the failure is a timeout."""
        memory = None if self.memory is None else self.memory << 20
        return Limits(self.timeout or longest, memory)

    def oracle(self, limits: Limits) -> Oracle:
        """An oracle for this failure. Installs the compiler."""
        if self.package == TRITON:
            words = [*triton_command(install_triton(self.wheel)), *self.flags]
            executable = Path(words[0])
        else:
            words = [self.program, *self.flags]
            executable = install(self.wheel).tool(self.program)
        oracle = CompilerOracle(Command.parse(words), executable, limits=limits)
        return oracle if self.match is None else PatternOracle(oracle, regex=self.match)

    def opt(self) -> Path:
        """The program that prints its IR in generic form. Installs the compiler."""
        return install("newest" if self.package == TRITON else self.wheel).opt

    def words(self) -> list[str]:
        """The arguments of `mlir-reducer` for this failure, including the command.

        Installs a compiler that `mlir-reducer` does not.
        """
        limits = {"--timeout": self.timeout, "--memory-limit": self.memory, "--match": self.match}
        options = [f"{name}={value}" for name, value in limits.items() if value is not None]
        if self.package == TRITON:
            return [*options, "--", *triton_command(install_triton(self.wheel)), *self.flags]
        return ["--iree", self.wheel, *options, "--", self.program, *self.flags]


@dataclass(frozen=True)
class Execution:
    """How to run a miscompiled program: arguments of `iree-run-module`, and the correct results."""

    arguments: tuple[str, ...]
    expected: tuple[str, ...]
    options: tuple[str, ...] = ()
    """Options of `mlir-reducer`: the reference, inputs. `{folder}` stands for the case's folder."""
    plantable: bool = True
    """Whether the options still apply if the trigger is part of something larger."""


@dataclass(frozen=True)
class Case:
    """One failure."""

    folder: Path
    title: str
    origin: str
    runs: tuple[Run, ...]
    issue: str | None = None
    failing: tuple[str, ...] = ()
    """Versions known to fail like the first run, beyond those of `runs`."""
    healthy: tuple[str, ...] = ()
    """Versions known to compile it."""
    otherwise: tuple[str, ...] = ()
    """Versions known to fail on the input, but differently from the first run."""
    execution: Execution | None = None

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def packed_input(self) -> Path | None:
        """The compressed original input, if there is one."""
        path = self.folder / "input.mlir.xz"
        return path if path.is_file() else None

    def expert(self, run: Run) -> Path | None:
        """The small input that a person wrote for a run of this case, if there is one."""
        return self.folder / run.expert if run.expert else None

    def has(self, name: str, run: Run) -> bool:
        """Whether there is an original "input", or an "expert" for a run."""
        return self.packed_input is not None if name == "input" else run.expert is not None

    def text(self, name: str, run: Run) -> str:
        """The "input" or the "expert" for a run."""
        expert = self.expert(run)
        return self.input_text() if name == "input" or expert is None else expert.read_text()

    def on(self, run: Run, wheels: Collection[str]) -> Run | None:
        """The run, on one of these compiler versions if it fails in the same way there."""
        if run.package == TRITON or run.wheel in wheels:
            return run
        alike = run.wheel == self.runs[0].wheel and sorted({*wheels} & {*self.failing}, key=Version)
        return replace(run, wheel=alike[-1]) if alike else None

    def words(self, run: Run) -> list[str]:
        """The arguments of `mlir-reducer` for a run of this case, including the command."""
        if self.execution is None:
            return run.words()
        options = [option.format(folder=self.folder) for option in self.execution.options]
        return ["--wrong-results", *options, *run.words()]

    def input_text(self) -> str:
        """The original input, or the expert's if there is no other."""
        if self.packed_input is None:
            return (self.folder / "expert.mlir").read_text()
        with lzma.open(self.packed_input, "rt", encoding="utf-8") as stream:
            return stream.read()

    def write_input(self, target: Path) -> Path:
        """Writes the input to a file, its folder included, and returns the file's path."""
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.input_text())
        return target


@cache  # several files choose among all cases while tests are collected
def load_case(name: str) -> Case:
    """The case of that name.

    Raises:
        FileNotFoundError: there is none.
        KeyError, TypeError: a field of its manifest is missing or unknown.
    """
    folder = CORPUS / name
    manifest = tomllib.loads((folder / "case.toml").read_text())
    execution = manifest.pop("execution", None)
    return Case(
        folder,
        runs=tuple(Run(**_with_tuples(run)) for run in manifest.pop("runs")),
        execution=Execution(**_with_tuples(execution)) if execution else None,
        **_with_tuples(manifest),
    )


def _with_tuples(table: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def case_names() -> list[str]:
    """The names of all cases, sorted."""
    return sorted(path.parent.name for path in CORPUS.glob("*/case.toml"))


def cases() -> Iterator[Case]:
    """All cases, by name."""
    return map(load_case, case_names())
