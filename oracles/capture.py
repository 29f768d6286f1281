"""Keeps the beginning and the end of a stream of any length."""

from collections import deque


class Capture:
    """Bounded memory of a byte stream: a head and a tail of half of `limit` bytes each."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = 0

    def add(self, chunk: bytes) -> None:
        """Appends to the stream."""
        room = self._half - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        self._tail.append(chunk)
        self._tail_size += len(chunk)
        while self._tail_size - len(self._tail[0]) >= self._half:
            gone = self._tail.popleft()
            self._tail_size -= len(gone)
            self._dropped += len(gone)

    def text(self) -> str:
        """What was kept; a line of its own says how many bytes are missing."""
        tail = b"".join(self._tail)
        cut = max(len(tail) - self._half, 0) if self._dropped or self._tail_size > self._half else 0
        dropped = self._dropped + cut
        if not dropped:
            return (bytes(self._head) + tail).decode("utf-8", "replace")
        gap = f"\n[... {dropped} bytes left out ...]\n".encode()
        return (bytes(self._head) + gap + tail[cut:]).decode("utf-8", "replace")


def shorten(text: str, limit: int) -> str:
    """Head and tail of a text, `limit` characters of it."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
