"""What is known about the health of the programs of one reduction."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reducer.identity.builds.configs import BuildConfig
from reducer.identity.builds.cross_check import CrossCheck
from reducer.identity.builds.profile import Health, HealthProfile
from reducer.identity.builds.statements import slip


@dataclass(frozen=True)
class Requirement:
    """What every candidate must do at a place: compile, or fail in the same way."""

    place: BuildConfig
    health: Health


@dataclass
class HealthCheck:
    """What is known about the health of one reduction.

    Attributes:
        elsewhere: asks about programs.
        places: the places to ask.
        required: what every further candidate must do.
        result: the profile of the newest result that was audited.
        before: the profile of what it was made from, where it was asked.
        of_input: the places where that is what the input does.
        repairs: how often the reduction went back.
        lost: what the result does not do any more.
        compared_ops: whether a release was asked which of the ops to keep that the errors name.
    """

    elsewhere: CrossCheck
    places: Sequence[BuildConfig]
    required: tuple[Requirement, ...] = ()
    result: HealthProfile = field(default_factory=HealthProfile)
    before: HealthProfile = field(default_factory=HealthProfile)
    of_input: set[BuildConfig] = field(default_factory=set)
    repairs: int = 0
    lost: tuple[Requirement, ...] = ()
    compared_ops: bool = False

    @property
    def another_bug(self) -> str:
        """What the result does otherwise than what it was made from, as a sentence."""
        first = self.lost[0].health
        names = [one.place.name for one in self.lost if one.health is first]
        failing = names if first is Health.COMPILES else []
        compiling = [] if failing else names
        how = slip(failing, compiling, "what it was made from")
        return f"a smaller program shows another bug: {how}"
