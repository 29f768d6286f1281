"""Inputs that expose wrong results: seeded, chosen by type, and exact in floating point.

Floating-point values are small multiples of a power of two, so that sums and products of a few of
them are exact: two correct compilers then agree to the last bit whatever order they add in, and a
comparison or a rounding does not amplify a harmless difference.
"""

import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from oracles.values.programs import Function, ValueType

_PERIOD = 1021
"""Different values in one tensor; a larger one repeats them (a prime, so that rows differ)."""

_SPEC = re.compile(
    r"(?:(?P<type>(?:\d+x)*(?:[a-z]+\d+\w*|index))(?:=(?P<values>.*))?|(?P<number>.+))$", re.S
)


@dataclass(frozen=True)
class Style:
    """A range of values: minimum, maximum and step for floats, minimum and maximum for integers."""

    name: str
    floats: tuple[float, float, float]
    integers: tuple[int, int]
    specials: bool = False


STYLES = (
    Style("small", (-3, 3, 1), (0, 3)),
    Style("positive", (0.5, 4, 0.5), (1, 7)),
    Style("wide", (-96, 96, 0.125), (-100, 100)),
    Style("special", (-3, 3, 0.5), (-3, 3), specials=True),
)
"""From the safest on. Small integers are in range as indices, positive ones divide; negative and
extreme ones may be out of range, which the guards notice."""

SIZES = (5, 16, 1)
"""The sizes tried for dynamic dimensions."""

SEEDS = 2
"""The number of sets of values of each style that a module is tried with."""

_SPECIAL_FLOATS = (0.0, -0.0, math.inf, -math.inf, math.nan, 1e30, -1e30, 1e-30)


@dataclass(frozen=True)
class InputSpec:
    """The type, the values, or both, that the user gave for one argument."""

    type: ValueType | None
    values: str | None

    @classmethod
    def parse(cls, text: str) -> "InputSpec":
        """`2x3xf32`, `2x3xf32=1 2 3 4 5 6`, or a number. Raises ValueError."""
        match = _SPEC.match(text.strip())
        type_ = match and match["type"] and ValueType.parse(f"tensor<{match['type']}>")
        if match is None or (match["type"] and not type_):
            raise ValueError(f"'{text}' is not an input such as 2x3xf32, 2x3xf32=1,2,3,4,5,6, or 7")
        if type_:
            return cls(type_, match["values"])
        float(match["number"])
        return cls(None, match["number"])


@dataclass(frozen=True)
class Trial:
    """One way to choose all inputs of a function."""

    style: Style = STYLES[0]
    size: int = SIZES[0]
    seed: int = 0
    given: tuple[InputSpec, ...] = ()

    def __str__(self) -> str:
        return f"{self.style.name} values, dynamic sizes {self.size}, seed {self.seed}"

    def with_seed(self, seed: int) -> "Trial":
        return replace(self, seed=seed)

    def inputs(self, function: Function) -> list[str] | None:
        """The inputs in the syntax of `iree-run-module --input`; None if a type is not supported.

        An argument takes the user's first unused spec that fits its type. All others get values
        that depend only on their type and on how many of that type came before: they stay the same
        when a reduction drops other arguments.
        """
        left = list(self.given)
        seen: Counter[ValueType] = Counter()
        chosen = []
        for declared in function.inputs:
            if declared is None:
                return None
            given = _match_spec(left, declared)
            type_ = given.type if given and given.type else declared.sized(self.size)
            values = given.values if given else None
            if values is None:
                values = self._values(type_, seen[type_])
            seen[type_] += 1
            chosen.append(values if type_.shape is None else f"{_passed(type_)}={values}")
        return chosen

    def _values(self, type_: ValueType, position: int) -> str:
        if type_.shape is None and not type_.is_float:
            return "1" if type_.element == "i1" else str(self.size)  # probably a size
        count = math.prod(dim or 0 for dim in type_.shape or ())
        source = random.Random(f"{self.seed} {position} {type_} {self.style.name}")
        distinct = [self._value(type_, source) for _ in range(min(count, _PERIOD))]
        times = -(-count // _PERIOD)
        return " ".join((distinct * times)[:count])

    def _value(self, type_: ValueType, source: random.Random) -> str:
        special = self.style.specials and source.random() < 0.5
        if type_.is_float:
            if special:
                return f"{source.choice(_SPECIAL_FLOATS):g}"
            least, most, step = self.style.floats
            return f"{least + step * source.randrange(round((most - least) / step) + 1):g}"
        lowest, highest = _integer_range(type_.element)
        if special:
            return str(source.choice((lowest, highest, 0, 1, max(lowest, -1))))
        least, most = self.style.integers
        return str(source.randint(max(lowest, int(least)), min(highest, int(most))))


def _match_spec(left: list[InputSpec], declared: ValueType) -> InputSpec | None:
    for given in left:
        scalar = given.type is None and declared.shape is None
        if scalar or (given.type is not None and declared.takes(given.type)):
            left.remove(given)
            return given
    return None


def _passed(type_: ValueType) -> str:
    """The type as passed to the runtime, which has no `index` tensors: they are passed as i64."""
    return str(replace(type_, element="i64") if type_.element == "index" else type_)


def _integer_range(element: str) -> tuple[int, int]:
    bits = int("".join(filter(str.isdigit, element)) or 64)
    if bits == 1:
        return 0, 1
    if element.startswith("u"):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def trials(given: Sequence[InputSpec] = ()) -> list[Trial]:
    """All trials to run on an input before concluding that its results are right."""
    return [
        Trial(style, size, seed, tuple(given))
        for size in SIZES
        for style in STYLES
        for seed in range(SEEDS)
    ]
