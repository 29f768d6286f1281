"""Where a library without names was loaded, from the return addresses on a stack.

A return address comes right after a call. Libraries start on a page boundary, and few places in a
program come right after a call, so a handful of return addresses fit one page only.
"""

import mmap
import struct
from collections.abc import Sequence

from oracles.stacks.segments import LOADED, Segment, machine_of, segments

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
    found = [
        first - address
        for code in parts
        for address in range(
            code.address + (first - code.address) % _PAGE, code.address + code.size, _PAGE
        )
        if all(_ends_call(image, parts, address + other - first) for other in returns)
    ]
    return found[0] if len(found) == 1 else None


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
