"""Output of any length in bounded memory: its head and its tail."""

from collections import deque

from oracles.plain_output import plain_output


class Capture:
    """Bounded capture of a byte stream: a head and a tail of half of `limit` bytes each."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = 0

    def add(self, chunk: bytes) -> None:
        """Append to the stream."""
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
        """The captured text; a separate line gives the number of missing bytes."""
        tail = b"".join(self._tail)
        cut = max(len(tail) - self._half, 0) if self._dropped or self._tail_size > self._half else 0
        dropped = self._dropped + cut
        if not dropped:
            return plain_output(bytes(self._head) + tail)
        gap = f"\n[... {dropped} bytes left out ...]\n".encode()
        return plain_output(bytes(self._head) + gap + tail[cut:])


def shorten(text: str, limit: int) -> str:
    """The head and tail of a text, `limit` characters in total."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
