"""Bisects releases: which there are, what each says, and where good turns into bad.

Binary search supposes that a bug that came stays. Where what is known says otherwise, everything
is asked. What cannot be decided is left out, as in `git bisect skip`, and told.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from packaging.version import Version

from oracles import Signature
from reducer.errors import UsageError
from reducer.releases.bench import Bench
from reducer.releases.examine import Examiner
from reducer.releases.question import Answer, Verdict
from reducer.toolchain import NEWEST, ToolchainError, installed, published
from reducer.toolchain.model import checked_version

Ask = Callable[[str], Verdict]


@dataclass(frozen=True)
class Boundary:
    """One end of the releases around the first one that are bad.

    `bad` is the last of them in the direction searched, `good` the next that is good (None: there
    is none), `between` those that lie between the two and cannot tell.
    """

    bad: str
    good: str | None = None
    between: tuple[str, ...] = ()


def search(start: str, side: Sequence[str], ask: Ask, known: Mapping[str, Verdict]) -> Boundary:
    """The boundary on one side of `start`, which is bad.

    `side` are the releases from the nearest to the farthest; `known` verdicts, which may grow with
    every question, are not asked for.
    """
    _narrow(side, ask)
    if not _monotone([known[version] for version in side if version in known]):
        for version in side:
            ask(version)
    return nearest(start, side, known)


def nearest(start: str, side: Sequence[str], known: Mapping[str, Verdict]) -> Boundary:
    """The boundary nearest to `start` as far as verdicts are known."""
    bad, good = -1, len(side)
    for index, version in enumerate(side):
        verdict = known.get(version)
        if verdict is Verdict.BAD:
            bad = index
        elif verdict is Verdict.GOOD:
            good = index
            break
    return Boundary(
        side[bad] if bad >= 0 else start,
        side[good] if good < len(side) else None,
        tuple(side[bad + 1 : good]) if good < len(side) else _undecided(side[bad + 1 :], known),
    )


def _undecided(rest: Sequence[str], known: Mapping[str, Verdict]) -> tuple[str, ...]:
    return tuple(version for version in rest if version in known)


def _narrow(side: Sequence[str], ask: Ask) -> None:
    """Asks the far end, and then between the last bad and the first good."""
    bad, good = -1, len(side)
    asked: set[int] = set()
    wanted = len(side) - 1
    while bad < wanted < good:
        asked.add(wanted)
        verdict = ask(side[wanted])
        if verdict is Verdict.BAD:
            bad = wanted
        elif verdict is Verdict.GOOD:
            good = wanted
        middle = (bad + good) / 2
        left = [index for index in range(bad + 1, good) if index not in asked]
        # The nearer a release is, the likelier it reads the same language.
        wanted = min(left, key=lambda index: (abs(index - middle), index), default=len(side))


def _monotone(verdicts: Sequence[Verdict]) -> bool:
    """Whether, from the bad start on, no bad one comes after a good one."""
    decided = [verdict for verdict in verdicts if verdict.decides]
    return decided == sorted(decided, key=lambda verdict: verdict is Verdict.GOOD)


@dataclass(frozen=True)
class Result:
    """What the releases said, oldest first.

    `first` looks back from the reference: its `bad` is the first bad release, its `good` the last
    good one before. `fixed` looks ahead: the last bad release and the first good one after it. It
    is None where nothing newer was looked at. `unasked` are releases that were not run.
    """

    signature: Signature
    reference: str
    answers: tuple[Answer, ...]
    first: Boundary | None
    fixed: Boundary | None
    unasked: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def other_bad(self) -> tuple[str, ...]:
        """Bad releases outside the stretch around the reference."""
        low = Version(self.first.bad if self.first else self.reference)
        high = Version(self.fixed.bad if self.fixed else self.reference)
        bad = [each.version for each in self.answers if each.verdict is Verdict.BAD]
        return tuple(version for version in bad if not low <= Version(version) <= high)

    @property
    def decided(self) -> bool:
        """Whether any release but the reference could tell."""
        others = [each for each in self.answers if each.version != self.reference]
        return any(each.verdict.decides for each in others)


class Bisecting:
    """Looks for the first bad and the last good release.

    `bad` is where the failure is known ("newest": the newest release), `good` where it is known
    not to be; `everything` asks all of them, `candidates` takes release candidates in. `say` gets
    what is going on, `answered` each answer as it comes.
    """

    def __init__(
        self,
        bench: Bench,
        *,
        bad: str = NEWEST,
        good: str | None = None,
        everything: bool = False,
        candidates: bool = False,
        say: Callable[[str], None] = lambda text: None,
        answered: Callable[[Answer], None] = lambda answer: None,
    ) -> None:
        self._bench = bench
        self._bad = bad
        self._good = None if good is None else checked_version(good)
        self._everything = everything
        self._candidates = candidates
        self._say = say
        self._answered = answered
        self._answers: dict[str, Answer] = {}
        self._verdicts: dict[str, Verdict] = {}

    def run(self) -> Result:
        """Asks as many releases as are needed.

        Raises NotInteresting, NoEnd, UsageError, ToolchainError for the reference, Interrupted.
        """
        versions = self._published()
        reference = versions[-1] if self._bad == NEWEST else checked_version(self._bad)
        if self._good == reference:
            raise UsageError(f"{reference} cannot be both good and bad")
        named = {reference, *([self._good] if self._good else [])}
        versions = sorted({*versions, *named}, key=Version)
        examiner = Examiner(self._bench, reference)
        self._note(examiner.reference.answer)

        def ask(version: str) -> Verdict:
            if version not in self._answers:
                self._note(examiner.ask(version))
            return self._answers[version].verdict

        older, newer = self._sides(versions, reference)
        for version in [*older, *newer]:
            if answer := examiner.recall(version):
                self._note(answer)
        first = self._boundary(reference, older, ask)
        fixed = self._boundary(reference, newer, ask)
        self._bench.done_with(reference)
        return Result(
            examiner.reference.signature,
            reference,
            tuple(self._answers[version] for version in versions if version in self._answers),
            first,
            fixed,
            tuple(version for version in [*older, *newer] if version not in self._answers),
            self._notes(),
        )

    def _published(self) -> list[str]:
        try:
            versions = published(self._say)
        except ToolchainError as error:
            versions = [each.version for each in installed()]
            if not versions:
                raise
            self._say(f"only the installed releases are asked: {error}")
        kept = [v for v in versions if self._candidates or not Version(v).is_prerelease]
        return kept or versions

    def _sides(self, versions: list[str], reference: str) -> tuple[list[str], list[str]]:
        """The releases before and after the reference, the nearest first."""
        at = versions.index(reference)
        older, newer = versions[:at][::-1], versions[at + 1 :]
        if self._good is None:
            return older, newer
        if self._good in older:
            return older[: older.index(self._good) + 1], []
        return [], newer[: newer.index(self._good) + 1]

    def _boundary(
        self, reference: str, side: list[str], ask: Callable[[str], Verdict]
    ) -> Boundary | None:
        if not side:
            return None
        if self._everything:
            for version in side:
                ask(version)
            return nearest(reference, side, self._verdicts)
        return search(reference, side, ask, self._verdicts)

    def _note(self, answer: Answer) -> None:
        self._answers[answer.version] = answer
        self._verdicts[answer.version] = answer.verdict
        self._answered(answer)

    def _notes(self) -> tuple[str, ...]:
        good = self._answers.get(self._good) if self._good else None
        if good is None or good.verdict is Verdict.GOOD:
            return ()
        return (f"{good.version}, given as good, is not: {good.verdict}",)
