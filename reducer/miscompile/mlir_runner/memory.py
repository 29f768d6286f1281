"""Elements as a compiled program has them in memory, one after another in row-major order.

An integer takes the next power of two of bytes, also one of less than a byte: LLVM packs nothing.
"""

import math
import re
import struct
from collections.abc import Callable, Sequence

from reducer.miscompile.values.arrays import SMALL_FLOATS
from reducer.miscompile.values.programs import ValueType, numbers_of

_SEPARATORS = re.compile(r"[\s,\[\]]+")
_NATIVE = {"f64": "d", "f32": "f", "f16": "e"}
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}


class NotInMemory(Exception):
    """Elements of this type are not known here."""


def width_of(element: str) -> int:
    """The number of bytes that an element takes.

    Raises:
        NotInMemory: the type is unknown.
    """
    type_ = ValueType.parse(element)
    if type_ is None or element.startswith(("ui", "si")):
        raise NotInMemory(element)
    if type_.is_float and element not in (*_NATIVE, "bf16", *SMALL_FLOATS):
        raise NotInMemory(element)
    if type_.is_complex:
        return type_.bits // 8
    width = 1
    while width * 8 < type_.bits:
        width *= 2
    if width > max(_CODES):
        raise NotInMemory(element)
    return width


def to_bytes(element: str, values: str, count: int) -> bytes:
    """The elements spelled in a text; a single one stands for all.

    Raises:
        NotInMemory: the type is unknown, or the text is not of this type.
    """
    width, encode = width_of(element), _encoder(element)
    type_ = ValueType(element, ())
    if type_.is_complex:
        return _pairs_to_bytes(type_, _SEPARATORS.sub(" ", values).split(), count)
    try:
        words = [encode(word) for word in _SEPARATORS.split(values) if word]
    except ValueError as error:
        raise NotInMemory(f"{values[:40]} as {element}") from error
    if len(words) == 1:
        words *= count
    if len(words) != count:
        raise NotInMemory(f"{len(words)} elements instead of {count}")
    return struct.pack(f"<{count}{_CODES[width]}", *words)


def from_bytes(element: str, data: bytes) -> list[float]:
    """The elements in some bytes; integers are signed, and complex numbers are two elements.

    Raises:
        NotInMemory: the type is unknown.
    """
    width, decode = width_of(element), _decoder(element)
    if ValueType(element, ()).is_complex:
        return list(struct.unpack(f"<{2 * len(data) // width}{'f' if width == 8 else 'd'}", data))
    words = struct.unpack(f"<{len(data) // width}{_CODES[width]}", data)
    return [decode(word) for word in words]


def _pairs_to_bytes(type_: ValueType, words: Sequence[str], count: int) -> bytes:
    """Complex numbers are spelled as the bytes that they take."""
    try:
        numbers_of(words, type_)
    except ValueError as error:
        raise NotInMemory(str(error)) from error
    if len(words) not in (1, count):
        raise NotInMemory(f"{len(words)} elements instead of {count}")
    return bytes.fromhex("".join(words)) * (1 if len(words) == count else count)


def _encoder(element: str) -> Callable[[str], int]:
    """Makes the bits of an element of its spelling."""
    if element in _NATIVE:
        return lambda word: _bits(float(word), element)
    if element == "bf16":
        return lambda word: _nearest_bf16(float(word))
    if element in SMALL_FLOATS:
        table = SMALL_FLOATS[element].values()
        return lambda word: _index_of(float(word), table)
    mask = (1 << _bits_of(element)) - 1
    return lambda word: _integer(word) & mask


def _decoder(element: str) -> Callable[[int], float]:
    if element in _NATIVE:
        code, width = _NATIVE[element], width_of(element)
        return lambda bits: _unpacked(f"<{code}", bits.to_bytes(width, "little"))
    if element == "bf16":
        return lambda bits: _unpacked("<f", (bits << 16).to_bytes(4, "little"))
    if element in SMALL_FLOATS:
        return SMALL_FLOATS[element].values().__getitem__
    size = _bits_of(element)
    if size == 1:
        return lambda bits: bits & 1
    sign, mask = 1 << (size - 1), (1 << size) - 1
    return lambda bits: ((bits & mask) ^ sign) - sign


def _bits_of(element: str) -> int:
    type_ = ValueType.parse(element)
    assert type_ is not None
    return type_.bits


def _unpacked(code: str, data: bytes) -> float:
    (number,) = struct.unpack(code, data)
    return float(number)


def _bits(number: float, element: str) -> int:
    code = _NATIVE[element]
    try:
        data = struct.pack(f"<{code}", number)
    except OverflowError:
        data = struct.pack(f"<{code}", math.copysign(math.inf, number))
    return int.from_bytes(data, "little")


def _nearest_bf16(number: float) -> int:
    bits = _bits(number, "f32")
    if math.isnan(number):
        return (bits >> 16) | 0x40  # the payload must not vanish
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def _index_of(number: float, table: Sequence[float]) -> int:
    """The byte for a number that the type has."""
    if math.isnan(number):
        return next(byte for byte, one in enumerate(table) if math.isnan(one))
    sign = math.copysign(1.0, number)
    for byte, one in enumerate(table):
        if one == number and math.copysign(1.0, one) == sign:
            return byte
    return table.index(number)  # a type without negative zero


def _integer(word: str) -> int:
    known = {"true": 1, "false": 0}
    if word in known:
        return known[word]
    return int(float(word)) if "." in word else int(word, 16 if "x" in word else 10)
