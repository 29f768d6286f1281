"""What is known about the health of the programs of one reduction, and which builds to ask next."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from reducer.identity.builds.configs import BuildConfig, BuildKind, Health, HealthProfile
from reducer.identity.builds.cross_check import CrossCheck
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


_ANSWERS = {Health.COMPILES, Health.SAME, Health.OTHER}
_MANY = 4
"""So many places between two that compile are not all taken to compile."""


def rounds(
    line: Sequence[BuildConfig], at: Mapping[BuildConfig, Health]
) -> Iterator[list[BuildConfig]]:
    """The places of one kind to ask, in rounds; `at` must hold the answers before the next round.

    Releases and levels are lines, on which the command's own is known to fail. The ends and, of
    releases, its neighbors are asked, and then, as in a bisection, the middle between two that
    differ. What lies between two that answer alike most likely does the same; only where many lie
    between two that compile, which says least, is the middle asked as well. Targets have no order.
    """
    if line and line[0].kind is BuildKind.TARGET:
        yield list(line)
        return
    asked = _first_of(line)
    while asked:
        yield asked
        asked = _middles(line, at)


def worth_comparing(at: Mapping[BuildConfig, Health]) -> list[BuildConfig]:
    """The places of one kind at which a larger program may do otherwise than one that does `at`.

    On each side of a line these are the farthest place with the same failure, as the larger program
    then has it on those between as well; the farthest with another; and the nearest that compiles.
    Of targets, these are all that fail. Where the same failure occurs at another level, the larger
    program nearly always has it, too.
    """
    chosen: list[BuildConfig] = []
    for side in (-1, 1):
        beyond = [place for place in nearest_first(list(at)) if place.position * side > 0]
        releases = [place for place in beyond if place.kind is BuildKind.RELEASE]
        chosen += [place for place in releases if at[place] is Health.SAME][-1:]
        chosen += [place for place in beyond if at[place] is Health.OTHER][-1:]
        chosen += [place for place in beyond if at[place] is Health.COMPILES][:1]
    return chosen + [place for place in at if not place.position and at[place].failed]


def nearest_first(places: Sequence[BuildConfig]) -> list[BuildConfig]:
    """The places in order of their distance from the command's own."""
    return sorted(places, key=lambda place: (abs(place.position), place.position))


def neighbors(places: Sequence[BuildConfig]) -> list[BuildConfig]:
    """The nearest release on each side of the command's own, the newer one first."""
    releases = nearest_first([one for one in places if one.kind is BuildKind.RELEASE])
    sides = ([place for place in releases if place.position * side > 0] for side in (1, -1))
    return [place for beyond in sides for place in beyond[:1]]


def _first_of(line: Sequence[BuildConfig]) -> list[BuildConfig]:
    """The ends of a line, and of releases the neighbors of the command's own."""
    if not line:
        return []
    older = [place for place in line if place.position < 0]
    newer = [place for place in line if place.position > 0]
    chosen = {*older[:1], *newer[-1:]}
    if line[0].kind is BuildKind.RELEASE:
        chosen |= {*older[-1:], *newer[:1]}
    return nearest_first([place for place in line if place in chosen])


def _middles(line: Sequence[BuildConfig], at: Mapping[BuildConfig, Health]) -> list[BuildConfig]:
    told = [(place.position, at[place]) for place in line if place in at]
    points = sorted([*told, (0, Health.SAME)], key=lambda point: point[0])
    found = []
    for (low, before), (high, after) in pairwise(points):
        between = [place for place in line if low < place.position < high]
        # Next to a place that cannot tell, others hardly can.
        narrow = before is not Health.COMPILES or len(between) < _MANY
        known = (before is after and narrow) or not {before, after} <= _ANSWERS
        if between and not known:
            found.append(between[len(between) // 2])
    return found
