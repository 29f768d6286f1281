"""Bisect releases: find the published ones, classify them, and locate the good/bad boundaries.

Binary search assumes that a bug, once introduced, stays. If known verdicts contradict that, all
releases are tested. Releases that cannot be decided are skipped, as in `git bisect skip`, and
reported.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from packaging.version import Version

from oracles import Signature
from reducer.bisect.classifier import ReleaseClassifier
from reducer.bisect.query import PUBLISHED, ReleaseResult, ReleaseVerdict
from reducer.bisect.runner import ReleaseRunner
from reducer.errors import UsageError
from reducer.identity.builds.statements import boundary
from reducer.locate.blame import Blame, Certainty
from reducer.toolchain import (
    INDEX_ONLY,
    NEWEST,
    PackageSource,
    ToolchainError,
    installed,
    published,
)
from reducer.toolchain.model import checked_version

ReleaseTest = Callable[[str], ReleaseVerdict]


@dataclass(frozen=True)
class Boundary:
    """One end of the range of bad releases.

    `bad` is the last bad release in the direction searched, `good` the next good one (None if there
    is none), and `between` are the releases between them that could not be decided.
    """

    bad: str
    good: str | None = None
    between: tuple[str, ...] = ()

    def blame(self, *, first: bool) -> Blame:
        """The release in which the failure began, or in which it was gone."""
        how = boundary(self.bad, self.good, self.between, first=first)
        if self.good is None:
            return Blame("release", "", Certainty.UNKNOWN, how)
        names = (*self.between[::-1], self.bad) if first else (*self.between, self.good)
        certainty = Certainty.WITHIN if self.between else Certainty.SHOWN
        return Blame("release", ", ".join(names), certainty, how)


def search(
    start: str, side: Sequence[str], test: ReleaseTest, verdicts: Mapping[str, ReleaseVerdict]
) -> Boundary:
    """The boundary on one side of the bad release `start`.

    `side` lists the releases from nearest to farthest. Releases with `verdicts`, to which `test`
    may add, are not tested again.
    """
    _narrow(side, test, verdicts)
    if not _monotone([verdicts[version] for version in side if version in verdicts]):
        for version in side:
            test(version)
    return nearest(start, side, verdicts)


def nearest(start: str, side: Sequence[str], verdicts: Mapping[str, ReleaseVerdict]) -> Boundary:
    """The boundary nearest to `start`, according to the known verdicts."""
    bad, good = -1, len(side)
    for index, version in enumerate(side):
        verdict = verdicts.get(version)
        if verdict is ReleaseVerdict.BAD:
            bad = index
        elif verdict is ReleaseVerdict.GOOD:
            good = index
            break
    return Boundary(
        side[bad] if bad >= 0 else start,
        side[good] if good < len(side) else None,
        tuple(side[bad + 1 : good]) if good < len(side) else _undecided(side[bad + 1 :], verdicts),
    )


def _undecided(rest: Sequence[str], known: Mapping[str, ReleaseVerdict]) -> tuple[str, ...]:
    return tuple(version for version in rest if version in known)


def _narrow(side: Sequence[str], test: ReleaseTest, known: Mapping[str, ReleaseVerdict]) -> None:
    """Test the far end, then bisect between the last bad and the first good release.

    If a good release is known, there is nothing to learn from those behind it.
    """
    verdicts = [known.get(version) for version in side]
    good = verdicts.index(ReleaseVerdict.GOOD) if ReleaseVerdict.GOOD in verdicts else len(side)
    bad = max((n for n in range(good) if verdicts[n] is ReleaseVerdict.BAD), default=-1)
    asked = {number for number, verdict in enumerate(verdicts) if verdict is not None}
    wanted = len(side) - 1
    if good < len(side):
        wanted = _middle(bad, good, asked)
    while bad < wanted < good:
        asked.add(wanted)
        verdict = test(side[wanted])
        if verdict is ReleaseVerdict.BAD:
            bad = wanted
        elif verdict is ReleaseVerdict.GOOD:
            good = wanted
        wanted = _middle(bad, good, asked)


def _middle(bad: int, good: int, asked: Collection[int]) -> int:
    """The release to test next; `good` if there is none left."""
    middle = (bad + good) / 2
    left = [index for index in range(bad + 1, good) if index not in asked]
    # On a tie, take the release nearer to `start`: it is likelier to read the same syntax.
    return min(left, key=lambda index: (abs(index - middle), index), default=good)


def _monotone(verdicts: Sequence[ReleaseVerdict]) -> bool:
    """Whether no bad verdict follows a good one, going away from the bad start."""
    decided = [verdict for verdict in verdicts if verdict.decides]
    return decided == sorted(decided, key=lambda verdict: verdict is ReleaseVerdict.GOOD)


@dataclass(frozen=True)
class BisectResult:
    """The verdicts of all tested releases, in the order of the line, and the boundaries found.

    `first` searches backward from the reference: its `bad` is the first bad release, its `good` the
    last good one before it. `fixed` searches forward: the last bad release and the first good one
    after it. Either is None if there was nothing to search on that side. `untested` are releases
    that did not have to be run.
    """

    signature: Signature
    reference: str
    results: tuple[ReleaseResult, ...]
    first: Boundary | None
    fixed: Boundary | None
    untested: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def other_bad(self) -> tuple[str, ...]:
        """Bad releases outside the contiguous range around the reference."""
        order = [each.version for each in self.results]
        low = order.index(self.first.bad if self.first else self.reference)
        high = order.index(self.fixed.bad if self.fixed else self.reference)
        return tuple(
            each.version
            for number, each in enumerate(self.results)
            if each.verdict is ReleaseVerdict.BAD and not low <= number <= high
        )

    @property
    def blames(self) -> list[Blame]:
        """Where the failure began, and where it was gone, if that was searched."""
        ends = ((self.first, True), (self.fixed, False))
        return [end.blame(first=is_first) for end, is_first in ends if end is not None]

    @property
    def decided(self) -> bool:
        """Whether any release other than the reference was good or bad."""
        others = [each for each in self.results if each.version != self.reference]
        return any(each.verdict.decides for each in others)


class Bisector:
    """Finds the first bad and the last good release.

    `bad` is a release known to fail ("newest": the last one), `good` one known not to fail. `line`
    names what is bisected, oldest first: versions, labels of builds, and `PUBLISHED` for all
    published releases, which is the default. `everything` tests all of them. `source` is where
    releases come from, and whether candidates count. `log` receives progress messages.
    """

    def __init__(
        self,
        runner: ReleaseRunner,
        *,
        bad: str = NEWEST,
        good: str | None = None,
        line: Sequence[str] = (PUBLISHED,),
        everything: bool = False,
        source: PackageSource = INDEX_ONLY,
        log: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._runner = runner
        self._bad = bad
        self._good = good
        self._line = line
        self._everything = everything
        self._source = source
        self._log = log
        self._answers: dict[str, ReleaseResult] = {}
        self._verdicts: dict[str, ReleaseVerdict] = {}

    def run(self) -> BisectResult:
        """Test as many releases as needed.

        Raises:
            NotInteresting, DoesNotTerminate, UsageError, ToolchainError: on the reference release.
            Stopped: the user wants to stop.
        """
        versions, reference = self._points()
        classifier = ReleaseClassifier(self._runner, reference)
        self._note(classifier.reference.result)

        def test(version: str) -> ReleaseVerdict:
            if version not in self._answers:
                self._note(classifier.test(version))
            return self._answers[version].verdict

        older, newer = self._sides(versions, reference)
        for version in [*older, *newer]:
            if result := classifier.test_from_cache(version):
                self._note(result)
        first = self._boundary(reference, older, test)
        fixed = self._boundary(reference, newer, test)
        self._runner.done_with(reference)
        return BisectResult(
            classifier.reference.signature,
            reference,
            tuple(self._answers[version] for version in versions if version in self._answers),
            first,
            fixed,
            tuple(version for version in [*older, *newer] if version not in self._answers),
            self._notes(),
        )

    def _points(self) -> tuple[list[str], str]:
        """What is bisected, oldest first, and which of them is known to be bad."""
        points = [
            name
            for one in self._line
            for name in (self._published() if one == PUBLISHED else [one])
        ]
        if repeated := [name for name, count in Counter(points).items() if count > 1]:
            raise UsageError(f"{repeated[0]} is given twice")
        if self._bad == NEWEST:
            self._bad = points[-1]
        if tuple(self._line) == (PUBLISHED,):  # others that are known may be named as well
            named = [checked_version(one) for one in (self._bad, self._good) if one]
            points = sorted({*points, *named}, key=Version)
        reference = self._named(self._bad, points)
        self._good = self._good and self._named(self._good, points)
        if self._good == reference:
            raise UsageError(f"{reference} cannot be both good and bad")
        return points, reference

    def _named(self, name: str, points: Sequence[str]) -> str:
        """The point that the user means, whose version may be spelled in another way."""
        if name in points:
            return name
        try:
            version = checked_version(name)
        except ToolchainError:
            version = ""
        if version in points:
            return version
        raise UsageError(f"'{name}' is not one of the compilers: {', '.join(points)}")

    def _published(self) -> list[str]:
        try:
            return published(self._log, self._source)
        except ToolchainError as error:
            self._runner.raise_if_stopped()
            versions = [each.version for each in installed()]
            if not versions:
                raise
            self._log(f"testing only the installed releases: {error}")
        kept = [v for v in versions if self._source.pre or not Version(v).is_prerelease]
        return kept or versions

    def _sides(self, versions: list[str], reference: str) -> tuple[list[str], list[str]]:
        """The releases before and after the reference, nearest first."""
        at = versions.index(reference)
        older, newer = versions[:at][::-1], versions[at + 1 :]
        if self._good is None:
            return older, newer
        if self._good in older:
            return older[: older.index(self._good) + 1], []
        return [], newer[: newer.index(self._good) + 1]

    def _boundary(
        self, reference: str, side: list[str], test: Callable[[str], ReleaseVerdict]
    ) -> Boundary | None:
        if not side:
            return None
        if self._everything:
            for version in side:
                test(version)
            return nearest(reference, side, self._verdicts)
        return search(reference, side, test, self._verdicts)

    def _note(self, result: ReleaseResult) -> None:
        self._answers[result.version] = result
        self._verdicts[result.version] = result.verdict

    def _notes(self) -> tuple[str, ...]:
        good = self._answers.get(self._good) if self._good else None
        if good is None or good.verdict is ReleaseVerdict.GOOD:
            return ()
        return (f"{good.version} was given with --good but is not good: {good.verdict}",)
