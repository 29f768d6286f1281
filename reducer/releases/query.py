"""What is asked of every release, and what it answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from oracles import CompilerOracle, Kind, Oracle, Outcome
from reducer.errors import UsageError
from reducer.toolchain import Toolchain


class ReleaseVerdict(StrEnum):
    """Whether a release has the bug.

    Only `good` and `bad` decide anything. A release that fails in another way may hide the bug or
    have lost it; one that cannot read the input or the command says nothing at all.
    """

    BAD = "bad"
    GOOD = "good"
    OTHER = "another failure"
    CANNOT_TELL = "cannot tell"

    @property
    def decides(self) -> bool:
        """Whether it says that the bug is there, or that it is not."""
        return self in (ReleaseVerdict.BAD, ReleaseVerdict.GOOD)


@dataclass(frozen=True)
class ReleaseResult:
    """One release, asked.

    `seconds` is the wall time of its compiler, now or when it was run; `message` what it said or
    why it cannot tell; `bucket` names the failure (none where there is none); `flags` is the
    command as this release was given it, `notes` what was done to make it understand.
    """

    version: str
    verdict: ReleaseVerdict
    seconds: float = 0.0
    message: str = ""
    bucket: str = ""
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Plain values."""
        return {
            "version": self.version,
            "verdict": str(self.verdict),
            "seconds": round(self.seconds, 3),
            "message": self.message,
            "bucket": self.bucket or None,
            "flags": list(self.flags),
            "notes": list(self.notes),
        }


MakeOracle = Callable[[str, Sequence[str], str], Oracle]
"""The oracle for a version, the words of a command and a text. Raises ToolchainError."""


@dataclass(frozen=True)
class BisectQuery:
    """A text, a command (its program first), and what is looked for.

    `identity` changes with whatever else decides an outcome: patterns, references, limits. `kinds`
    are the kinds of outcome that may be kept, any failure where it is None. `timeout` is in
    seconds. Raises UsageError where no release brings the program.
    """

    text: str
    words: tuple[str, ...]
    make_oracle: MakeOracle
    identity: str = ""
    kinds: frozenset[Kind] | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        if not self.words:
            raise UsageError(
                "no command to run; put the one that fails after two dashes: "
                "INPUT -- iree-compile --its-flags"
            )
        if not Toolchain.provides(self.tool):
            raise UsageError(
                f"'{self.words[0]}' is no program of a published release: give iree-compile or "
                "iree-opt, which are then run in many versions"
            )

    @property
    def tool(self) -> str:
        """The name of the program."""
        return PurePath(self.words[0]).name

    def keeps(self, outcome: Outcome) -> bool:
        """Whether an outcome is a failure to look for."""
        return outcome.failed and (self.kinds is None or outcome.kind in self.kinds)


def compiler_of(oracle: Oracle) -> CompilerOracle | None:
    """The oracle that only compiles and classifies, inside one that asks for something else."""
    inner = oracle if isinstance(oracle, CompilerOracle) else getattr(oracle, "inner", None)
    return inner if isinstance(inner, CompilerOracle) else None
