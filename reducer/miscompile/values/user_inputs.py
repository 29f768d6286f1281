"""Values that the user gives for an argument, whole or cropped to what a candidate takes."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

from reducer.miscompile.values.programs import ValueType, signless
from reducer.miscompile.values.window import LEADING, Window

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
