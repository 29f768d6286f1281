"""Head and tail of a long stream, and the errors between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.run.capture import Capture, shorten
from oracles.signature.diagnostics import parse_diagnostics, primary_error


@given(st.lists(st.binary(max_size=30).map(bytes.hex), max_size=30), st.integers(2, 100))
def test_all_or_both_ends(chunks: list[str], limit: int) -> None:
    capture = Capture(limit)
    for chunk in chunks:
        capture.add(chunk.encode())
    whole, text = "".join(chunks), capture.text()
    half = limit // 2
    if len(whole) <= 2 * half:
        assert text == whole
    else:
        dropped = len(whole) - 2 * half
        assert text == f"{whole[:half]}\n[... {dropped} bytes left out ...]\n{whole[-half:]}"


def test_memory_is_bounded() -> None:
    capture = Capture(1000)
    for _ in range(1000):
        capture.add(b"x" * 100)
    assert capture._tail_size < 1000
    many = Capture(1000)
    for _ in range(100_000):
        many.add(b"a.mlir:1:2: error: bad\n")
    assert len(many.text()) < 2_000_000


_DUMP = '// -----// IR Dump After CSEPass //----- //\n  %0 = "a.b"() : () -> i32 // error: no\n' * 4
_ERROR = (
    "a.mlir:1:2: error: 'a.b' op is bad\n"
    'a.mlir:1:2: note: see current operation: %0 = "a.b"() : () -> i32\n'
)


@pytest.mark.parametrize("before", range(0, 12))
@pytest.mark.parametrize("size", [1, 7, 64, 10_000])
def test_error_in_the_middle(before: int, size: int) -> None:
    """Wherever the chunks end, and wherever head and tail do, the error is read as it is."""
    printed = (_DUMP * before + _ERROR + _DUMP * (12 - before)).encode()
    capture = Capture(1200)
    for start in range(0, len(printed), size):
        capture.add(printed[start : start + size])
    text = capture.text()
    assert "bytes left out" in text
    assert text == capture.text()
    assert primary_error(parse_diagnostics(text)) == primary_error(parse_diagnostics(_ERROR))


def test_last_words_in_the_middle() -> None:
    capture = Capture(200)
    for line in (_DUMP * 9, "LLVM ERROR: out of registers\n", " #0 0x1 (a.so+0x1)\n", _DUMP * 200):
        capture.add(line.encode())
    assert "\nLLVM ERROR: out of registers\n #0 0x1 (a.so+0x1)\n" in capture.text()


def test_shorten() -> None:
    assert shorten("abc", 3) == "abc"
    assert shorten("abcdef", 4) == "ab\n[... 2 characters left out ...]\nef"
