"""Element types, and the NumPy types that hold their values.

An integer of any width is sign-extended in the smallest signed type that holds it; i1 is a bool and
index has 64 bits. Floats of 16 bits or fewer other than f16 are those of ml_dtypes, which rounds
to nearest even as MLIR does.
"""

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from reducer.miscompile.interpreter.errors import Unsupported

Numbers = NDArray[Any]

INDEX_WIDTH = 64


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
