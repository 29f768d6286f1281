"""The segments of an ELF file."""

import struct

import pytest

from oracles.stacks.elf import LOADED, UNWIND_TABLE, Segment, machine_of, segments
from tests.support.elf import X86_64, elf

IMAGE = elf([(LOADED, 5, 0x1000, 0x4000, 0x200), (UNWIND_TABLE, 4, 0x300, 0x300, 16)])


def test_each_has_its_place_in_the_file_and_in_memory() -> None:
    code = Segment(LOADED, True, 0x1000, 0x4000, 0x200)
    assert list(segments(IMAGE)) == [code, Segment(UNWIND_TABLE, False, 0x300, 0x300, 16)]
    assert [code.holds(address) for address in (0x3FFF, 0x4000, 0x41FF, 0x4200)] == [
        False, True, True, False,
    ]  # fmt: skip
    assert machine_of(IMAGE) == X86_64


@pytest.mark.parametrize("length", [0, 0x20, 70])
def test_a_file_that_is_cut_short_is_refused(length: int) -> None:
    with pytest.raises(struct.error):
        list(segments(IMAGE[:length]))
