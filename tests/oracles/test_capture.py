"""Head and tail of a long stream."""

from hypothesis import given
from hypothesis import strategies as st

from oracles.capture import Capture, shorten


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


def test_shorten() -> None:
    assert shorten("abc", 3) == "abc"
    assert shorten("abcdef", 4) == "ab\n[... 2 characters left out ...]\nef"
