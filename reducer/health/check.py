"""What is known about the health of the programs of one reduction."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from reducer.health.elsewhere import Elsewhere
from reducer.health.guard import Condition, HealthGuard
from reducer.health.places import Place
from reducer.health.profile import HealthProfile


@dataclass
class HealthCheck:
    """What is known about the health of one reduction.

    Attributes:
        elsewhere: asks about programs.
        places: the places to ask.
        conditions: what every further candidate must do.
        result: the profile of the newest result that was audited.
        before: the profile of what it was made from, where it was asked.
        of_input: the places where that is what the input does.
        repairs: how often the reduction went back.
        lost: what the result does not do any more.
        compared_ops: whether a release was asked which of the ops to keep that the errors name.
    """

    elsewhere: Elsewhere
    places: Sequence[Place]
    conditions: tuple[Condition, ...] = ()
    result: HealthProfile = field(default_factory=HealthProfile)
    before: HealthProfile = field(default_factory=HealthProfile)
    of_input: set[Place] = field(default_factory=set)
    repairs: int = 0
    lost: tuple[Condition, ...] = ()
    compared_ops: bool = False

    @property
    def guard(self) -> HealthGuard | None:
        """The review with the present conditions; None without any."""
        return HealthGuard(self.elsewhere, self.conditions) if self.conditions else None
