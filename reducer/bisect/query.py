"""What is run on every release, its result, and how the command was adapted to releases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePath

from oracles import Kind, Oracle, Outcome
from oracles.profiles import DEFAULT, RELEASES
from reducer.bisect.builds import Build
from reducer.errors import UsageError
from reducer.identity.builds import Health
from reducer.toolchain import Toolchain

PUBLISHED = "releases"
"""Stands for all published releases on a line."""


class ReleaseVerdict(StrEnum):
    """Whether a release has the bug.

    Only `good` and `bad` are decisive. A release that fails in another way may hide the bug or may
    have fixed it; one that cannot read the input or the command provides no information.
    """

    BAD = "bad"
    GOOD = "good"
    OTHER = "another failure"
    CANNOT_TELL = "cannot tell"

    @property
    def decides(self) -> bool:
        """Whether the verdict shows that the bug is present or absent."""
        return self in (ReleaseVerdict.BAD, ReleaseVerdict.GOOD)


_HEALTH: dict[str, Health] = {
    ReleaseVerdict.BAD: Health.SAME,
    ReleaseVerdict.GOOD: Health.COMPILES,
    ReleaseVerdict.OTHER: Health.OTHER,
    ReleaseVerdict.CANNOT_TELL: Health.UNKNOWN,
}


def health_of(verdict: str) -> Health:
    """What the word for a verdict says; any other word stands for a release that was not run."""
    return _HEALTH.get(verdict, Health.NOT_ASKED)


@dataclass(frozen=True)
class ReleaseResult:
    """The result of one release, or of one build, which has its label as `version`.

    `seconds` is the wall time of its compiler (of the original run if cached). `message` is its
    error, or the reason why it cannot tell. `bucket` names the failure ('' if it did not fail).
    `flags` is the command as given to this release, `notes` how it was adapted, and `numbers`
    are those of a metric.
    """

    version: str
    verdict: ReleaseVerdict
    seconds: float = 0.0
    message: str = ""
    bucket: str = ""
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    numbers: tuple[tuple[str, float], ...] = ()

    def to_json(self) -> dict[str, object]:
        """The result as JSON-serializable values."""
        return {
            "version": self.version,
            "verdict": str(self.verdict),
            "wall_seconds": round(self.seconds, 3),
            "message": self.message,
            "bucket": self.bucket or None,
            "flags": list(self.flags),
            "notes": list(self.notes),
            **({"numbers": dict(self.numbers)} if self.numbers else {}),
        }


MakeOracle = Callable[[str, Sequence[str], str], Oracle]
"""Makes the oracle for a version, a command and a text. May raise ToolchainError."""


@dataclass(frozen=True)
class BisectQuery:
    """A text, a command (its program first), and the failure to look for.

    `identity` changes with everything else that affects outcomes: patterns, references, limits.
    `kinds` are the accepted kinds of failure; None accepts all. `timeout` is in seconds. `builds`
    are the user's own compilers by label, and `line` names what is bisected, oldest first:
    versions, these labels, and `PUBLISHED` for all published releases. Releases are installed with
    their runtime if the oracle `needs_runtime`.

    Raises:
        UsageError: the program is not part of a release.
    """

    text: str
    words: tuple[str, ...]
    make_oracle: MakeOracle
    identity: str = ""
    kinds: frozenset[Kind] | None = None
    timeout: float | None = None
    builds: Mapping[str, Build] = field(default_factory=dict)
    line: tuple[str, ...] = (PUBLISHED,)
    needs_runtime: bool = False

    def __post_init__(self) -> None:
        if not self.words:
            raise UsageError(
                "no command to run; put the failing command after two dashes: "
                f"INPUT -- {DEFAULT.compiler} FLAGS"
            )
        if self.releases and not Toolchain.provides(self.tool):
            raise UsageError(
                f"'{self.words[0]}' is not part of the published releases; give "
                f"{' or '.join(RELEASES.tools)}"
            )

    @property
    def releases(self) -> bool:
        """Whether there is anything but builds on the line."""
        return len(self.builds) < len(self.line)

    @property
    def tool(self) -> str:
        """The name of the program, without its folder."""
        return PurePath(self.words[0]).name

    def keeps(self, outcome: Outcome) -> bool:
        """Whether an outcome is a failure of the kind to look for."""
        return outcome.failed and (self.kinds is None or outcome.kind in self.kinds)


def adaptations(results: Sequence[ReleaseResult]) -> list[tuple[str, str]]:
    """Each note about several releases, and the releases that it holds for, in words.

    `results` are in the order of the line. Releases that could not be run say nothing, so they do
    not interrupt a range.
    """
    ran = [result for result in results if result.flags]
    notes = dict.fromkeys(note for result in ran for note in result.notes if note)
    return [(note, _range([note in result.notes for result in ran], ran)) for note in notes]


def _range(holds: Sequence[bool], ran: Sequence[ReleaseResult]) -> str:
    versions = [result.version for result, held in zip(ran, holds, strict=True) if held]
    first = holds.index(True)
    last = len(holds) - 1 - holds[::-1].index(True)
    from_start, to_end = first == 0, last == len(holds) - 1
    if not all(holds[first : last + 1]):
        return ", ".join(versions)
    if from_start and to_end:
        return "in every release"
    if from_start:
        return f"up to {versions[-1]}"
    if to_end:
        return f"from {versions[0]} on"
    return versions[0] if first == last else f"{versions[0]} to {versions[-1]}"
