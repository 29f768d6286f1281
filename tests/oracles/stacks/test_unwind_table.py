"""Functions that have no name still have a beginning."""

import struct

from oracles.stacks.elf import UNWIND_TABLE, read_unwind_table
from tests.support.elf import elf

BASE = 0x5000


def image(*starts: int, encoding: int = 0x3B) -> bytes:
    """An ELF file with nothing but a table for unwinding, at `BASE`."""
    table = struct.pack("<BBBBiI", 1, 0x1B, 0x03, encoding, 0, len(starts))
    table += b"".join(struct.pack("<ii", start - BASE, 0) for start in starts)
    return elf([(UNWIND_TABLE, 4, 120, BASE, len(table))]) + table


def test_the_function_at_an_address() -> None:
    table = read_unwind_table(image(0x1000, 0x1040, 0x9000))
    assert [table.start_of(address) for address in (0xFFF, 0x103F, 0x1040, 0xA000)] == [
        None,
        0x1000,
        0x1040,
        0x9000,
    ]


def test_no_table_that_is_known_is_an_empty_one() -> None:
    for other in (b"", b"no library", image(0x1000)[:70], image(0x1000, encoding=0x0B)):
        assert read_unwind_table(other).start_of(0x1000) is None
