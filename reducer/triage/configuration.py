"""Compilers and the flags they are run with: what a result belongs to beside its input."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from packaging.version import InvalidVersion, Version

from oracles import Command
from oracles.base import file_identity
from oracles.compiler import READING
from reducer.toolchain import Toolchain, install, resolve_executable


@dataclass(frozen=True)
class Compiler:
    """A compiler. `version` is None for one that is no release; then `program` is its path.

    `identity` changes whenever results could: with the release, with the file of a build of one's
    own, and with the way in which this program reads what a compiler prints.
    """

    program: str
    version: str | None
    identity: str

    @property
    def name(self) -> str:
        """The version, or the path: enough to tell people which it is, and different for each."""
        if self.version is None or self.program == "iree-compile":
            return self.version or self.program
        return f"{self.version} {self.program}"


def find_compiler(
    program: str, version: str | None, progress: Callable[[str], None] | None = None
) -> Compiler:
    """The compiler that a program and a version stand for, installed if it is missing.

    Raises ToolchainError where it cannot be had.
    """
    if version is not None and Toolchain.provides(Path(program).name):
        found = install(version, progress=progress)
        tool = Path(program).name
        return Compiler(tool, found.version, f"{READING} {tool} {found.version}")
    executable = resolve_executable(program, None, progress=progress).absolute()
    libraries = sorted(executable.resolve().parent.glob("lib*.so*"))
    files = " ".join(file_identity(path) for path in [executable, *libraries])
    return Compiler(str(executable), None, f"{READING} {files}")


def order_of(version: str | None, number: int) -> tuple[int, Version, int]:
    """Sorts compilers from old to new: releases by version, builds of one's own as they came."""
    try:
        return (0, Version(version), 0) if version else (1, Version("0"), number)
    except InvalidVersion:
        return 1, Version("0"), number


@dataclass(frozen=True)
class Configuration:
    """A compiler with flags. `directory` is where relative paths in the flags start."""

    compiler: Compiler
    flags: tuple[str, ...]
    directory: str

    @property
    def name(self) -> str:
        """One line for people."""
        return f"{self.compiler.name} {shlex.join(self.flags)}".rstrip()

    @cached_property
    def files(self) -> str:
        """A hash of the files that flags name, for they decide too; '' if there is none."""
        command = Command.parse(
            [self.compiler.program, *self.flags], directory=Path(self.directory)
        )
        digests = [sha256(path.read_bytes()).hexdigest() for path in command.files()]
        return sha256(" ".join(digests).encode()).hexdigest() if digests else ""
