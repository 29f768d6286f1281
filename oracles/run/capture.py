"""Keep what matters of an output that may be of any size.

A compiler that prints the IR after each pass writes many megabytes, with an error anywhere among
them. So of an output that is too long, the head and the tail are kept, and the errors in between,
each with what follows it: notes and the operation.

What only a terminal understands is left out: some programs color their messages whatever they print
to. Other control characters come from memory that is no text, and no report can show them.
"""

import re
from collections import deque

_MOST_OF_ALL = 1 << 20
_MOST_OF_ONE = 8 << 10
_MARKS = (b"error: ", b"ERROR: ", b"ssertion ", b"UNREACHABLE executed", b"terminate called")
_ERROR = re.compile(
    rb"^(?:(?:[^\s:'\"][^:\n]*(?::\d+){0,2}|loc\([^\n]*?\)): )?(?:error: |LLVM ERROR: )"
    rb"|^[^\n]*(?:\bAssertion [`']|\bAssertion failed: )|^UNREACHABLE executed|^terminate called",
    re.M,
)


class Capture:
    """Bounded capture of a byte stream: a head and a tail of half of `limit` bytes each."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = 0
        self._errors = _Errors()

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
            self._leave_out(gone)

    def text(self) -> str:
        """The captured text; a separate line gives the number of missing bytes."""
        tail = b"".join(self._tail)
        if self._dropped + len(tail) <= self._half:
            return plain_output(bytes(self._head) + tail)
        if len(tail) > self._half:
            cut = _next_line(tail, len(tail) - self._half)
            self._leave_out(tail[:cut])
            tail = tail[cut:]
            self._tail, self._tail_size = deque([tail]), len(tail)
        gap = f"[... {self._dropped} bytes left out ...]\n".encode()
        head = _complete(bytes(self._head))
        return plain_output(head + gap + _complete(self._errors.found()) + tail)

    def _leave_out(self, chunk: bytes) -> None:
        """The head ends with a complete line, so the errors begin with the rest of the last one."""
        if not self._dropped:
            complete = _last_line(self._head)
            chunk = bytes(self._head[complete:]) + chunk
            del self._head[complete:]
        self._dropped += len(chunk)
        self._errors.add(chunk)


def _complete(text: bytes) -> bytes:
    return text if not text or text.endswith(b"\n") else text + b"\n"


def _last_line(text: bytes | bytearray) -> int:
    """Where the unfinished last line starts; the end if the line is too long to be looked at."""
    start = text.rfind(b"\n") + 1
    return start if start and len(text) - start <= _MOST_OF_ONE else len(text)


def _next_line(text: bytes, position: int) -> int:
    """Where the next line starts; `position` if the line is too long to be looked at."""
    end = text.find(b"\n", position, position + _MOST_OF_ONE)
    return end + 1 if end >= 0 else position


class _Errors:
    """The errors in a stream of bytes, as far as there is room for them.

    A line goes on in the next chunk, and so may what belongs to an error.
    """

    def __init__(self) -> None:
        self._kept = bytearray()
        self._line = b""
        self._wanted = 0

    def add(self, chunk: bytes) -> None:
        """Append to the stream."""
        text = self._line + chunk
        complete = text.rfind(b"\n") + 1
        self._line = text[complete:][:_MOST_OF_ONE]
        if self._wanted or any(mark in text for mark in _MARKS):
            self._read(text[:complete])

    def found(self) -> bytes:
        """What was found so far."""
        return bytes(self._kept)

    def _read(self, lines: bytes) -> None:
        position = 0
        while position < len(lines) and len(self._kept) < _MOST_OF_ALL:
            if not self._wanted:
                match = _ERROR.search(lines, position)
                if match is None:
                    return
                position, self._wanted = match.start(), _MOST_OF_ONE
                if not self._kept.endswith(b"\n"):
                    self._kept += b"\n"
            until = min(position + self._wanted, len(lines))
            another = _ERROR.search(lines, position + 1, until)
            end = another.start() if another else until
            self._kept += lines[position:end]
            self._wanted = _MOST_OF_ONE if another else self._wanted - (end - position)
            position = end


def shorten(text: str, limit: int) -> str:
    """The head and tail of a text, `limit` characters in total."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # colors and other attributes, and moves of the cursor
    r"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # titles and links
    r"|[()][0-9A-B]|[=>78DEHM])"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]+")


def plain_output(data: bytes) -> str:
    r"""The text of an output, with plain line ends.

    >>> plain_output(b"\x1b[1ma.mlir:1:1: \x1b[0;31merror: \x1b[0mno\r\n")
    'a.mlir:1:1: error: no\n'
    >>> plain_output(b"name \x00\x01 is bad")
    'name  is bad'
    """
    text = data.decode("utf-8", "replace")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    return _CONTROLS.sub("", text.replace("\r\n", "\n"))
