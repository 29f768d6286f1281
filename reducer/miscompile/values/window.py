"""Which part of the user's values a smaller argument of a candidate takes."""

import math
from dataclasses import dataclass

from reducer.miscompile.values.compare import Difference, MismatchKind


@dataclass(frozen=True)
class Window:
    """A window along each dimension.

    It starts at an index in `focus`, which are pairs of a dimension's size and an index in it, if
    there is one for this size, and else at 0; or it ends where the dimension does.
    """

    focus: tuple[tuple[int, int], ...] = ()
    at_end: bool = False

    def start(self, size: int, kept: int) -> int:
        """Where a window of `kept` elements starts in a dimension.

        >>> Window(((8, 5),)).start(8, 2), Window(((8, 5),)).start(8, 4), Window().start(8, 4)
        (5, 4, 0)
        """
        last = size - kept
        return last if self.at_end else min(dict(self.focus).get(size, 0), last)


LEADING = Window()


def focus_of(difference: Difference) -> tuple[tuple[int, int], ...]:
    """The index of the first wrong element of a result, for each size of its dimensions.

    What it was computed from is often at the same index, in dimensions of the same size: that holds
    for everything elementwise, and for the rows and columns of a matrix product.
    """
    shape = difference.expected.type.shape if difference.expected.type else None
    if difference.kind in (MismatchKind.COUNT, MismatchKind.TYPE) or not shape:
        return ()
    sizes = [size or 0 for size in shape]
    found: dict[int, int] = {}
    parts = 2 if difference.expected.type and difference.expected.type.is_complex else 1
    for dim, size in enumerate(sizes):
        stride = math.prod(sizes[dim + 1 :])
        found.setdefault(size, difference.position // parts // stride % size)
    return tuple(found.items())
