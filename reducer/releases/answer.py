"""What one release does with the input."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
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
        return self in (Verdict.BAD, Verdict.GOOD)


@dataclass(frozen=True)
class Answer:
    """One release, asked.

    `seconds` is the wall time of its compiler, now or when it was run; `message` what it said or
    why it cannot tell; `bucket` names the failure (none where there is none); `flags` is the
    command as this release was given it, `notes` what was done to make it understand.
    """

    version: str
    verdict: Verdict
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
