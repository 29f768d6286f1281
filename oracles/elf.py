"""Reads the function symbols of an ELF file, and nothing else of it."""

import struct
from array import array
from dataclasses import dataclass

_SYMBOL_BYTES = 24
_SYMTAB, _DYNSYM = 2, 11
_FUNCTION = 2


@dataclass(frozen=True)
class Functions:
    """Functions sorted by address. Names are offsets into the file, so 600,000 cost 7 MB."""

    addresses: "array[int]"
    names: "array[int]"


def read_functions(image: bytes | memoryview) -> Functions:
    """The functions of a 64-bit little-endian ELF image; ValueError for any other file.

    `.symtab` where the library keeps it, else the exported names of `.dynsym`.
    """
    view = memoryview(image)
    if bytes(view[:6]) != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    try:
        sections = _sections(view)
        for wanted in (_SYMTAB, _DYNSYM):
            for kind, offset, size, link in sections:
                if kind == wanted:
                    return _functions(view[offset : offset + size], sections[link][1])
    except (struct.error, IndexError, OverflowError) as error:
        raise ValueError("damaged ELF file") from error
    raise ValueError("no symbol table")


def _sections(view: memoryview) -> list[tuple[int, int, int, int]]:
    """(type, file offset, size, linked section) of every section."""
    table = struct.unpack_from("<Q", view, 0x28)[0]
    entry, count = struct.unpack_from("<HH", view, 0x3A)
    found = []
    for index in range(count):
        at = table + index * entry
        kind = struct.unpack_from("<I", view, at + 4)[0]
        offset, size = struct.unpack_from("<QQ", view, at + 0x18)
        link = struct.unpack_from("<I", view, at + 0x28)[0]
        found.append((kind, offset, size, link))
    return found


def _functions(table: memoryview, strings: int) -> Functions:
    words = array("Q")
    words.frombytes(table[: len(table) // _SYMBOL_BYTES * _SYMBOL_BYTES])
    # One entry is three words: name | info << 32 | section << 48, then value, then size.
    # Packing value and name into one integer makes the sort twice as fast as pairs.
    packed = sorted(
        value << 32 | head & 0xFFFFFFFF
        for head, value in zip(words[0::3], words[1::3], strict=True)
        if head >> 32 & 0xF == _FUNCTION and head >> 48 and value
    )
    addresses = array("Q", (item >> 32 for item in packed))
    names = array("Q", ((item & 0xFFFFFFFF) + strings for item in packed))
    return Functions(addresses, names)
