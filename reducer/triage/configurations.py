"""Compilers and the flags that they run with, from the command line or a file of flag lines.

One configuration a line, in a shell's quoting, with `#` comments. What stands before a colon says
what the line is for: patterns of file names, and after an `@` compiler versions. A line without
it is for every input.

    --iree-hal-target-device=hip --iree-rocm-target=gfx942
    cpu/*.mlir cpu/*.mlir.xz: --iree-hal-target-device=local
    *.mlir @<3.12: --iree-hal-target-device=hip --iree-hip-target=gfx942
    "my model.mlir":
"""

import fnmatch
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePath

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from oracles import Command
from oracles.base import file_identity
from oracles.compiler import CLASSIFIER_VERSION
from reducer.errors import MissingInput, UsageError
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
        return Compiler(tool, found.version, f"{CLASSIFIER_VERSION} {tool} {found.version}")
    executable = resolve_executable(program, None, progress=progress).absolute()
    libraries = sorted(executable.resolve().parent.glob("lib*.so*"))
    files = " ".join(file_identity(path) for path in [executable, *libraries])
    return Compiler(str(executable), None, f"{CLASSIFIER_VERSION} {files}")


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


_NEWEST = "99999"


@dataclass(frozen=True)
class FlagsLine:
    """One line: flags, and what they are for. No patterns: any input; no versions: any compiler."""

    flags: tuple[str, ...]
    patterns: tuple[str, ...] = ()
    versions: SpecifierSet | None = None

    def fits(self, path: PurePath, version: str | None) -> bool:
        """Whether the line is for this input (its path below the folder given) and compiler."""
        return self._fits_path(path) and self._fits_version(version)

    def _fits_path(self, path: PurePath) -> bool:
        """A pattern without a slash is matched with the name, any other with the whole path."""
        if not self.patterns:
            return True
        return any(
            fnmatch.fnmatchcase(str(path) if "/" in pattern else path.name, pattern)
            for pattern in self.patterns
        )

    def _fits_version(self, version: str | None) -> bool:
        """A compiler that has no version is taken for one newer than all that have one."""
        if self.versions is None:
            return True
        try:
            base = Version(version or "").base_version  # a candidate takes the flags of its release
        except InvalidVersion:
            base = _NEWEST
        return self.versions.contains(base)


EVERYTHING = (FlagsLine(()),)
"""No flags but those of the command line, for each input."""


def read_flags_file(path: Path) -> tuple[FlagsLine, ...]:
    """The lines of a file.

    Raises MissingInput where it cannot be read, UsageError with the line that makes no sense.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MissingInput(f"cannot read {path}: {error}") from error
    lines = tuple(parse_flags(text, str(path)))
    if not lines:
        raise UsageError(f"{path} has no line with flags")
    return lines


def parse_flags(text: str, name: str = "flags") -> Iterator[FlagsLine]:
    """Each line that is no comment. `name` is for messages. Raises UsageError."""
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            words = shlex.split(line, comments=True)
            if words:
                yield _parsed(words)
        except (ValueError, InvalidSpecifier) as error:
            raise UsageError(f"{name}:{number}: {error}") from error


def _parsed(words: Sequence[str]) -> FlagsLine:
    if words[0].startswith("-"):
        return FlagsLine(tuple(words))
    end = next((n for n, word in enumerate(words) if word.endswith(":")), None)
    if end is None:
        raise ValueError("a line starts with a flag, or with patterns and a colon")
    selectors = [*words[:end], words[end].removesuffix(":")]
    patterns = tuple(word for word in selectors if word and not word.startswith("@"))
    versions = ",".join(word[1:] for word in selectors if word.startswith("@"))
    return FlagsLine(tuple(words[end + 1 :]), patterns, SpecifierSet(versions) or None)
