"""A compiled IREE program: its exported functions, and the results it prints."""

import math
import re
import struct
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from reducer.ir.shapes import parse_shaped
from reducer.miscompile.values.elements import Numbers
from reducer.printed_results import ELIDED, number, results_in, words_of

# The compiler keeps the source's own types as text: sync func @f(%input0: tensor<?xf32>) -> (…)
_DECLARATION = re.compile(
    rb"(?<![\w ])sync func @(?P<name>[\w.$-]+)\((?P<inputs>[ -~]*?)\) -> \((?P<results>[ -~]*)\)"
)
_VALUE = re.compile(r"%\w+: (.*?)(?=, %\w+: |$)")
_ELEMENT = re.compile(r"(?:(?:bf|f|i|si|ui)\d+\w*|index|cf64|cf128)$")
_SIGN = re.compile(r"^[us]i(?=\d)")
_COMPLEX = {"complex<f32>": "cf64", "complex<f64>": "cf128"}


def signless(element: str) -> str:
    """The element type without a sign, as programs take it.

    >>> signless("ui8"), signless("f32")
    ('i8', 'f32')
    """
    return _SIGN.sub("i", element)


@dataclass(frozen=True)
class ValueType:
    """A scalar (`shape` is None) or a tensor; a dynamic dimension is None.

    Complex elements are named as the runtime names them: `cf64` has a real and an imaginary part of
    32 bits each. `is_vector` is whether a function takes or returns it as a vector.

    >>> ValueType.parse("tensor<2x?xf32>")
    ValueType(element='f32', shape=(2, None))
    >>> str(ValueType.parse("tensor<2x?xf32>")), str(ValueType.parse("index"))
    ('2x?xf32', 'index')
    """

    element: str
    shape: tuple[int | None, ...] | None
    is_vector: bool = field(default=False, repr=False)

    @classmethod
    def parse(cls, text: str) -> "ValueType | None":
        """The type in MLIR's syntax; None if it is neither a number nor a tensor of numbers."""
        text = text.partition(" {")[0].strip()
        for ours, theirs in _COMPLEX.items():
            text = text.replace(ours, theirs)
        if _ELEMENT.match(text):
            return cls(text, None)
        shaped = parse_shaped(text) if text.startswith("tensor<") else None
        if shaped is None or shaped.suffix != ">" or not _ELEMENT.match(shaped.element):
            return None
        return cls(shaped.element, shaped.dims)

    @property
    def is_float(self) -> bool:
        """Whether elements are floating-point numbers."""
        return self.element.startswith(("f", "bf"))

    @property
    def is_integer(self) -> bool:
        """Whether elements are integers of a known size."""
        return not (self.is_float or self.is_complex or self.element == "index")

    @property
    def is_complex(self) -> bool:
        """Whether each element is a pair of floating-point numbers."""
        return self.element.startswith("cf")

    @property
    def bits(self) -> int:
        """The size of an element; an index takes 64 bits at run time.

        >>> ValueType("f8E5M2", ()).bits, ValueType("bf16", ()).bits
        (8, 16)
        """
        digits = re.search(r"\d+", self.element)
        return int(digits[0]) if digits else 64

    def sized(self, size: int) -> "ValueType":
        """The type with every dynamic dimension replaced by `size`."""
        if self.shape is None:
            return self
        return replace(self, shape=tuple(size if dim is None else dim for dim in self.shape))

    def takes(self, other: "ValueType") -> bool:
        """Whether a value of type `other` may be passed for a parameter of this type."""
        if self.element != other.element or (self.shape is None) != (other.shape is None):
            return False
        ours, theirs = self.shape or (), other.shape or ()
        return len(ours) == len(theirs) and all(
            dim in (None, size) for dim, size in zip(ours, theirs, strict=True)
        )

    def __str__(self) -> str:
        dims = ["?" if dim is None else str(dim) for dim in self.shape or ()]
        return "x".join([*dims, self.element])


@dataclass(frozen=True)
class Function:
    """An exported function; a type is None if we can neither make nor read its values.

    Of a function that works on memory, `memory` are the numbers of the inputs that are: what these
    hold in the end are further results. So is what it prints, after those, unless `prints` is 0;
    otherwise that is the relative tolerance of printed floats. `in_memory` is whether values are
    passed as they are in memory, and not as text.
    """

    name: str
    inputs: tuple[ValueType | None, ...]
    results: tuple[ValueType | None, ...]
    memory: tuple[int, ...] = ()
    prints: float = 0.0
    in_memory: bool = False

    @property
    def has_results(self) -> bool:
        """Whether a call shows anything."""
        return bool(self.results or self.memory or self.prints)

    @property
    def returned(self) -> list[ValueType]:
        """The types of what is returned and of what is left in memory."""
        left = (self.inputs[number] for number in self.memory)
        return [one for one in (*self.results, *left) if one is not None]

    def misfit(self, results: "Sequence[Value]") -> str:
        """Why no program with this function can give such results; '' if one can."""
        for place, (value, declared) in enumerate(zip(results, self.results, strict=False)):
            ours, theirs = value.type, declared
            if ours is None or theirs is None or ours.shape is None or theirs.shape is None:
                continue
            sizes = zip(ours.shape, theirs.shape, strict=False)
            if len(ours.shape) != len(theirs.shape) or any(b not in (a, None) for a, b in sizes):
                return f"result {place} of @{self.name} is {theirs}, not {ours}"
        return ""


def exported_functions(program: Path) -> list[Function]:
    """The exported functions of a compiled program, by name.

    They are read from the program rather than from its source, so any input dialect works.
    """
    found = {
        match["name"].decode(): Function(
            match["name"].decode(), _types(match["inputs"]), _types(match["results"])
        )
        for match in _DECLARATION.finditer(program.read_bytes())
    }
    return [found[name] for name in sorted(found)]


def _types(text: bytes) -> tuple[ValueType | None, ...]:
    return tuple(map(ValueType.parse, _VALUE.findall(text.decode())))


MAX_ELEMENTS = 1 << 22
"""The maximum number of elements of one result that are printed and compared."""


COLUMNS = "elements", "defined", "slack", "exact", "signed"
"""What a value says of each element."""


@dataclass(frozen=True, eq=False)
class Value:
    """One result; `elements` is None if it cannot be compared.

    They are arrays of one dimension, made of any sequences. A complex number is two elements, its
    real and its imaginary part.

    `defined` says for each element whether it has a value at all; None means that all have one. An
    element computed from uninitialized memory, for example, may be any number. `slack` says how far
    each may be off because of rounding, beyond the tolerance for its type; None means not at all.
    `exact` says for each whether nothing was rounded on the way to it, so that it is the same in
    any order; None means that this is not known of any. `signed` says for each whether, if it is a
    zero, it has the right sign; None means that nobody knows, so the sign does not count.
    """

    type: ValueType | None
    elements: Any = None
    defined: Any = None
    slack: Any = None
    exact: Any = None
    signed: Any = None

    def __post_init__(self) -> None:
        for name in COLUMNS:
            column = getattr(self, name)
            if column is not None and not isinstance(column, np.ndarray):
                object.__setattr__(self, name, _array(column))

    @property
    def count(self) -> int:
        """How many elements are known."""
        return 0 if self.elements is None else len(self.elements)

    @property
    def words(self) -> list[str]:
        """The elements that are known as people read them."""
        numbers = [] if self.elements is None else self.elements.tolist()
        known = [True] * len(numbers) if self.defined is None else self.defined
        shown = (f"{one:g}" if isinstance(one, float) else str(one) for one in numbers)
        return [word if has else "poison" for word, has in zip(shown, known, strict=False)]

    def read_as(self, type_: ValueType | None) -> "Value":
        """The same bits as integers of another type, if that differs only in having a sign.

        >>> str(Value(ValueType("ui8", (2,)), (254, 3)).read_as(ValueType("i8", (2,))))
        '2xi8=-2 3'
        """
        if type_ is None or self.type is None or self.elements is None:
            return self
        ours, theirs = self.type.element, type_.element
        if ours == theirs or signless(ours) != signless(theirs):
            return self
        return replace(self, type=replace(self.type, element=theirs)).in_range()

    def in_range(self) -> "Value":
        """The same bits as integers that the type has.

        >>> str(Value(ValueType("i8", (2,)), (254, 3)).in_range())
        '2xi8=-2 3'
        """
        if self.type is None or self.elements is None or not self.type.is_integer:
            return self
        size = 1 << self.type.bits
        least = 0 if self.type.element.startswith("u") or size == 2 else -size // 2
        elements = [(int(one) - least) % size + least for one in self.elements.tolist()]
        return replace(self, elements=elements)

    def __str__(self) -> str:
        shown = " ".join(f"{one:g}" for one in self.elements[:12]) if self.count else ""
        more = " …" if self.count > 12 else ""
        return f"{self.type}={shown}{more}"


UNKNOWN = Value(None)


def _array(column: Sequence[float]) -> Numbers:
    """Numbers as an array; if some are integers and some are not, each stays what it is."""
    is_mixed = len({type(one) for one in column}) > 1
    return np.array(column, object if is_mixed else None)


def read_results(text: str) -> list[Value]:
    """The results in order, from standard output."""
    return list(map(_value, results_in(text)))


def printed_tensors(text: str) -> dict[int, str]:
    """The tensors among the results by number, spelled as inputs: `2xf32=1 2`."""
    found = enumerate(results_in(text))
    return {place: one[0] for place, one in found if one and one["sizes"] is not None}


def _value(printed: re.Match[str] | None) -> Value:
    if printed is None:
        return UNKNOWN
    type_: ValueType | None = ValueType(printed["element"], None)
    if printed["sizes"] is not None:
        type_ = ValueType.parse(f"tensor<{printed['type']}>")
    words = [word for word in words_of(printed["values"]) if word != ELIDED]
    try:
        return Value(type_, numbers_of(words, type_) if type_ else list(map(number, words)))
    except ValueError:
        return UNKNOWN


def numbers_of(words: Sequence[str], type_: ValueType) -> Numbers:
    """The numbers that words spell, two for each complex number, which is spelled as its bytes.

    >>> numbers_of(["0000803F000000C0"], ValueType("cf64", ())).tolist()
    [1.0, -2.0]

    Raises:
        ValueError: a word spells none.
    """
    if type_.is_complex:
        parts = np.frombuffer(bytes.fromhex("".join(words)), f"<f{type_.bits // 16}")
        if 2 * len(words) != len(parts):
            raise ValueError(f"{' '.join(words)[:40]} is not of type {type_.element}")
        return parts.astype(np.float64)
    if not type_.is_float:
        for kind in (np.int64, np.uint64):
            with suppress(ValueError, OverflowError):
                return np.array(words, kind)
    return np.array(words, np.float64)


def complex_word(real: float, imaginary: float, type_: ValueType) -> str:
    """A complex number as the runtime spells it.

    >>> complex_word(1.0, -2.0, ValueType("cf64", ()))
    '0000803F000000C0'
    """
    code = "<ff" if type_.element == "cf64" else "<dd"
    return struct.pack(code, real, imaginary).hex().upper()


def spelled(number: float, element: str) -> str:
    """A number as text from which the same number of this element type is read."""
    if isinstance(number, int):
        return f"{number:02}" if element == "i1" else str(number)
    if not math.isfinite(number):
        return str(number)
    if element == "f64":
        return repr(number)
    return next(
        (word for digits in _DIGITS if _single_of(word := f"{number:.{digits}g}") == number),
        f"{number:.9g}",
    )


_DIGITS = (6, 7, 8)  # nine always distinguish single-precision numbers


def _single_of(word: str) -> float:
    """The single-precision number closest to a decimal one; infinity if that is too large."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", float(word)))[0])
    except OverflowError:
        return math.inf
