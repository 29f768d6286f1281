"""On which builds a program compiles, as far as one reduction knows, and which to ask next."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from reducer.identity.builds.configs import BuildConfig, BuildKind, Health, Healths
from reducer.identity.builds.cross_check import CrossCheck
from reducer.identity.builds.statements import slip


@dataclass(frozen=True)
class Requirement:
    """What every candidate must do on a build: compile, or fail in the same way."""

    build: BuildConfig
    health: Health


@dataclass
class HealthCheck:
    """What is known about the health of one reduction.

    Attributes:
        cross_check: asks about programs.
        builds: the builds to ask.
        required: what every further candidate must do.
        result: the profile of the newest result that was audited.
        before: the profile of what it was made from, where it was asked.
        of_input: the builds where that is what the input does.
        repairs: how often the reduction went back.
        lost: what the result does not do any more.
        compared_ops: whether a release was asked which of the ops to keep that the errors name.
    """

    cross_check: CrossCheck
    builds: Sequence[BuildConfig]
    required: tuple[Requirement, ...] = ()
    result: Healths = field(default_factory=dict)
    before: Healths = field(default_factory=dict)
    of_input: set[BuildConfig] = field(default_factory=set)
    repairs: int = 0
    lost: tuple[Requirement, ...] = ()
    compared_ops: bool = False

    @property
    def another_bug(self) -> str:
        """What the result does otherwise than what it was made from, as a sentence."""
        first = self.lost[0].health
        names = [one.build.name for one in self.lost if one.health is first]
        failing = names if first is Health.COMPILES else []
        compiling = [] if failing else names
        how = slip(failing, compiling, "the program before it")
        return f"a smaller program shows another bug, so the reduction goes back: {how}"


_ANSWERS = {Health.COMPILES, Health.SAME, Health.OTHER}
_MANY = 4
"""So many builds between two that compile are not all taken to compile."""


def rounds(
    line: Sequence[BuildConfig], at: Mapping[BuildConfig, Health]
) -> Iterator[list[BuildConfig]]:
    """The builds of one kind to ask, in rounds; `at` must hold the answers before the next round.

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
    """The builds of one kind at which a larger program may do otherwise than one that does `at`.

    On each side of a line these are the farthest build with the same failure, as the larger program
    then has it on those between as well; the farthest with another; and the nearest that compiles.
    Of targets, these are all that fail. Where the same failure occurs at another level, the larger
    program nearly always has it, too.
    """
    chosen: list[BuildConfig] = []
    for side in (-1, 1):
        beyond = [build for build in nearest_first(list(at)) if build.position * side > 0]
        releases = [build for build in beyond if build.kind is BuildKind.RELEASE]
        chosen += [build for build in releases if at[build] is Health.SAME][-1:]
        chosen += [build for build in beyond if at[build] is Health.OTHER][-1:]
        chosen += [build for build in beyond if at[build] is Health.COMPILES][:1]
    return chosen + [build for build in at if not build.position and at[build].failed]


def nearest_first(builds: Sequence[BuildConfig]) -> list[BuildConfig]:
    """The builds in order of their distance from the command's own."""
    return sorted(builds, key=lambda build: (abs(build.position), build.position))


def neighbors(builds: Sequence[BuildConfig]) -> list[BuildConfig]:
    """The nearest release on each side of the command's own, the newer one first."""
    releases = nearest_first([one for one in builds if one.kind is BuildKind.RELEASE])
    sides = ([build for build in releases if build.position * side > 0] for side in (1, -1))
    return [build for beyond in sides for build in beyond[:1]]


def _first_of(line: Sequence[BuildConfig]) -> list[BuildConfig]:
    """The ends of a line, and of releases the neighbors of the command's own."""
    if not line:
        return []
    older = [build for build in line if build.position < 0]
    newer = [build for build in line if build.position > 0]
    chosen = {*older[:1], *newer[-1:]}
    if line[0].kind is BuildKind.RELEASE:
        chosen |= {*older[-1:], *newer[:1]}
    return nearest_first([build for build in line if build in chosen])


def _middles(line: Sequence[BuildConfig], at: Mapping[BuildConfig, Health]) -> list[BuildConfig]:
    told = [(build.position, at[build]) for build in line if build in at]
    points = sorted([*told, (0, Health.SAME)], key=lambda point: point[0])
    middles = []
    for (low, before), (high, after) in pairwise(points):
        between = [build for build in line if low < build.position < high]
        # Next to a build that cannot tell, others hardly can.
        narrow = before is not Health.COMPILES or len(between) < _MANY
        known = (before is after and narrow) or not {before, after} <= _ANSWERS
        if between and not known:
            middles.append(between[len(between) // 2])
    return middles
