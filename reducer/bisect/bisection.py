"""One bisection: from a query and a line of compilers to what is known of all of them."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from oracles import Command, CompilerOracle, Oracle
from oracles.base import capabilities_of
from oracles.compilers.command import INPUT, resolve_binary
from reducer.bisect.bisector import BisectResult
from reducer.bisect.builds import Build, read_builds
from reducer.bisect.query import PUBLISHED, BisectQuery, adaptations
from reducer.bisect.runner import ReleaseRunner
from reducer.driver.failing import FailingProgram
from reducer.errors import CommandNotFound, UsageError
from reducer.identity.builds import Health
from reducer.storage.journal import Journal
from reducer.storage.result_folder import bisect_journal_of
from reducer.toolchain import (
    ToolchainError,
    resolve_executable,
    toolchains_folder,
)
from reducer.toolchain.model import age_of, checked_version

_ROOM = 8 << 30
_IDENTITY = {"command": "bisect"}


@dataclass(frozen=True)
class Bisection:
    """The verdicts, and the runner that gave them, which knows what they have cost."""

    result: BisectResult
    runner: ReleaseRunner

    @property
    def versions(self) -> list[dict[str, Any]]:
        """The releases, the oldest first, with the verdict on each, what it says, its numbers."""
        ran = self.result.results
        rows = [(one.version, str(one.verdict), one.message, dict(one.numbers)) for one in ran]
        rows += [(version, str(Health.NOT_ASKED), "", {}) for version in self.result.untested]
        rows.sort(key=lambda row: age_of(row[0]))
        names = "version", "verdict", "note", "numbers"
        return [dict(zip(names, row, strict=True)) for row in rows]

    def to_json(self) -> dict[str, Any]:
        """The fields of `bisect --json`."""
        result, runner = self.result, self.runner
        first, fixed = result.first, result.fixed
        return {
            "signature": result.signature.text,
            "bucket": result.signature.bucket,
            "reference": result.reference,
            "first_bad": first and first.bad,
            "last_good": first and first.good,
            "last_bad": fixed and fixed.bad,
            "first_good_again": fixed and fixed.good,
            "blames": [blame.to_json() for blame in result.blames],
            "undecided": [*(first.between if first else ()), *(fixed.between if fixed else ())],
            "also_bad": list(result.other_bad),
            "releases": [answer.to_json() for answer in result.results],
            "not_asked": list(result.untested),
            "notes": list(result.notes),
            "builds": {build.label: str(build.program) for build in runner.query.builds.values()},
            "adaptations": dict(adaptations(result.results)),
            "runs": runner.cost.calls,
            **runner.cost.times(),
            "fetched": runner.fetched,
            "fetched_bytes": round(runner.megabytes * 1e6),
        }


def query_of_program(it: FailingProgram, compilers: Sequence[str] = ()) -> BisectQuery:
    """The query about a program that a compiler fails on.

    Args:
        compilers: what to bisect, oldest first: `releases`, versions, and builds (PATH or
            LABEL=PATH); all published releases by default.

    Raises:
        UsageError: its oracle runs no compiler, or two builds have the same name.
        CommandNotFound: there is no such program.
    """
    compiler = capabilities_of(it.oracle).failures
    if compiler is None:
        raise UsageError("only the failure of a command can be bisected")
    line, builds = read_line(compilers)
    by_label = {build.label: build for build in builds}
    words = tuple(compiler.command.expand(INPUT))
    make = partial(_with_release, compiler, by_label)
    seconds = compiler.limits.seconds
    return BisectQuery(it.text, words, make, timeout=seconds, builds=by_label, line=line)


def _with_release(
    compiler: CompilerOracle,
    builds: Mapping[str, Build],
    version: str,
    words: Sequence[str],
    text: str,
) -> Oracle:
    command = Command.parse(words, directory=compiler.command.directory)
    build = builds.get(version)
    program = build.program if build else resolve_executable(command.program, version)
    return replace(compiler, command=command, executable=program)


def journal_of(path: Path, log: Callable[[str], None]) -> Journal:
    """The journal of an input, shared by all queries about it."""
    return Journal.open(bisect_journal_of(path), identity=_IDENTITY, log=log)


def has_room() -> bool:
    """Whether releases can stay installed for the next bisection; each takes some 400 MB."""
    place = next(one for one in (toolchains_folder(), *toolchains_folder().parents) if one.is_dir())
    return shutil.disk_usage(place).free > _ROOM


def read_line(compilers: Sequence[str]) -> tuple[tuple[str, ...], tuple[Build, ...]]:
    """The names on the line that `--compiler` describes, and the builds among them.

    Raises:
        UsageError: two have the same name.
        CommandNotFound: there is no such program.
    """
    if not compilers:
        return (PUBLISHED,), ()
    points = [_point(value) for value in compilers]
    releases = [point for point in points if isinstance(point, str)]
    builds = read_builds([point for point in points if not isinstance(point, str)], releases)
    labels = iter(build.label for build in builds)
    names = tuple(point if isinstance(point, str) else next(labels) for point in points)
    return names, builds


def _point(value: str) -> str | tuple[str, Path]:
    """A version, or the label and path of a build."""
    if value == PUBLISHED:
        return value
    label, equals, path = value.partition("=")
    if not equals or Path(value).exists():
        label, path = "", value
    if not label and "/" not in path and not Path(path).exists():
        with suppress(ToolchainError):
            return checked_version(path)
    found = shutil.which(f"./{path}" if Path(path).is_file() and "/" not in path else path)
    if found is None:
        raise CommandNotFound(
            f"--compiler: '{path}' is neither an executable program nor a version"
        )
    return label, resolve_binary(Path(found).absolute())
