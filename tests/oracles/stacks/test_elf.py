"""Libraries without names: their segments, where functions begin, and where they were loaded."""

import struct

import pytest

from oracles.stacks.elf import (
    LOADED,
    UNWIND_TABLE,
    Segment,
    load_address,
    machine_of,
    read_unwind_table,
    segments,
)
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


CODE = 0x4000
"""Where the code is in the file, and one page later in memory."""
SIZE = 16 * 0x1000
LOADED_AT = 0x7F12_3456_7000

CALLS = {
    "call of a place": b"\xe8\x10\x00\x00\x00",
    "call *%rax": b"\xff\xd0",
    "call *%r8": b"\x41\xff\xd0",
    "call *(%rax)": b"\xff\x10",
    "call *8(%rax)": b"\xff\x50\x08",
    "call *0x80(%rax)": b"\xff\x90\x80\x00\x00\x00",
    "call *8(%rsp)": b"\xff\x54\x24\x08",
    "call *0x80(%rsp)": b"\xff\x94\x24\x80\x00\x00\x00",
    "call *8(%rip)": b"\xff\x15\x08\x00\x00\x00",
}


def library(*calls: tuple[int, bytes], machine: int = X86_64) -> bytes:
    """An ELF file with nothing but code: these calls, each before an address, and no-ops."""
    header = elf([(LOADED, 5, CODE, CODE + 0x1000, SIZE)], machine)
    code = bytearray(b"\x90" * SIZE)
    for behind, call in calls:
        end = behind - CODE - 0x1000
        code[end - len(call) : end] = call
    return header.ljust(CODE, b"\0") + bytes(code)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_only_one_page_has_calls_at_these_distances(call: bytes) -> None:
    ends = (0x5123, 0x7456, 0xA789)
    image = library(*((end, call) for end in ends))
    assert load_address(image, [LOADED_AT + end for end in ends]) == LOADED_AT


def test_two_pages_that_fit_say_nothing() -> None:
    ends = (0x5123, 0x5456, 0x5789)
    call = CALLS["call *%rax"]
    image = library(*((end + page, call) for end in ends for page in (0, 0x3000)))
    assert load_address(image, [LOADED_AT + end for end in ends]) is None


@pytest.mark.parametrize(
    "code", [b"\xe8\x00\x00\x00\x7f", b"\xff\xe0", b"\xff\x60\x08"], ids=["far", "jump", "jump+8"]
)
def test_what_is_no_call_into_the_library_says_nothing(code: bytes) -> None:
    ends = (0x5123, 0x7456, 0xA789)
    image = library(*((end, code) for end in ends))
    assert load_address(image, [LOADED_AT + end for end in ends]) is None


def test_two_return_addresses_are_not_enough() -> None:
    ends = (0x5123, 0x7456)
    image = library(*((end, CALLS["call *%rax"]) for end in ends))
    assert load_address(image, [LOADED_AT + end for end in ends]) is None


def test_other_machines_are_not_known() -> None:
    ends = (0x5123, 0x7456, 0xA789)
    image = library(*((end, CALLS["call *%rax"]) for end in ends), machine=183)
    assert load_address(image, [LOADED_AT + end for end in ends]) is None


def test_a_file_that_is_cut_short_says_nothing() -> None:
    image = library()
    for length in (0, 20, 70):
        assert load_address(image[:length], [1, 2, 3]) is None
