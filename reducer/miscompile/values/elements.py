"""Element types: the NumPy types that hold them, and elements as text and in memory.

An integer of any width is sign-extended in the smallest signed type that holds it; i1 is a bool and
index has 64 bits. Floats of 16 bits or fewer other than f16 are those of ml_dtypes, which rounds
to nearest even as MLIR does.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]

INDEX_WIDTH = 64


class Unsupported(Exception):
    """The evaluator does not know ops, types or attributes of the program, so it is no judge."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(sorted(set(names)))
        super().__init__(f"not supported: {', '.join(self.names)}")


class ElementKind(Enum):
    """What an element type can hold."""

    INTEGER = "integer"
    FLOAT = "float"
    COMPLEX = "complex"


@dataclass(frozen=True)
class Element:
    """A number type. `width` is in bits; `unsigned` is whether it is printed without a sign."""

    text: str
    kind: ElementKind
    width: int
    dtype: np.dtype[Any]
    unsigned: bool = False

    @property
    def is_integer(self) -> bool:
        return self.kind is ElementKind.INTEGER

    @property
    def is_float(self) -> bool:
        return self.kind is ElementKind.FLOAT

    @property
    def is_small_float(self) -> bool:
        """Whether arithmetic is done in f32 and rounded afterwards (which gives the same)."""
        return self.is_float and self.width < 32

    @property
    def wide(self) -> np.dtype[Any]:
        """The type in which arithmetic on floats is done."""
        return np.dtype(np.float32) if self.is_small_float else self.dtype

    @property
    def lowest(self) -> int:
        """The smallest integer, as a signed number."""
        return -(1 << (self.width - 1))

    @property
    def highest(self) -> int:
        """The largest integer, as a signed number."""
        return (1 << (self.width - 1)) - 1


_INTEGER = re.compile(r"([su]?)i(\d+)$")
_FLOAT = re.compile(r"f(\d+)(E\w+)$")
_COMPLEX = re.compile(r"complex<(f32|f64)>$")
_RUNTIME_NAMES = {"cf64": "complex<f32>", "cf128": "complex<f64>"}
"""What the runtime calls complex types, by the number of bits."""
_PLAIN_FLOATS = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
}


@lru_cache(maxsize=256)
def parse_element(text: str) -> Element | None:
    """The number type written as `text`; None if it is not one.

    Raises:
        Unsupported: it is one, but there is no NumPy type for it.
    """
    if text == "index":
        return Element(text, ElementKind.INTEGER, INDEX_WIDTH, np.dtype(np.int64))
    if match := _INTEGER.match(text):
        width = int(match[2])
        return Element(
            text, ElementKind.INTEGER, width, _integer_dtype(width, text), match[1] == "u"
        )
    if text in _PLAIN_FLOATS:
        dtype = np.dtype(_PLAIN_FLOATS[text])
        return Element(text, ElementKind.FLOAT, dtype.itemsize * 8, dtype)
    if match := _FLOAT.match(text):
        kind = getattr(ml_dtypes, f"float{match[1]}_{match[2].lower()}", None)
        if kind is None:
            raise Unsupported([f"type {text}"])
        return Element(text, ElementKind.FLOAT, int(match[1]), np.dtype(kind))
    if match := _COMPLEX.match(_RUNTIME_NAMES.get(text, text)):
        dtype = np.dtype(np.complex64 if match[1] == "f32" else np.complex128)
        return Element(text, ElementKind.COMPLEX, dtype.itemsize * 8, dtype)
    if re.match(r"(?:complex<|tf32$|f80$|f128$)", text):
        raise Unsupported([f"type {text}"])
    return None


def _integer_dtype(width: int, text: str) -> np.dtype[Any]:
    if width == 1:
        return np.dtype(np.bool_)
    for bits in (8, 16, 32, 64):
        if width <= bits:
            return np.dtype(f"int{bits}")
    raise Unsupported([f"type {text}"])


def signed(data: Numbers) -> Numbers:
    """The numbers as signed integers: true is -1."""
    return -data.astype(np.int8) if data.dtype == np.bool_ else data


def unsigned(data: Numbers, element: Element) -> Numbers:
    """The numbers as unsigned integers of the same storage size."""
    if data.dtype == np.bool_:
        return data.astype(np.uint8)
    out = np.asarray(data).view(f"uint{data.dtype.itemsize * 8}")
    if element.width < data.dtype.itemsize * 8:
        out = out & out.dtype.type((1 << element.width) - 1)
    return out


def wrapped(data: Numbers, element: Element) -> Numbers:
    """The low bits of integers, in the storage of an element type."""
    if element.width == 1:
        return (data & data.dtype.type(1)).astype(np.bool_) if data.dtype != np.bool_ else data
    out = data.astype(element.dtype)
    spare = element.dtype.itemsize * 8 - element.width
    return (out << spare) >> spare if spare else out


def to_bits(data: Numbers, element: Element) -> Numbers:
    """The bit patterns of numbers, as unsigned integers."""
    if element.is_integer:
        return unsigned(data, element)
    bits = np.ascontiguousarray(data).view(f"uint{element.dtype.itemsize * 8}").reshape(data.shape)
    return bits & bits.dtype.type((1 << element.width) - 1) if element.width < 8 else bits


def from_bits(bits: Numbers, element: Element) -> Numbers:
    """The numbers that have these bit patterns."""
    if element.is_integer:
        return wrapped(bits, element)
    kind = f"uint{element.dtype.itemsize * 8}"
    return np.ascontiguousarray(bits.astype(kind)).view(element.dtype).reshape(bits.shape)


def from_words(words: Sequence[str], element: Element) -> Numbers:
    """The numbers that words spell as `iree-run-module` takes them.

    Raises:
        ValueError: a word spells none.
    """
    if element.kind is ElementKind.COMPLEX:
        return np.frombuffer(bytes.fromhex("".join(words)), element.dtype)
    if element.is_float:
        return np.array([float(word) for word in words], np.float64).astype(element.dtype)
    mask = (1 << 64) - 1
    bits = np.array([_integer(word) & mask for word in words], np.uint64)
    return wrapped(bits.view(np.int64), element)


def _integer(word: str) -> int:
    known = {"true": 1, "false": 0}
    if word in known:
        return known[word]
    base = 16 if "x" in word else 10  # the runtime's truth values are bytes: 00 and 01
    return int(float(word)) if "." in word else int(word, base)


def from_memory(data: bytes, element: Element) -> Numbers:
    """Numbers as programs have them in memory.

    An integer takes the next power of two of bytes, also one of less than a byte: LLVM packs none.
    """
    if element.is_integer:
        return from_bits(np.frombuffer(data, f"<u{element.dtype.itemsize}"), element)
    return np.frombuffer(data, element.dtype)


def to_memory(data: Numbers, element: Element) -> bytes:
    """The bytes of numbers as programs have them in memory."""
    return (unsigned(data, element) if element.is_integer else data).tobytes()


def listed(data: Numbers, element: Element) -> list[float]:
    """Numbers as Python has them, two for each complex number; those of i1 are integers."""
    if element.kind is ElementKind.COMPLEX:
        data = data.view(f"f{element.dtype.itemsize // 2}")
    elif element.is_float:
        with np.errstate(invalid="ignore"):  # a signaling NaN becomes a quiet one
            data = data.astype(np.float64)
    elif element.unsigned or element.width == 1:
        data = unsigned(data, element)
    numbers: list[float] = data.tolist()
    return numbers
