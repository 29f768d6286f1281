"""What each transformation won, and what it cost."""

import math
from dataclasses import dataclass
from itertools import pairwise

from reducer.session.history import History, Tries


@dataclass(frozen=True)
class Gain:
    """One row.

    `share` is the part of the way from the input's bytes to the result's, in logarithms: halving a
    large program is as far as halving a small one. All shares add up to 1.
    """

    name: str
    share: float
    tries: Tries


@dataclass(frozen=True)
class Gains:
    """Those that won something, the most first; those that only tried; and what was no trying."""

    winners: list[Gain]
    others: list[Gain]
    upkeep: list[Gain]


def gains(history: History) -> Gains:
    """What the history tells of each transformation and phase."""
    shares = _shares(history)
    rows = [Gain(name, shares.get(name, 0.0), tries) for name, tries in history.tries.items()]
    rows.sort(key=lambda row: (-row.share, -row.tries.bytes, -row.tries.calls, row.name))
    winners = [row for row in rows if row.tries.accepted or row.share]
    losers = [row for row in rows if row not in winners and (row.tries.tried or row.tries.calls)]
    return Gains(
        winners,
        [row for row in losers if row.tries.tried],
        [row for row in losers if not row.tries.tried],
    )


def _shares(history: History) -> dict[str, float]:
    sizes = [history.input.bytes, *(moment.bytes for moment in history.moments)]
    logs = [math.log(max(1, size)) for size in sizes]
    whole = logs[0] - logs[-1]
    shares: dict[str, float] = {}
    for moment, (before, after) in zip(history.moments, pairwise(logs), strict=True):
        if whole > 0:
            shares[moment.origin] = shares.get(moment.origin, 0.0) + (before - after) / whole
    return shares
