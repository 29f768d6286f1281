"""ELF files with nothing but segments."""

import struct
from collections.abc import Sequence

X86_64 = 62


def elf(headers: Sequence[tuple[int, int, int, int, int]], machine: int = X86_64) -> bytes:
    """The headers of a 64-bit file with segments: kind, flags, place, address, size of each."""
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header += struct.pack(
        "<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, len(headers), 0, 0, 0
    )
    for kind, flags, place, address, size in headers:
        header += struct.pack("<IIQQQQQQ", kind, flags, place, address, address, size, size, 4)
    return header
