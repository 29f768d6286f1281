"""Arrays in files: raw little-endian bytes (`.bin`), and NumPy's format (`.npy`).

Files are data. The format has a header, which is a literal, and raw bytes, so it is read here
without NumPy; pickled objects are refused
(https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
"""

import ast
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reducer.miscompile.values.programs import ValueType

NPY_MAGIC = b"\x93NUMPY"

_INTEGERS = {1: "b", 2: "h", 4: "i", 8: "q"}
_NPY_KINDS = {"f": "f", "i": "i", "u": "ui", "c": "cf"}


@dataclass(frozen=True)
class Array:
    """Elements in row-major order, spelled so that reading them gives the same elements."""

    type: ValueType
    words: Sequence[str]


def bytes_of(type_: ValueType) -> int:
    """The number of bytes of a value whose sizes are known.

    Raises:
        ValueError: the element type has no whole number of bytes.
    """
    return math.prod(dim or 0 for dim in type_.shape or ()) * _width(type_)


def from_bytes(type_: ValueType, data: bytes) -> Array:
    """The array with these bytes.

    Raises:
        ValueError: there are too few or too many bytes, or elements of this type cannot be read.
    """
    wanted = bytes_of(type_)
    if len(data) != wanted:
        raise ValueError(f"{type_} takes {wanted} bytes, not {len(data)}")
    return Array(type_, _reader(type_)(data))


def read_npy(data: bytes, at: int = 0) -> tuple[Array, int]:
    """The array that starts at an offset, and where the next one would start.

    Raises:
        ValueError: there is no such array, or one of elements that cannot be read.
    """
    if data[at : at + len(NPY_MAGIC)] != NPY_MAGIC:
        raise ValueError("it is not in NumPy's .npy format")
    start = at + len(NPY_MAGIC) + 2
    size = 2 if data[at + len(NPY_MAGIC)] == 1 else 4
    begin = start + size
    end = begin + int.from_bytes(data[start:begin], "little")
    try:
        header = ast.literal_eval(data[begin:end].decode("latin-1").strip())
        order, fortran, shape = header["descr"], header["fortran_order"], header["shape"]
        element = _npy_element(order)
        type_ = ValueType(element, tuple(map(int, shape)))
    except (KeyError, TypeError, SyntaxError, AttributeError) as error:
        raise ValueError("its .npy header is damaged") from error
    if fortran and len([dim for dim in type_.shape or () if dim != 1]) > 1:
        raise ValueError("arrays in Fortran order are not supported; use numpy.ascontiguousarray")
    last = end + bytes_of(type_)
    return from_bytes(type_, data[end:last]), last


def _npy_element(order: str) -> str:
    if order in ("|b1", "?"):
        return "i1"
    kind, size = _NPY_KINDS.get(order[1:2]), order[2:]
    if order[:1] not in "<|=" or kind is None or not size.isdigit():
        raise ValueError(f"elements of NumPy type {order} are not supported")
    return f"{kind}{8 * int(size)}"


def _width(type_: ValueType) -> int:
    """The number of bytes of an element."""
    if type_.element == "i1":
        return 1
    if type_.bits % 8:
        raise ValueError(f"elements of type {type_.element} are not whole bytes")
    return type_.bits // 8


def _reader(type_: ValueType) -> Callable[[bytes], list[str]]:
    """How to spell the elements in some bytes.

    Raises:
        ValueError: the element type is unknown.
    """
    width, element = _width(type_), type_.element
    if type_.is_complex:
        return lambda data: [
            data[at : at + width].hex().upper() for at in range(0, len(data), width)
        ]
    if element in ("f64", "f32", "f16"):
        code = {8: "d", 4: "f", 2: "e"}[width]
        return lambda data: [
            spelled(one, element) for (one,) in struct.iter_unpack(f"<{code}", data)
        ]
    if element == "bf16":
        return lambda data: [
            spelled(_single(word << 16), element) for (word,) in struct.iter_unpack("<H", data)
        ]
    if element in SMALL_FLOATS:
        table = [spelled(one, element) for one in SMALL_FLOATS[element].values()]
        return lambda data: [table[byte] for byte in data]
    if element.startswith(("f", "bf")):
        raise ValueError(f"elements of type {element} cannot be read from a file")
    code = _INTEGERS[width].upper() if element.startswith("u") else _INTEGERS[width]
    return lambda data: [spelled(one, element) for (one,) in struct.iter_unpack(f"<{code}", data)]


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


def _single(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


@dataclass(frozen=True)
class SmallFloat:
    """A float of eight bits (https://arxiv.org/abs/2209.05433, https://arxiv.org/abs/2206.02915).

    `infinities` is whether the largest exponent is for infinities and NaN, as in IEEE 754. Without
    them either the largest number is NaN (`fn`), or negative zero is, and the bias is one larger
    (`fnuz`).
    """

    exponent: int
    mantissa: int
    bias: int
    infinities: bool = False
    unsigned_zero: bool = False

    def values(self) -> list[float]:
        """The number for each byte."""
        return [self._value(byte) for byte in range(256)]

    def _value(self, byte: int) -> float:
        sign = -1.0 if byte & 0x80 else 1.0
        exponent = (byte & 0x7F) >> self.mantissa
        fraction = byte & ((1 << self.mantissa) - 1)
        if self.unsigned_zero and byte == 0x80:
            return math.nan
        top = (1 << self.exponent) - 1
        if self.infinities and exponent == top:
            return math.nan if fraction else sign * math.inf
        if not (self.infinities or self.unsigned_zero) and (byte & 0x7F) == 0x7F:
            return math.nan
        if exponent == 0:
            return sign * math.ldexp(fraction, 1 - self.bias - self.mantissa)
        whole = fraction + (1 << self.mantissa)
        return sign * math.ldexp(whole, exponent - self.bias - self.mantissa)


SMALL_FLOATS = {
    "f8E5M2": SmallFloat(5, 2, 15, infinities=True),
    "f8E4M3FN": SmallFloat(4, 3, 7),
    "f8E5M2FNUZ": SmallFloat(5, 2, 16, unsigned_zero=True),
    "f8E4M3FNUZ": SmallFloat(4, 3, 8, unsigned_zero=True),
}
"""The element types of eight bits that runtimes read and print."""
