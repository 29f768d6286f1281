"""Sentences on releases, targets and levels, from what was asked there and nothing else.

Releases are a line. A statement about it names those that were run. It says `since` only where the
release right before compiles, and names the gaps in which a change lies unseen.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from packaging.version import InvalidVersion, Version

from oracles.profiles import RELEASES
from reducer.identity.builds.configs import BuildKind, Health
from reducer.toolchain.model import age_of

VERBS: Mapping[str, str] = {
    Health.COMPILES: "compiles",
    Health.SAME: "fails",
    Health.OTHER: "fails in another way",
    Health.UNKNOWN: "cannot tell",
    Health.TIMED_OUT: "timed out",
    Health.NOT_ASKED: "not asked",
}
"""What a compiler does with a program of this health."""


@dataclass(frozen=True)
class ReleaseLine:
    """What a program does on releases.

    Attributes:
        at: the answer of each.
        whole: the whole line, oldest first, if somebody knows it, such as a bisection. Otherwise it
            consists of the published releases that are known.
    """

    at: Mapping[str, Health]
    whole: Sequence[str] = ()

    def names(self, *healths: Health) -> list[str]:
        """The releases with one of these answers, oldest first."""
        return [name for name in self._line if self.at.get(name) in healths]

    @property
    def first(self) -> tuple[str, str]:
        """The oldest release that fails, and the newest before it that compiles; '' if none."""
        bad, good = self.names(Health.SAME), self.names(Health.COMPILES)
        if not bad:
            return "", ""
        before = [name for name in good if self._ranks[name] < self._ranks[bad[0]]]
        return bad[0], before[-1] if before else ""

    @property
    def since(self) -> str:
        """Since when: `3.8.0`, `a release after 3.3.0, up to 3.8.0`, or `3.8.0 or earlier`."""
        bad, good = self.first
        if not bad:
            return ""
        if not good:
            return f"{bad} or earlier"
        return bad if self.is_next(good, bad) else f"a release after {good}, up to {bad}"

    def is_next(self, older: str, newer: str) -> bool:
        """Whether no release is known to lie between these two."""
        are_neighbors = self._ranks[newer] == self._ranks[older] + 1
        return are_neighbors and (bool(self.whole) or _are_successive(older, newer))

    @property
    def failing(self) -> str:
        """` since 3.4.0` or `on 3.4.0 and 3.6.0`, with each release that fails; '' if none does."""
        bad, good = self.first
        if not bad:
            return ""
        told = listed(self.ranges(Health.SAME))
        if self.names(Health.COMPILES)[-1:] != [good] or not self.is_next(good, bad):
            return f"on {told}"
        is_whole = self.names(Health.SAME) == self._line[self._ranks[bad] :]
        return f"since {bad}" + ("" if is_whole else f" (asked: {told})")

    @property
    def gaps(self) -> list[str]:
        """Between which releases the answer changes where not all were asked."""
        gaps = []
        decided = self.names(Health.COMPILES, Health.SAME)
        for older, newer in pairwise(decided):
            if self.at[older] is self.at[newer]:
                continue
            between = self._line[self._ranks[older] + 1 : self._ranks[newer]]
            unasked = (None, Health.NOT_ASKED)
            asked = [name for name in between if self.at.get(name) not in unasked]
            if all(self.is_next(*pair) for pair in pairwise([older, *asked, newer])):
                continue
            gaps.append(f"not {'all ' * bool(asked)}tried between {older} and {newer}")
        return gaps

    def ranges(self, *healths: Health) -> list[str]:
        """The releases with these answers; `A to B` if there is none between that has another."""
        runs: list[list[str]] = []
        for name in self.names(*healths):
            if runs and self.is_next(runs[-1][-1], name):
                runs[-1].append(name)
            else:
                runs.append([name])
        each = [[f"{run[0]} to {run[-1]}"] if len(run) > 2 else run for run in runs]
        return [one for run in each for one in run]

    @cached_property
    def _line(self) -> list[str]:
        if set(self.at) <= set(self.whole):
            return list(self.whole)
        return sorted({*self.at, *(self.whole or RELEASES.published)}, key=age_of)

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {name: rank for rank, name in enumerate(self._line)}


def _are_successive(older: str, newer: str) -> bool:
    """Whether two releases with none that is known between them follow each other.

    Nobody knows which candidates and nightly packages there are, nor what was published after this
    program; but 3.15.0 follows 3.14.0.
    """
    try:
        low, high = Version(older), Version(newer)
    except InvalidVersion:
        return False
    if low.is_prerelease or high.is_prerelease:
        return False
    if newer in RELEASES.published:
        return True
    return high.release in (
        (low.major, low.minor + 1, 0),
        (low.major, low.minor, low.micro + 1),
        (low.major + 1, 0, 0),
    )


def statement(
    asked: Iterable[tuple[str, str, Health]],
    *,
    target: str = "",
    release: str = "",
    whole: Sequence[str] = (),
    lost: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """What a maintainer asks first: where it compiles, and where and since when it fails.

    Args:
        asked: the kind and name of each place, and the answer there.
        target, release: those of the command that fails, '' if unknown.
        whole: the whole line of releases, as in `ReleaseLine`.
        lost: what was reduced to this, with the places that it compiled for and this does not.
    """
    at: dict[str, dict[str, Health]] = {kind: {} for kind in BuildKind}
    for kind, name, health in asked:
        at.setdefault(kind, {})[name] = health
    releases = at[BuildKind.RELEASE]
    if release and any(one is not Health.NOT_ASKED for one in releases.values()):
        releases[release] = Health.SAME
    line = ReleaseLine(releases, whole)
    parts = []
    for health in Health:
        names = {
            kind: [name for name, one in at[kind].items() if one is health] for kind in BuildKind
        }
        targets, levels = names[BuildKind.TARGET], names[BuildKind.LEVEL]
        on = [f"on {listed(line.ranges(health))}"] if line.names(health) else []
        if health is Health.SAME:
            targets = [*filter(None, [target]), *targets]
            on, levels = list(filter(None, [line.failing])), []  # levels differ where it compiles
        elif health is Health.NOT_ASKED:  # where others were asked, those are named
            on = on if len(line.names(health)) == len(releases) else []
            levels = levels if len(levels) == len(at[BuildKind.LEVEL]) else []
        where = [f"for {listed(targets)}"] if targets else []
        if on and on[0].startswith("since"):
            where, on = [" ".join([*where, *on])], []
        told = ", ".join([*where, *on, *([f"at {listed(levels)}"] if levels else [])])
        parts += [f"{VERBS[health]} {told}"] if told else []
        parts += line.gaps if health is Health.SAME else []
    parts += [f"{listed(names)} compiled {what}" for what, names in (lost or {}).items()]
    return "; ".join(parts)


def lifetime(since: str, gone_in: str | None) -> str:
    """`since 3.8.0, gone in 3.13.0`; '' if neither is known. A build has no folder here."""
    gone_in = gone_in and gone_in.rpartition("/")[2]
    return ", ".join(filter(None, [since and f"since {since}", gone_in and f"gone in {gone_in}"]))


def slip(failing: Sequence[str], compiling: Sequence[str], what: str) -> str:
    """How a program differs from a larger one, `what`, so that it may show another bug.

    Args:
        failing: the places where it fails and the larger one compiles.
        compiling: those where it compiles and the larger one fails in the same way.
    """
    parts = [
        f"it fails with {listed(failing)}, but {what} compiles there" if failing else "",
        f"it compiles with {listed(compiling)}, but {what} fails there" if compiling else "",
    ]
    return "; ".join(filter(None, parts))


def listed(names: Sequence[str]) -> str:
    """`A, B and C`."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def boundary(bad: str, good: str | None, between: Sequence[str], *, first: bool) -> str:
    """What a bisection found at one end of the releases that fail.

    Args:
        bad, good: the last two in the direction searched that fail and compile.
        between: the releases between them that say nothing.
        first: whether the end is the first release that fails, or the last one.
    """
    end = "last good" if first else "first good again"
    nowhere = f" (no {'earlier' if first else 'later'} release is known to be good)"
    unsure = f" ({', '.join(between)}: neither good nor bad)" if between else ""
    return (
        f"{'first' if first else 'last'} bad {bad}{f', {end} {good}' if good else nowhere}{unsure}"
    )
