"""Where the functions of a library begin, whether or not they have names.

To unwind the stack for an exception, a program needs a table of all its functions. So no library is
stripped of it, unlike of their names. It is `.eh_frame_hdr`: the address of each function and of
its entry in `.eh_frame`, sorted and relative to the table
(https://refspecs.linuxfoundation.org/LSB_5.0.0/LSB-Core-generic/LSB-Core-generic/ehframechpt.html).
"""

import mmap
import struct
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from oracles.stacks.segments import UNWIND_TABLE, segments

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
