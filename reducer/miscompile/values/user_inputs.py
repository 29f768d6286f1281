"""Values that the user gives: which argument takes which, whole or cropped to what it takes."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

from reducer.miscompile.values.compare import Difference, MismatchKind
from reducer.miscompile.values.programs import ValueType, signless


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


_SPEC = re.compile(r"(?P<type>(?:\d+x)*(?:[a-z]+\d+\w*|index))(?:=(?P<values>.*))?$", re.S)
_SEPARATORS = re.compile(r"[\s,\[\]]+")
_SHORT = 200


@dataclass(frozen=True)
class InputSpec:
    """The type, the values, or both, that the user gave for one argument."""

    type: ValueType | None
    values: str | None = None

    @classmethod
    def parse(cls, text: str) -> "InputSpec":
        """`2x3xf32`, `2x3xf32=1 2 3 4 5 6`, or a number. Raises ValueError."""
        match = _SPEC.match(text.strip())
        type_ = match and match["type"] and ValueType.parse(f"tensor<{match['type']}>")
        if match is not None and type_:
            return cls(type_, match["values"])
        try:
            float(text)
        except ValueError:
            raise ValueError(
                f"'{text}' is not an input such as 2x3xf32, 2x3xf32=1,2,3,4,5,6, or 7"
            ) from None
        return cls(None, text.strip())

    @cached_property
    def key(self) -> str:
        """A short identity of type and values."""
        values = self.values
        if values is not None and len(values) > _SHORT:
            values = sha256(values.encode()).hexdigest()
        return f"{self.type}={values}"

    @cached_property
    def words(self) -> list[str]:
        """The values one by one."""
        return [word for word in _SEPARATORS.split(self.values or "") if word]

    def fits(self, declared: ValueType) -> bool:
        """Whether an argument of this type takes all of the values."""
        if self.type is None:
            return declared.shape is None
        return _signless(declared).takes(_signless(self.type))

    def covers(self, declared: ValueType) -> bool:
        """Whether an argument of this type takes some of the values along each dimension."""
        return self._aligned(declared) is not None

    def cropped(self, declared: ValueType, window: Window = LEADING) -> "InputSpec":
        """The values in a window, for an argument whose type is covered.

        >>> two = InputSpec.parse("2x3xf32=1 2 3 4 5 6").cropped(ValueType("f32", (2, 2)))
        >>> str(two.type), two.values
        ('2x2xf32', '1 2 4 5')
        """
        places = self._aligned(declared)
        assert places is not None and self.type is not None
        given = [size or 0 for size in self.type.shape or ()]
        kept, sizes = [1] * len(given), []
        for dim, place in zip(declared.shape or (), places, strict=True):
            sizes.append((1 if place is None else given[place]) if dim is None else dim)
            if place is not None:
                kept[place] = sizes[-1]
        words = self.words
        if len(words) > 1:  # one value fills the tensor
            starts = list(map(window.start, given, kept))
            words = [words[index] for index in _places(given, starts, kept)]
        return InputSpec(ValueType(self.type.element, tuple(sizes)), " ".join(words))

    def _aligned(self, declared: ValueType) -> list[int | None] | None:
        """For each dimension of a type the given one that it is cut from; None for one of size 1.

        The others that are given are cut to one element. The result is None if there are
        not enough values, or none of this type.
        """
        if self.type is None or self.type.shape is None or declared.shape is None:
            return None
        if self.values is None or _signless(self.type).element != _signless(declared).element:
            return None
        given = [size or 0 for size in self.type.shape]
        if len(given) == len(declared.shape):
            pairs = zip(given, declared.shape, strict=True)
            enough = all(dim is None or dim <= size for size, dim in pairs)
            return list(range(len(given))) if enough else None
        left = iter([place for place, size in enumerate(given) if size != 1])
        places: list[int | None] = []
        for dim in declared.shape:
            fitting = (at for at in left if dim is None or dim <= given[at])
            place = None if dim == 1 else next(fitting, None)
            if place is None and dim != 1:
                return None
            places.append(place)
        return places


def _places(given: Sequence[int], starts: Sequence[int], kept: Sequence[int]) -> Iterator[int]:
    """The positions of `kept` elements along each dimension of `given`, from `starts` on."""
    if not given:
        yield 0
        return
    stride = math.prod(given[1:])
    for index in range(starts[0], starts[0] + kept[0]):
        for rest in _places(given[1:], starts[1:], kept[1:]):
            yield index * stride + rest


def _signless(type_: ValueType) -> ValueType:
    """The type as programs take it: integers without signs, and an `index` as an integer."""
    element = "i64" if type_.element == "index" else type_.element
    return replace(type_, element=signless(element))


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
