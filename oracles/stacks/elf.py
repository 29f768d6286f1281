"""Read an ELF library that has lost its names: where functions begin, where it was loaded.

To unwind the stack for an exception, a program needs a table of all its functions. So no library is
stripped of it, unlike of their names. It is `.eh_frame_hdr`: the address of each function and of
its entry in `.eh_frame`, sorted and relative to the table
(https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/LSB-Core-generic/ehframechpt.html).

Where it was loaded follows from the return addresses on a stack, each of which comes right after a
call. Libraries start on a page boundary, and few places in a program come right after a call, so a
handful of return addresses fit one page only.
"""

import mmap
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LOADED, UNWIND_TABLE = 1, 0x6474E550
"""Kinds of segments."""
_EXECUTABLE = 1


@dataclass(frozen=True)
class Segment:
    """A part of the file: its kind, where it is in the file and in memory, and its bytes in the
    file.
    """

    kind: int
    is_executable: bool
    place: int
    address: int
    size: int

    def holds(self, address: int) -> bool:
        """Whether an address is in it."""
        return self.address <= address < self.address + self.size


def machine_of(image: bytes | memoryview | mmap.mmap) -> int:
    """The number of the architecture that an ELF file is for.

    Raises:
        struct.error: it is cut short.
    """
    (machine,) = struct.unpack_from("<H", image, 0x12)
    return int(machine)


def segments(image: bytes | memoryview | mmap.mmap) -> Iterator[Segment]:
    """The segments of a 64-bit little-endian ELF file.

    Raises:
        struct.error: it is cut short.
    """
    (headers,) = struct.unpack_from("<Q", image, 0x20)
    size, count = struct.unpack_from("<HH", image, 0x36)
    for at in range(headers, headers + size * count, size):
        kind, flags, place, address, _, length = struct.unpack_from("<IIQQQQ", image, at)
        yield Segment(kind, bool(flags & _EXECUTABLE), place, address, length)


_X86_64 = 62
_PAGE = 0x1000
_LEAST = 3
"""The number of return addresses that are needed: of two, any pair at this distance would do."""


def load_address(image: bytes | mmap.mmap, returns: Sequence[int]) -> int | None:
    """The address at which a library was loaded, given return addresses into it.

    Args:
        image: the library, an ELF file.

    Returns:
        None if they fit none or several, or if it is not for x86-64.
    """
    if len(returns) < _LEAST:
        return None
    try:
        parts = [one for one in segments(image) if one.kind == LOADED and one.is_executable]
        if machine_of(image) != _X86_64:
            return None
    except struct.error:
        return None
    first = returns[0]
    addresses = [
        first - address
        for code in parts
        for address in range(
            code.address + (first - code.address) % _PAGE, code.address + code.size, _PAGE
        )
        if all(_ends_call(image, parts, address + other - first) for other in returns)
    ]
    return addresses[0] if len(addresses) == 1 else None


def _ends_call(image: bytes | mmap.mmap, parts: Sequence[Segment], address: int) -> bool:
    """Whether the bytes before an address are a call."""
    code = next((one for one in parts if one.holds(address - 1)), None)
    if code is None:
        return False
    behind = code.place + address - code.address
    before = image[max(behind - 7, code.place) : behind]
    if len(before) >= 5 and before[-5] == 0xE8:  # a call of a place in the same library
        (distance,) = struct.unpack_from("<i", before, len(before) - 4)
        return any(one.holds(address + distance) for one in parts)
    return any(
        before[-length] == 0xFF and _length(before[1 - length :]) == length
        for length in (2, 3, 4, 6, 7)
        if len(before) >= length
    )


def _length(operand: bytes) -> int:
    """The length of an indirect call with this operand; 0 if it is another instruction."""
    mode, operation, register = operand[0] >> 6, operand[0] >> 3 & 7, operand[0] & 7
    if operation != 2:
        return 0
    scaled = int(mode != 3 and register == 4)
    if mode == 0:
        has_distance = register == 5 or (scaled and len(operand) > 1 and operand[1] & 7 == 5)
        return 2 + scaled + (4 if has_distance else 0)
    return 2 + scaled + {1: 1, 2: 4, 3: 0}[mode]


_POINTER, _COUNT, _TABLE = 0x1B, 0x03, 0x3B
"""How the linkers encode a pointer, the number of functions, and an entry."""
_VERSION = 1
_HEADER = 12
_ENTRY = 8


@dataclass(frozen=True)
class UnwindTable:
    """Where functions begin, relative to `base`, in every other place of `entries`."""

    base: int = 0
    entries: Sequence[int] = ()

    def start_of(self, address: int) -> int | None:
        """Where the function at an address begins; None if it is before all functions."""
        index = bisect_right(range(len(self.entries) // 2), address, key=self._begin) - 1
        return None if index < 0 else self._begin(index)

    def _begin(self, index: int) -> int:
        return self.base + self.entries[2 * index]


def read_unwind_table(image: bytes | mmap.mmap) -> UnwindTable:
    """The table of a 64-bit little-endian ELF image; an empty one if it has none that is known."""
    view = memoryview(image)
    try:
        table = next(one for one in segments(view) if one.kind == UNWIND_TABLE)
        at, base = table.place, table.address
        if tuple(view[at : at + 4]) != (_VERSION, _POINTER, _COUNT, _TABLE):
            return UnwindTable()
        (count,) = struct.unpack_from("<I", view, at + 8)
        begin = at + _HEADER
        return UnwindTable(base, view[begin : begin + count * _ENTRY].cast("i"))
    except (struct.error, StopIteration, TypeError):
        return UnwindTable()
