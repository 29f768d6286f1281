"""The parts of an ELF file as its loader sees them: what goes to which address."""

import mmap
import struct
from collections.abc import Iterator
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
