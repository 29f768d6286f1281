"""Compilers that the user has built, as points on the line that is bisected."""

import re
import tempfile
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import End, Limits, run_process
from oracles.base import file_identity
from oracles.compilers.command import resolve_binary, verifying_tool
from reducer.errors import UsageError

_VERSION_SECONDS = 20.0
_VERSION = re.compile(r"\bversion (?P<version>\d\S*)(?: @ (?P<commit>[0-9a-f]{7,40}))?")
_COMMIT_LENGTH = 10  # digits, as `git log --oneline` shows in a large repository
_HASH = re.compile(r"\b[0-9a-f]{12,40}\b")


@dataclass(frozen=True)
class Build:
    """A compiler outside the cache. `label` names it where a release is named by its version.

    `version` is what it says of itself; '' if it says nothing.
    """

    label: str
    program: Path
    version: str = ""

    @property
    def opt(self) -> Path | None:
        """The `…-opt` tool beside it; None if there is none."""
        return verifying_tool(self.program)

    @property
    def identity(self) -> str:
        """An identity that changes when it is rebuilt."""
        folder = self.program.resolve().parent
        libraries = [*folder.glob("lib*.so*"), *folder.parent.glob("lib/lib*.so*")]
        return " ".join(map(file_identity, [self.program, *sorted(libraries)]))


def read_builds(
    named: Sequence[tuple[str, Path]], taken: Collection[str] = ()
) -> tuple[Build, ...]:
    """The builds at these paths, each with a label of its own.

    Args:
        named: labels and paths. An empty label becomes the version that `--version` prints, with
            the commit, or the part of the path that tells it from the others if that is not unique.
        taken: the names of other points of the line.

    Raises:
        UsageError: two have the same label.
    """
    builds = [_read(label, program) for label, program in named]
    labels = Counter([*taken, *(build.label for build in builds)])
    unclear = [
        number
        for number, (given, _) in enumerate(named)
        if not given and (labels[builds[number].label] > 1 or not builds[number].label)
    ]
    apart = _apart([builds[number].program for number in unclear])
    for number, label in zip(unclear, apart, strict=True):
        builds[number] = replace(builds[number], label=label)
    labels = Counter([*taken, *(build.label for build in builds)])
    if repeated := [label for label, count in labels.items() if count > 1]:
        raise UsageError(f"two compilers are called {repeated[0]}; give --compiler LABEL=PATH")
    return tuple(builds)


def version_label(answer: str) -> str:
    """A short name for a build, from the output of `--version`; '' if that does not tell.

    >>> version_label("IREE compiler version 3.1.0.dev+5b0740c97a33edce29e7 @ 5b0740c97a33edce29e7")
    '3.1.0.dev@5b0740c97a'
    """
    found = _VERSION.search(answer)
    if found is None:
        return ""
    version, commit = found["version"], found["commit"] or ""
    local, _, suffix = version.partition("+")
    if not commit and _HASH.fullmatch(suffix):
        commit = suffix
    version = local if _HASH.fullmatch(suffix) else version
    return f"{version}@{commit[:_COMMIT_LENGTH]}" if commit else version


def _read(label: str, program: Path) -> Build:
    version = version_label(version_answer(program))
    return Build(label or version, program, version)


def version_answer(program: Path) -> str:
    """The output of `--version`; '' if it has no such flag."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        try:
            words = [str(resolve_binary(program)), "--version"]
            result = run_process(words, cwd=Path(folder), limits=Limits(_VERSION_SECONDS))
        except OSError:
            return ""
    told = result.end is End.EXITED and result.exit_code == 0
    return result.stdout if told else ""


def _apart(paths: Sequence[Path]) -> list[str]:
    """The part of each path that tells it from the others.

    >>> _apart([Path("/w/old/tools/iree-compile"), Path("/w/new/tools/iree-compile")])
    ['old', 'new']
    """
    parts = [path.parts for path in paths]
    if len(set(parts)) < 2:
        return [str(path) for path in paths]
    shortest = min(map(len, parts))
    start = next(n for n in range(shortest + 1) if len({one[: n + 1] for one in parts}) > 1)
    end = next(
        n for n in range(shortest + 1) if len({one[len(one) - n - 1 :] for one in parts}) > 1
    )
    return ["/".join(one[start : max(start + 1, len(one) - end)]) for one in parts]
