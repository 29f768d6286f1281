"""The corpus: real compiler failures under corpus/, each a folder with a `case.toml`.

A folder holds `expert.mlir`, the smallest input a person found for the bug, and usually
`input.mlir` or `input.mlir.xz`, the input as it was first seen. A case without an input of its
own is one whose bug came from somewhere else than a model at hand: benchmarks plant its expert
into a healthy module to get something to reduce.
"""

import lzma
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parents[2] / "corpus"


@dataclass(frozen=True)
class Run:
    """One compiler version on which the case fails, and how."""

    wheel: str
    flags: tuple[str, ...]
    kind: str
    message: str
    """A part of what the compiler prints (for a miscompile: of what the program prints)."""
    seconds: float
    """Wall time of the compiler as once measured on two busy cores: an order of magnitude."""


@dataclass(frozen=True)
class Execution:
    """How a miscompiled program is run: arguments of `iree-run-module`, and the right output."""

    arguments: tuple[str, ...]
    expected: str


@dataclass(frozen=True)
class Case:
    """One failure."""

    folder: Path
    title: str
    origin: str
    issue: str | None
    runs: tuple[Run, ...]
    failing: tuple[str, ...]
    """Versions known to fail this way, beyond those of `runs`."""
    healthy: tuple[str, ...]
    """Versions known to compile it."""
    execution: Execution | None

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def expert(self) -> Path | None:
        """The small input that a person wrote, if there is one."""
        path = self.folder / "expert.mlir"
        return path if path.is_file() else None

    @property
    def has_own_input(self) -> bool:
        """Whether there is an input other than the expert's."""
        return any(path.is_file() for path in self._input_files)

    def input_text(self) -> str:
        """The input as it was first seen, or the expert's where that is all there is."""
        plain, packed = self._input_files
        if plain.is_file():
            return plain.read_text()
        if packed.is_file():
            with lzma.open(packed, "rt", encoding="utf-8") as stream:
                return stream.read()
        if self.expert is None:
            raise FileNotFoundError(f"{self.folder} has neither an input nor an expert")
        return self.expert.read_text()

    def write_input(self, target: Path) -> Path:
        """Writes the input to a file, its folder included, and returns the file's path."""
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(self.input_text())
        return target

    @property
    def _input_files(self) -> tuple[Path, Path]:
        return self.folder / "input.mlir", self.folder / "input.mlir.xz"


def load_case(name: str) -> Case:
    """The case of that name; raises FileNotFoundError, KeyError or TypeError if it is not one."""
    folder = CORPUS / name
    manifest = tomllib.loads((folder / "case.toml").read_text())
    execution = manifest.pop("execution", None)
    runs = tuple(Run(**{**run, "flags": tuple(run["flags"])}) for run in manifest.pop("runs"))
    return Case(
        folder=folder,
        issue=manifest.pop("issue", None),
        runs=runs,
        failing=tuple(manifest.pop("failing", ())),
        healthy=tuple(manifest.pop("healthy", ())),
        execution=execution and Execution(tuple(execution["arguments"]), execution["expected"]),
        **manifest,
    )


def case_names() -> list[str]:
    """The names of all cases, sorted."""
    return sorted(path.parent.name for path in CORPUS.glob("*/case.toml"))


def cases() -> Iterator[Case]:
    """All cases, by name."""
    return map(load_case, case_names())
