"""Return addresses tell where a library was loaded."""

import pytest

from oracles.stacks.elf import LOADED, load_address
from tests.support.elf import X86_64, elf

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
