"""Finds where good turns into bad, with few questions or with all of them.

Binary search supposes that a bug that came stays. Where what is known says otherwise, everything
is asked. What cannot be decided is left out, as in `git bisect skip`, and told.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from reducer.releases.answer import Verdict

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
