"""The health profile of a program: what happens to it at every other place."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from reducer.identity.builds.configs import BuildConfig


class Health(StrEnum):
    """What happens to a program at one place.

    Only `COMPILES` and `SAME` say something about the bug. Behind another failure the bug may be
    there or not, and a compiler that cannot read the program or the command says nothing at all,
    as does one that runs out of time, or is not asked.
    """

    COMPILES = "compiles"
    SAME = "the same failure"
    OTHER = "another failure"
    UNKNOWN = "cannot tell"
    TIMED_OUT = "timed out"
    NOT_ASKED = "not asked"

    @property
    def failed(self) -> bool:
        """Whether the program fails at the place, in whatever way."""
        return self in (Health.SAME, Health.OTHER)

    @property
    def tells(self) -> bool:
        """Whether this says something about the bug."""
        return self in (Health.COMPILES, Health.SAME)

    def is_lost_in(self, smaller: "Health") -> bool:
        """Whether a smaller program shows another bug, if the original does this.

        It fails where the original compiles, or compiles where the original has the same failure.
        """
        if self is Health.COMPILES:
            return smaller.failed
        return self is Health.SAME and smaller is Health.COMPILES


@dataclass(frozen=True)
class HealthProfile:
    """The health of one program at each place that was asked."""

    at: Mapping[BuildConfig, Health] = field(default_factory=dict)

    def places(self, health: Health) -> list[BuildConfig]:
        """The places with this health, in the order in which they were asked."""
        return [place for place, found in self.at.items() if found is health]

    def updated(self, answers: Iterable[tuple[BuildConfig, Health]]) -> "HealthProfile":
        """The profile with further answers."""
        return HealthProfile({**self.at, **dict(answers)})
