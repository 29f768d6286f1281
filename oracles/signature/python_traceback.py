"""Read what a program in Python prints when an exception ends it.

A chain of exceptions is read as one: the first is why, the last is what the program said in the
end.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from oracles.rows import pattern_of, row_of
from oracles.stacks.dispatching import function_of

CAUSED = "The above exception was the direct cause of the following exception:"
HANDLING = "During handling of the above exception, another exception occurred:"

_IN_SHORT = "Traceback (most recent call last):"
_MAX_FRAMES = 2000
_HEADER = row_of(r"Traceback \(most recent call last\):$", "python/unknown-pass")
_FRAME = row_of(r' +File "(?P<path>[^"]*)", line \d+, in (?P<function>.+)$', "python/unknown-pass")
_FATAL_FRAME = row_of(r' +File "(?P<path>[^"]*)", line \d+ in (?P<function>.+)$', "python/aborted")
_FATAL_HEADER = "(most recent call first):\n"
_CURRENT_THREAD = row_of(r"^Current thread ", "python/aborted", flags=re.M)
"""The one that the signal is for; others may be printed before it."""
_REPEATED = row_of(r" +\[Previous line repeated (?P<times>\d+) more times?\]$", "python/repeated")
_EXCEPTION = row_of(
    r"(?P<type>[A-Za-z_][\w.]*(?:\.<locals>\.[\w.]+)*)(?:: ?(?P<message>.*))?$", "circt/key-error"
)
_MARKS = row_of(r"\s*[\^~][\^~\s-]*$", "python/parse-error")
_LOCATION = pattern_of(
    (r"\S+:\d+(?::\d+)?", "python/parse-error"),
    (r"at \d+:\d+", "triton/odd-range"),
    within="(?:{rows}):?$",
)
_UNRAISED = ("Exception ignored in", "--- Logging error")
_LIBRARY = pattern_of(
    ("<", "python/value-out-of-range"),
    (r".*/lib/python\d[\w.]*/(?!(?:site|dist)-packages/)", "python/no-source"),
)
_SCOPED = row_of(r"\w::", "tvm/datatypes")
_PACKAGE = row_of(r"/(?:site|dist)-packages/([^/]+)/", "tvm/datatypes")


@dataclass(frozen=True)
class PythonFrame:
    """A function that was running: its file, its name, and the statement that it was in."""

    path: str
    function: str
    statement: str = ""

    @property
    def name(self) -> str:
        """The function with its module, which says the same wherever the program is installed.

        >>> PythonFrame("/a/b/rewriter.py", "apply").name, PythonFrame("/a/b/__init__.py", "f").name
        ('rewriter.apply', 'b.f')

        A library may put functions of C++ on the stack, which have scopes.

        >>> PythonFrame("/a/lower.cc", "a::lower(int)::{lambda(int)#1}::operator()(int) const").name
        'a::lower'
        """
        if _SCOPED.search(self.function):
            return function_of(self.function)
        parts = [part for part in re.split(r"[/\\]", self.path) if part]
        stem = parts[-1].rpartition(".")[0] or parts[-1] if parts else ""
        if stem == "__init__" and len(parts) > 1:
            stem = parts[-2]
        return f"{stem}.{self.function}"

    @property
    def package(self) -> str:
        """The installed package that the function belongs to; '' for a program of one's own."""
        match = _PACKAGE.search(self.path)
        return match[1] if match else ""

    @property
    def in_library(self) -> bool:
        """Whether it belongs to Python itself, or to code that was made while it ran."""
        return _LIBRARY.match(self.path) is not None

    @property
    def is_part(self) -> bool:
        """Whether it is part of another function: releases of Python do not agree on these."""
        return self.function.startswith("<") and self.function != "<lambda>"


@dataclass(frozen=True)
class PythonException:
    """An exception that ended a program, or that led to the one that did.

    `message` is the first line of its words, None if it has none, and `notes` are the lines below.
    `frames` are innermost first. `cause` is the exception before it, if there is one.
    """

    type: str
    message: str | None
    frames: tuple[PythonFrame, ...]
    notes: tuple[str, ...] = ()
    cause: "PythonException | None" = None

    @property
    def chain(self) -> "tuple[PythonException, ...]":
        """This exception and those that led to it, the last one first."""
        return (self, *(self.cause.chain if self.cause else ()))

    @property
    def words(self) -> str:
        """What it says, on one line, without the place and text of the input that it quotes."""
        said = "" if self.message is None else _first_words([self.message, *self.notes])
        return ": ".join(filter(None, (self.type, said)))

    @property
    def line(self) -> str:
        """The line of the output that says most of it."""
        first = self.type if self.message is None else f"{self.type}: {self.message}"
        return first if self.words.startswith(first) else self.words.removeprefix(f"{self.type}: ")

    @property
    def short_type(self) -> str:
        """The name of its class, without the module."""
        return self.type.rpartition(".")[2]


def _first_words(lines: Sequence[str]) -> str:
    """The first line that says something: no place in a file, and no line of it with marks below.

    A line that ends in a colon is continued by the next one, and one that begins to print an object
    by the line that completes that.
    """
    if lines[0].startswith(_IN_SHORT):
        # What is behind an interface to another language has a traceback of its own.
        own = (index for index, line in enumerate(lines) if index and line[:1].strip())
        lines = lines[next(own, 0) :]
    if _LOCATION.match(lines[0].strip()):
        # Below the place may be some lines of the program, up to the marks.
        end = next((index for index, line in enumerate(lines) if _MARKS.match(line)), 0)
        lines = lines[end + 1 :] or lines
    said = ""
    depth = 0
    for index, line in enumerate(lines):
        text = line.strip()
        if depth:
            depth += text.count("(") - text.count(")")
            if depth:
                continue
        if said and not text:
            break
        quoted = index + 1 < len(lines) and _MARKS.match(lines[index + 1])
        if not text or (quoted and index) or _MARKS.match(line) or _LOCATION.match(text):
            continue
        said = f"{said} {text}".strip()
        depth = text.endswith("(") and text.count("(") - text.count(")")
        if not depth and not text.endswith(":"):
            break
    return said


def uncaught_exception(text: str) -> PythonException | None:
    """The exception that ended a program, if one did, by what it printed.

    More may follow it: the program with the op marked, as in xDSL, or what other threads print.

    >>> found = uncaught_exception(f'{_IN_SHORT}\\n  File "a"\\nE: no\\n}}) : ()')
    >>> found and found.words
    'E: no'
    """
    found = list(_exceptions(text.splitlines())) if _IN_SHORT in text else []
    return found[-1] if found else None


def _exceptions(lines: Sequence[str]) -> Iterator[PythonException]:
    """All exceptions in the text that ended something, each with those that led to it."""
    before: PythonException | None = None
    linked = False
    index = 0
    while index < len(lines):
        start = index
        index += 1
        if lines[start] in (CAUSED, HANDLING):
            linked = True
        elif _HEADER.match(lines[start]):
            found, index = _exception(lines, start)
            if found is None or (start and lines[start - 1].startswith(_UNRAISED)):
                continue
            before = _after(before, found) if before and linked else found
            linked = False
            yield before


def _after(first: PythonException, last: PythonException) -> PythonException:
    """The last exception with the first one as what led to it all."""
    return replace(last, cause=_after(first, last.cause) if last.cause else first)


def _exception(lines: Sequence[str], start: int) -> tuple[PythonException | None, int]:
    """The exception whose traceback starts at a line, and the index of the line after it."""
    frames: list[PythonFrame] = []
    index = start + 1
    while index < len(lines) and (not lines[index].strip() or lines[index][0].isspace()):
        if match := _FRAME.match(lines[index]):
            below = lines[index + 1] if index + 1 < len(lines) else ""
            statement = below.strip() if below.startswith("    ") else ""
            frames.append(PythonFrame(match["path"], match["function"], statement))
        elif (match := _REPEATED.match(lines[index])) and frames:
            frames += frames[-1:] * min(int(match["times"]), _MAX_FRAMES)
        index += 1
    if index == len(lines):
        return None, index
    return _with_notes(lines, index, frames)


def _with_notes(
    lines: Sequence[str], index: int, frames: Sequence[PythonFrame]
) -> tuple[PythonException | None, int]:
    """The exception that is named in a line, with what is below it, and the index after that."""
    match = _EXCEPTION.match(lines[index])
    first = index + 1
    index = first
    while index < len(lines) and not _ends_notes(lines[index]):
        index += 1
    if match is None:
        name, said = "", lines[first - 1].strip()
    else:
        name, said = match["type"], match["message"]
    notes = tuple(lines[first:index])
    return PythonException(name, said, tuple(reversed(frames)), notes), index


def _ends_notes(line: str) -> bool:
    return line in (CAUSED, HANDLING) or _HEADER.match(line) is not None


def fatal_frames(text: str) -> tuple[PythonFrame, ...]:
    """The functions in which a signal ended Python, innermost first, if it prints them.

    >>> fatal_frames('Current thread 0x1 (most recent call first):\\n  File "/a/b.py", line 1 in f')
    (PythonFrame(path='/a/b.py', function='f', statement=''),)
    """
    current = _CURRENT_THREAD.search(text)
    _, said, stack = text[current.start() if current else 0 :].partition(_FATAL_HEADER)
    frames: list[PythonFrame] = []
    for line in stack.splitlines() if said else []:
        if (match := _FATAL_FRAME.match(line)) is None:
            break
        frames.append(PythonFrame(match["path"], match["function"]))
    return tuple(frames)


def pointed_line(notes: Sequence[str]) -> str:
    """The first line that is marked by the line below it, or ''.

    >>> pointed_line(["{", '  %0 = "a.b"() : () -> i1', "  ^^^^^^^^^^-----", "  | no", "}"])
    '  %0 = "a.b"() : () -> i1'
    """
    for above, line in pairwise(notes):
        if "^" in line and _MARKS.match(line) and above.strip():
            return above
    return ""
