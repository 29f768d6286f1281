"""Compilers and their flags, from the command line or from a flags file.

A flags file has one configuration per line, with shell quoting and `#` comments. An optional prefix
that ends in a colon selects where the line applies: file name patterns, and compiler versions after
an `@`. A line without a prefix applies to every input.

    --iree-hal-target-device=hip --iree-rocm-target=gfx942
    cpu/*.mlir cpu/*.mlir.xz: --iree-hal-target-device=local
    *.mlir @<3.12: --iree-hal-target-device=hip --iree-hip-target=gfx942
    "my model.mlir":
"""

import fnmatch
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePath

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from oracles import Command
from oracles.base import file_identity
from oracles.compilers.compiler import CLASSIFIER_VERSION
from oracles.profiles import DEFAULT
from reducer.errors import MissingInput, UsageError
from reducer.toolchain import Toolchain, install, installed_version, resolve_executable
from reducer.toolchain.metric_request import MetricRequest


@dataclass(frozen=True)
class Compiler:
    """A compiler. For a build that is not a release, `version` is None and `program` its path.

    `identity` changes whenever results could change: with the release, with the files of a local
    build, and with the version of this program's classifier of compiler output. With a `metric`,
    not failures count but what it costs to compile.
    """

    program: str
    version: str | None
    identity: str
    metric: MetricRequest | None = None

    def measuring(self, metric: MetricRequest) -> "Compiler":
        """The same compiler, asked for a number."""
        return replace(self, metric=metric, identity=f"{self.identity} {metric!r}")

    @property
    def name(self) -> str:
        """The version, the path, or both: readable, and unique to this compiler."""
        asked = f" ({self.metric.name})" if self.metric else ""
        if self.version is None or self.program == DEFAULT.compiler:
            return (self.version or self.program) + asked
        return f"{self.version} {self.program}{asked}"


def find_compiler(
    program: str, version: str | None, progress: Callable[[str], None] | None = None
) -> Compiler:
    """The compiler for a program name and version, installed if necessary.

    Raises:
        ToolchainError: it cannot be installed or found.
    """
    if version is not None and Toolchain.provides(Path(program).name):
        program = Path(program).name
    found = install(version, progress=progress) if version and "/" not in program else None
    if found is not None and found.has(program):
        identity = f"{CLASSIFIER_VERSION} {program} {found.version}"
        return Compiler(program, found.version, identity)
    executable = resolve_executable(program, version, progress=progress).absolute()
    if version is None and (release := installed_version(executable)):  # for want of any other
        return find_compiler(executable.name, release, progress)
    libraries = sorted(executable.resolve().parent.glob("lib*.so*"))
    files = " ".join(file_identity(path) for path in [executable, *libraries])
    return Compiler(str(executable), None, f"{CLASSIFIER_VERSION} {files}")


def order_of(version: str | None, number: int) -> tuple[int, Version, int]:
    """Sort key from old to new: releases by version, then local builds in the order first seen."""
    try:
        return (0, Version(version), 0) if version else (1, Version("0"), number)
    except InvalidVersion:
        return 1, Version("0"), number


@dataclass(frozen=True)
class Configuration:
    """A compiler with flags. Relative paths in the flags are resolved against `directory`."""

    compiler: Compiler
    flags: tuple[str, ...]
    directory: str

    @property
    def name(self) -> str:
        """The compiler and its flags, in one line for display."""
        return f"{self.compiler.name} {shlex.join(self.flags)}".rstrip()

    @cached_property
    def files(self) -> str:
        """A hash of the files named in the flags, because results depend on them; '' if none."""
        command = Command.parse(
            [self.compiler.program, *self.flags], directory=Path(self.directory)
        )
        digests = [sha256(path.read_bytes()).hexdigest() for path in command.files()]
        return sha256(" ".join(digests).encode()).hexdigest() if digests else ""


_NEWEST = "99999"


@dataclass(frozen=True)
class FlagsLine:
    """A line of a flags file. Without patterns it fits any input, without versions any compiler."""

    flags: tuple[str, ...]
    patterns: tuple[str, ...] = ()
    versions: SpecifierSet | None = None

    def fits(self, path: PurePath, version: str | None) -> bool:
        """Whether the line applies to this input (a path relative to its folder) and compiler."""
        return self._fits_path(path) and self._fits_version(version)

    def _fits_path(self, path: PurePath) -> bool:
        """Patterns without a slash match the file name, others the whole path."""
        if not self.patterns:
            return True
        return any(
            fnmatch.fnmatchcase(str(path) if "/" in pattern else path.name, pattern)
            for pattern in self.patterns
        )

    def _fits_version(self, version: str | None) -> bool:
        """A compiler without a version counts as newer than all releases."""
        if self.versions is None:
            return True
        try:
            base = Version(version or "").base_version  # release candidates use the release's flags
        except InvalidVersion:
            base = _NEWEST
        return self.versions.contains(base)


EVERYTHING = (FlagsLine(()),)
"""No flags beyond those of the command line, for every input."""


def read_flags_file(path: Path) -> tuple[FlagsLine, ...]:
    """Read a flags file.

    Raises:
        MissingInput: the file cannot be read.
        UsageError: a line is malformed (the message has its number), or there are no flags.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MissingInput(f"cannot read {path}: {error}") from error
    lines = tuple(parse_flags(text, str(path)))
    if not lines:
        raise UsageError(f"{path} contains no flags")
    return lines


def parse_flags(text: str, name: str = "flags") -> Iterator[FlagsLine]:
    """Yield the configuration of each line; `name` is for messages. Raises UsageError."""
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
        raise ValueError("expected flags, or patterns followed by a colon")
    selectors = [*words[:end], words[end].removesuffix(":")]
    patterns = tuple(word for word in selectors if word and not word.startswith("@"))
    versions = ",".join(word[1:] for word in selectors if word.startswith("@"))
    return FlagsLine(tuple(words[end + 1 :]), patterns, SpecifierSet(versions) or None)
