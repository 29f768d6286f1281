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
from functools import lru_cache
from itertools import zip_longest

from reducer.miscompile.values.programs import Function, ValueType, complex_word, spelled
from reducer.miscompile.values.user_inputs import InputSpec, Window, chosen
from reducer.printed_results import number

_PARTNERS = {8: (1, 2, 6, 7, 4, 0), 5: (4, 3, 0, 4, 1, 0)}
"""Which special value a single number is where the one before it is the first, the second and so
on, by how many the type has: as floats, inf meets -inf, -0 meets 0, and a huge number itself; as
integers, the least meets -1 and itself."""

_PERIOD = 1021
"""Different values in one tensor; a larger one repeats them (a prime, so that rows differ)."""


@dataclass(frozen=True)
class ValueStyle:
    """A range of values: minimum, maximum and step for floats, minimum and maximum for integers."""

    name: str
    floats: tuple[float, float, float]
    integers: tuple[int, int]
    specials: bool = False
    is_tame: bool = True
    """Whether nearly every op is defined for such values."""
    is_sparse: bool = False
    """Whether half of the values are zero."""
    other_floats: tuple[float, float, float] | None = None
    other_integers: tuple[int, int] | None = None
    """Other ranges for every other set of values."""

    def ranges(self, seed: int) -> tuple[tuple[float, float, float], tuple[int, int]]:
        """The ranges of floats and of integers for a seed."""
        if seed % 2 == 0:
            return self.floats, self.integers
        return self.other_floats or self.floats, self.other_integers or self.integers


STYLES = (
    ValueStyle("small", (-3, 3, 1), (0, 3), other_floats=(-3, 3, 0.25)),
    ValueStyle(
        "positive", (0.5, 4, 0.5), (1, 7), other_floats=(0.25, 4, 0.25), other_integers=(1, 3)
    ),
    ValueStyle("wide", (-96, 96, 0.125), (-100, 100), is_tame=False, other_floats=(-480, 480, 0.5)),
    ValueStyle("sparse", (0.5, 4, 0.5), (1, 7), is_tame=False, is_sparse=True),
    ValueStyle("special", (-3, 3, 0.5), (-3, 3), specials=True, is_tame=False),
)
"""From the safest on. Small integers are in range as indices, positive ones divide; negative and
extreme ones may be out of range, which the guards notice. Many zeros are what a pivot, a divisor
or a mask is wrong for, and what sums of small floats need to be exact. Every other set of small
or positive floats has quarters, which are lost if they become integers, and of positive integers
only those that are likely to be in range. Every other set of wide floats goes beyond where some
floats of eight bits end."""

SIZES = (5, 16, 1)
"""The sizes tried for dynamic dimensions."""

SEEDS = 2
"""The number of sets of values of each style that a module is tried with."""


@dataclass(frozen=True)
class FloatRange:
    """The numbers of a float type.

    `digits` are the bits of its significand; 2 to the power of `huge` and `tiny` are numbers close
    to its largest and its smallest.
    """

    digits: int
    huge: int
    tiny: int
    infinities: bool = True
    negative_zero: bool = True

    @property
    def most(self) -> float:
        """The largest number with the exponent of the huge one: of some types, the last is NaN."""
        is_last_nan = self.negative_zero and not self.infinities
        return 2.0**self.huge * (2 - (2 if is_last_nan else 1) * 2.0 ** (1 - self.digits))

    def nearest(self, value: float) -> float:
        """The number itself, or a close one of the type."""
        fraction, exponent = math.frexp(value)
        rounded = math.ldexp(round(math.ldexp(fraction, self.digits)), exponent - self.digits)
        return math.copysign(min(abs(rounded), self.most), value)

    def specials(self) -> tuple[float, ...]:
        """The values at which programs go wrong, most telling first."""
        huge, tiny = 2.0**self.huge, 2.0**self.tiny
        infinities = (math.inf, -math.inf) if self.infinities else ()
        zeros = (-0.0, 0.0) if self.negative_zero else (0.0,)
        return (*infinities, math.nan, *zeros[:1], huge, -huge, tiny, *zeros[1:])


FLOATS = {
    "f64": FloatRange(53, 100, -100),
    "f32": FloatRange(24, 100, -100),
    "bf16": FloatRange(8, 100, -100),
    "f16": FloatRange(11, 15, -14),
    "f8E5M2": FloatRange(3, 15, -14),
    "f8E4M3FN": FloatRange(4, 8, -6, infinities=False),
    "f8E5M2FNUZ": FloatRange(3, 15, -15, infinities=False, negative_zero=False),
    "f8E4M3FNUZ": FloatRange(4, 7, -7, infinities=False, negative_zero=False),
}
"""The float types that runtimes read and print."""


@dataclass(frozen=True)
class Trial:
    """One way to choose all inputs of a function; `focus` is that of a `Window`.

    `has_sizes` is whether integer scalars are taken for sizes, as beside tensors and buffers; else
    they are numbers like any other. `borders` are numbers at which the program may do something
    else than elsewhere (see `borders_of`).
    """

    style: ValueStyle = STYLES[0]
    size: int = SIZES[0]
    seed: int = 0
    user_inputs: tuple[InputSpec, ...] = ()
    focus: tuple[tuple[int, int], ...] = ()
    has_sizes: bool = True
    borders: tuple[float, ...] = ()

    def __str__(self) -> str:
        return f"{self.style.name} values, dynamic sizes {self.size}, seed {self.seed}"

    def with_seed(self, seed: int) -> "Trial":
        return replace(self, seed=seed)

    def inputs(self, function: Function) -> list[str] | None:
        """The inputs in the syntax of `iree-run-module --input`.

        They are None if an argument is neither a number nor a tensor of numbers.

        Arguments take the user's values that fit them, or a part of larger ones (see `pairing`):
        what is in focus with one seed, and the end with the next. All others get values that depend
        only on their type and on how many of that type came before: they stay the same when a
        reduction drops other arguments.
        """
        types = [one for one in function.inputs if one is not None]
        if len(types) < len(function.inputs):
            return None
        seen: Counter[str] = Counter()  # a number, a tensor and a vector must differ as well
        words = []
        window = Window(self.focus, at_end=self.seed % 2 == 1)
        for declared, given in zip(types, chosen(self.user_inputs, types, window), strict=True):
            type_ = given.type if given and given.type else declared.sized(self.size)
            values = given.values if given else None
            if values is None:
                values = self._values(type_, seen[str(type_)])
            elif given and type_.element == "i1" and type_.shape is not None:
                values = " ".join(_in_bytes(given.words, type_))
            seen[str(type_)] += 1
            words.append(values if type_.shape is None else f"{_passed(type_)}={values}")
        return words

    def _values(self, type_: ValueType, position: int) -> str:
        """The values of one argument: they are drawn and spelled once, however often it occurs."""
        is_whole = not (type_.is_float or type_.is_complex)
        if type_.shape is None and is_whole and self._is_size:
            return "1" if type_.element == "i1" else str(self._scalar(position))
        drawn = _drawn(replace(self, user_inputs=(), focus=()), type_, position)
        count = math.prod(dim or 0 for dim in type_.shape or ())
        times, rest = divmod(count, _PERIOD)
        return " ".join([drawn] * times + drawn.split(" ")[:rest]) if times else drawn

    def distinct(self, type_: ValueType, position: int) -> list[str]:
        """The values that a tensor of this type repeats, spelled."""
        count = math.prod(dim or 0 for dim in type_.shape or ())
        again = self._again(type_)
        key = f"{self.seed} {position} {type_} {self.style.name}"
        source = random.Random(f"{key} {again}" if again else key)
        if type_.is_complex:
            return self._complex_values(type_, min(count, _PERIOD), source)
        values = [self._value(type_, source) for _ in range(min(count, _PERIOD))]
        if self.style.specials:
            self._place_specials(values, type_, position, source)
        if self.style.is_sparse and self.seed % 2 and (short := _short_of(type_)):
            values = _few(len(values), type_, short, source)
        elif self.style.is_sparse:
            for place in source.sample(range(len(values)), len(values) // 2):
                values[place] = 0.0 if type_.is_float else 0
        if self.borders and not (self.style.is_tame or self.style.specials):
            self._place_borders(values, type_, position, source)
        if type_.shape is None and not type_.is_float:
            return [str(int(values[0]))]
        return [_word(value, math.copysign(1, value), type_.element) for value in values]

    @property
    def _is_size(self) -> bool:
        """Whether integer scalars are sizes; the first that are tried may always be some."""
        return self.has_sizes or (self.style is STYLES[0] and self.seed == 0)

    def _again(self, type_: ValueType) -> int:
        """How often a value of a type was chosen with the same seed, for other sizes.

        A single element has room for one special value at a time.
        """
        is_one = all(dim == 1 for dim in type_.shape or ())
        return SIZES.index(self.size) if is_one and self.size in SIZES else 0

    def _scalar(self, position: int) -> int:
        """An integer that is probably a size.

        Where a program only runs if it is known to be defined, each is another one, half of the
        time: what exchanges two of them would not be seen otherwise.
        """
        differs = not self.style.is_tame and self.seed % 2 == 1
        return max(self.size - position, 0) if differs else self.size

    def _complex_values(self, type_: ValueType, count: int, source: random.Random) -> list[str]:
        """Finite numbers without -0: at all others functions differ by convention."""
        part = ValueType("f32" if type_.element == "cf64" else "f64", ())
        plain = self if not self.style.specials else replace(self, style=STYLES[0])
        parts = [plain._value(part, source) for _ in range(2 * count)]
        if self.style.is_sparse:
            for place in source.sample(range(len(parts)), len(parts) // 2):
                parts[place] = 0.0
        pairs = zip(parts[::2], parts[1::2], strict=True)
        return [complex_word(real, imaginary, type_) for real, imaginary in pairs]

    def _place_specials(
        self, values: list[float], type_: ValueType, position: int, source: random.Random
    ) -> None:
        """Put every special value somewhere; if there is no room for all, the others next time.

        A single number is most of them only if each size is another time. Two of them differ with
        either seed, or no bound would ever be another one than the other, and meet in `_PARTNERS`.
        """
        specials = _specials(type_)
        places = source.sample(range(len(values)), min(len(values), len(specials)))
        time = self.seed + SEEDS * self._again(type_)
        partners = _PARTNERS.get(len(specials))
        if len(places) == 1 and position % 2 == 1 and partners:
            values[places[0]] = specials[partners[time % len(partners)]]
            return
        for turn, place in enumerate(places, time * len(places) + position):
            values[place] = specials[turn % len(specials)]

    def _place_borders(
        self, values: list[float], type_: ValueType, position: int, source: random.Random
    ) -> None:
        """Put the program's own numbers into half of a tensor of the second set of wide values.

        A single number is another one of them each time.
        """
        borders = tuple(dict.fromkeys(_closest(one, type_) for one in self.borders))
        if len(values) == 1:
            turn = 2 * (self.seed + SEEDS * self._again(type_)) + self.style.is_sparse
            values[0] = borders[(turn + position * SEEDS) % len(borders)]
        elif self.seed % 2 and not self.style.is_sparse:
            places = source.sample(range(len(values)), len(values) // 2)
            for number, place in enumerate(places):
                values[place] = borders[number % len(borders)]

    def _value(self, type_: ValueType, source: random.Random) -> float:
        if self.style.specials and source.random() < 0.5:
            return source.choice(_specials(type_))
        floats, integers = self.style.ranges(self.seed)
        if type_.is_float:
            least, most, step = floats
            steps = source.randrange(round((most - least) / step) + 1)
            return _on_grid(least, step, steps, type_.element)
        lowest, highest = _signed_range(type_)
        least, most = integers
        return _as_declared(source.randint(max(lowest, int(least)), min(highest, int(most))), type_)


@lru_cache(maxsize=1 << 16)
def _on_grid(least: float, step: float, steps: int, element: str) -> float:
    known = FLOATS.get(element)
    return known.nearest(least + step * steps) if known else least + step * steps


@lru_cache(maxsize=1 << 16, typed=True)
def _word(value: float, sign: float, element: str) -> str:
    """The value as text; `sign` tells zeros apart."""
    return spelled(value, element)


@lru_cache(maxsize=4096)
def _drawn(trial: Trial, type_: ValueType, position: int) -> str:
    return " ".join(trial.distinct(type_, position))


def _short_of(type_: ValueType) -> FloatRange | None:
    """The numbers of a float type that has too few digits for most sums."""
    return FLOATS.get(type_.element) if type_.is_float and type_.bits < 32 else None


def _few(count: int, type_: ValueType, numbers: FloatRange, source: random.Random) -> list[float]:
    """Zeros with so few ones and minus ones that sums along a dimension are exact in any order.

    The first and the last element are among them: at the ends something is left out most often.
    """
    longest = max((dim or 0 for dim in type_.shape or ()), default=0)
    share = min(0.5, 2.0 ** (numbers.digits - 1) / max(longest, 1))
    ends = [0, count - 1][:count]
    others = source.sample(range(count), round(share * count))
    places = {*ends, *others[: max(len(others) - len(ends), 0)]}
    return [source.choice((1.0, -1.0)) if place in places else 0.0 for place in range(count)]


def obstacle_to(function: Function) -> str:
    """Why a function cannot be called, or its results not be read, and what helps; '' if it can.

    The runtime's tool can neither read tensors of elements smaller than a byte nor print them, and
    in most releases they cannot be passed at all. Scalars of less than 32 bits are passed as
    integers and printed without their sign, and complex ones are not known to it.
    """
    types = [one for one in function.inputs if one is not None]
    results = [one for one in function.results if one is not None]
    if len(types) < len(function.inputs):
        return "it has an argument that is neither a number nor a tensor of numbers"
    if function.in_memory:
        return ""
    if packed := next(filter(_is_packed, (*types, *results)), None):
        return (
            f"the runtime's tool cannot print tensors of {packed.element}, nor read them as text; "
            f"a function that takes or returns i8 and converts it to or from {packed.element} can "
            "be called"
        )
    scalars = (
        *(one for one in types if _is_short_float(one) or _is_complex_scalar(one)),
        *(one for one in results if _is_short(one) or _is_complex_scalar(one)),
    )
    if scalars:
        kind = scalars[0].element
        return (
            f"the runtime's tool does not pass or print scalars of type {kind} as they are; a "
            f"function that takes or returns a tensor of one {kind} can be called"
        )
    return ""


def _is_complex_scalar(type_: ValueType) -> bool:
    return type_.is_complex and type_.shape is None


def _passed(type_: ValueType) -> str:
    """The type as passed to the runtime, which has no `index` tensors: they are passed as i64."""
    return str(replace(type_, element="i64") if type_.element == "index" else type_)


def _in_bytes(words: Sequence[str], type_: ValueType) -> list[str]:
    """Truth values as the runtime reads them: two digits each, and none left out."""
    count = math.prod(dim or 0 for dim in type_.shape or ()) if len(words) == 1 else 1
    return [spelled(number(word), type_.element) for word in words] * count


def _is_short(type_: ValueType) -> bool:
    """Whether it is a scalar of less than 32 bits; a truth value is right in any width."""
    return type_.shape is None and type_.element not in ("i1", "index") and type_.bits < 32


def _is_short_float(type_: ValueType) -> bool:
    return _is_short(type_) and type_.is_float


def _is_packed(type_: ValueType) -> bool:
    """Whether several elements share a byte."""
    return type_.shape is not None and type_.element != "i1" and type_.bits < 8


def _specials(type_: ValueType) -> tuple[float, ...]:
    if type_.is_float:
        known = FLOATS.get(type_.element)
        return known.specials() if known else (0.0,)
    lowest, highest = _signed_range(type_)
    values = lowest, highest, 0, 1, max(lowest, -1)
    return tuple(_as_declared(value, type_) for value in values)


def _signed_range(type_: ValueType) -> tuple[int, int]:
    if type_.bits == 1:
        return 0, 1
    return -(2 ** (type_.bits - 1)), 2 ** (type_.bits - 1) - 1


def _as_declared(value: int, type_: ValueType) -> int:
    """A signed integer, or the unsigned one with the same bits.

    So an unsigned integer has its highest bit set as often as a signed one is negative: that is
    where the two are confused.
    """
    return value % 2**type_.bits if type_.element.startswith("u") else value


_CONSTANT = re.compile(r"\bconst\w*\b.*?(?= : |$)", re.I | re.M)
_NUMBER = re.compile(r"(?<![\w.%#@x])-?\d+(?:\.\d+(?:[eE][+-]?\d+)?)?(?![\w.]|\s*=)")
_WIDTH = re.compile(r"(?<![\w%@#])(?:\d+x)*[us]?i(\d+)\b")
_MOST_BORDERS = 64
_USUAL_WIDTH = 32
"""What passes narrow integers to, and the width of machine words, if no other is named."""


def borders_of(text: str) -> tuple[float, ...]:
    """The constants of a program, what is next to them, and the ends of its integer types.

    Comparisons, shifts and conversions do something else there than elsewhere. One of each sort
    comes in turn, so that a few of them are of all sorts.

    >>> borders_of("%c = arith.constant 47 : i8")[:6]
    (47, 46, 2147483647, 48, 2147483648, -47)
    """
    words = [word for line in _CONSTANT.findall(text) for word in _NUMBER.findall(line)]
    own = list(dict.fromkeys(map(number, words)))
    beside = [near for one in own for near in (one - 1, one + 1, -one)]
    widths = sorted({_USUAL_WIDTH, *map(int, _WIDTH.findall(text))} - {1}, reverse=True)
    ends = [
        end for k in widths for end in (2 ** (k - 1) - 1, 2 ** (k - 1), 2**k - 1, 2**k, -(2**k))
    ]
    turns = (one for several in zip_longest(own, beside, ends) for one in several)
    return tuple(dict.fromkeys(one for one in turns if one is not None))[:_MOST_BORDERS]


def _closest(border: float, type_: ValueType) -> float:
    """The number of a type that is closest to another number."""
    if type_.is_float:
        known = FLOATS.get(type_.element)
        return known.nearest(border) if known and border else float(border)
    lowest, highest = _signed_range(type_)
    return _as_declared(max(lowest, min(highest, int(border))), type_)


def trials(
    user_inputs: Sequence[InputSpec] = (),
    *,
    varied: bool = False,
    has_sizes: bool = True,
    borders: tuple[float, ...] = (),
) -> list[Trial]:
    """All trials to run on an input before concluding that its results are right.

    Special values come last: what is wrong for ordinary ones is the graver defect. If `varied`, the
    safest come first, and then what shows most, whatever it shows: that takes fewer runs, which is
    what counts in a large program. For `has_sizes` see `Trial`.
    """
    chosen = [
        Trial(style, size, seed, tuple(user_inputs), has_sizes=has_sizes, borders=borders)
        for specials in (False, True)
        for size in SIZES
        for style in STYLES
        if style.specials is specials
        for seed in range(SEEDS)
    ]
    return [chosen[0], *sorted(chosen[1:], key=_later)] if varied else chosen


def _later(trial: Trial) -> tuple[bool, int]:
    """Later for values that others have, too, or that were drawn before."""
    return trial.style.is_tame or trial.style.is_sparse, trial.seed
