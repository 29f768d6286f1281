"""Elements that several iterations write although nobody says in which order.

Iterations of parallel loops, and threads, may run in any order and at the same time. What they all
write is fine if it is the same; otherwise the element may become any of it.
"""

from typing import Any

import numpy as np

from reducer.miscompile.interpreter.elements import Numbers


class Races:
    """What has been written to one output, and where the writers disagree."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.written = np.zeros(shape, np.bool_)
        self.lost = np.zeros(shape, np.bool_)

    def note(
        self, where: Any, there: tuple[Any, Any], new: tuple[Any, Any], mask: Any = True
    ) -> None:
        """Elements are about to be written.

        Args:
            where: the part of the output that they are in.
            there: the numbers in that part, and which of them are poison.
            new: the same for what it will hold.
            mask: which elements of the part are written.
        """
        (data, poison), (other, other_poison) = there, new
        again = self.written[where] & mask
        self.lost[where] |= again & (_differ(data, other) | poison | other_poison)
        self.written[where] |= mask


def _differ(one: Any, other: Any) -> Numbers:
    same = one == other
    if np.asarray(one).dtype.kind not in "iub":
        same = same | ((one != one) & (other != other))  # NaN
    return np.asarray(~same)
