"""Which argument takes which of the values that the user gives."""

from collections.abc import Sequence

from reducer.miscompile.values.programs import ValueType
from reducer.miscompile.values.user_inputs import InputSpec
from reducer.miscompile.values.window import LEADING, Window


def chosen(
    given: Sequence[InputSpec], declared: Sequence[ValueType], window: Window = LEADING
) -> list[InputSpec | None]:
    """Which of the user's values each argument takes, cropped to its type; None if none fits.

    On the whole, values and arguments are in the same order, and a candidate has lost some
    arguments and shrunk others. So this is the longest way to pair them in order, with as few
    cropped as possible. If pairing each argument with the first unused values that fit it leads to
    more pairs, the user has listed them in another order.
    """
    scores = [[_score(spec, one) for spec in given] for one in declared]
    in_order, any_order = _in_order(scores), _greedy(scores)
    pairs = in_order if len(in_order) >= len(any_order) else any_order
    taken: list[InputSpec | None] = [None] * len(declared)
    for place, at in pairs.items():
        whole = scores[place][at] == _WHOLE
        taken[place] = given[at] if whole else given[at].cropped(declared[place], window)
    return taken


_WHOLE, _PART, _NONE = (1, 1), (1, 0), (0, 0)
"""Whether an argument takes some values, and whether all of them; sums compare pairings."""


def _score(given: InputSpec, declared: ValueType) -> tuple[int, int]:
    if given.fits(declared):
        return _WHOLE
    return _PART if given.covers(declared) else _NONE


def _in_order(scores: Sequence[Sequence[tuple[int, int]]]) -> dict[int, int]:
    """The best pairs of arguments and values, both in order; of equally good ones the first."""
    rows, columns = len(scores), len(scores[0]) if scores else 0
    best = [[_NONE] * (columns + 1) for _ in range(rows + 1)]
    for row in reversed(range(rows)):
        for column in reversed(range(columns)):
            best[row][column] = max(
                best[row + 1][column],
                best[row][column + 1],
                _sum(scores[row][column], best[row + 1][column + 1]),
            )
    pairs, row, column = {}, 0, 0
    while row < rows and column < columns:
        taken = _sum(scores[row][column], best[row + 1][column + 1])
        if scores[row][column] != _NONE and taken == best[row][column]:
            pairs[row] = column
            row, column = row + 1, column + 1
        elif best[row][column + 1] == best[row][column]:
            column += 1
        else:
            row += 1
    return pairs


def _greedy(scores: Sequence[Sequence[tuple[int, int]]]) -> dict[int, int]:
    """Each argument with the first values left that fit it whole, else with the first that fit."""
    pairs: dict[int, int] = {}
    for least in (_WHOLE, _PART):
        for row, fitting in enumerate(scores):
            left = (at for at, score in enumerate(fitting) if score >= least)
            free = next((at for at in left if at not in pairs.values()), None)
            if row not in pairs and free is not None:
                pairs[row] = free
    return pairs


def _sum(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]
