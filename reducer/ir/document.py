"""What is reduced: a module, or plain text where no tool can print it in generic form."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from typing import Protocol, TypeVar

from reducer.ir.lexer import firm_brackets


class Document(Protocol):
    """`ir.Module`, or `ir.PlainText` where the input is no MLIR that can be normalised."""

    text: str

    @property
    def op_count(self) -> int: ...

    @property
    def type_cost(self) -> tuple[int, int]: ...


D = TypeVar("D", bound=Document)
D_contra = TypeVar("D_contra", bound=Document, contravariant=True)


_OP_START = re.compile(r'\s*(?:%[\w$.#:-]+(?:, %[\w$.#:-]+)* = )?"?[a-z_][\w]*\.[\w.]+')
_CLOSING = {"(": ")", "[": "]", "{": "}"}

Run = tuple[int, int]
"""Lines that follow each other: the first, and the one past the last."""


class PlainText:
    """A program as lines. Knows nothing of MLIR but what brackets and op starts look like.

    The text may be large, and thousands of candidates are made of it, each without a few lines. So
    what is looked up for each candidate (is it balanced, how many ops has it) comes from tables of
    the whole, by line.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def op_count(self) -> int:
        """Lines that look like the start of an op, or lines if none does."""
        return self._ops_before[-1] or len(self.lines)

    @property
    def type_cost(self) -> tuple[int, int]:
        """Always the same: nothing here changes types."""
        return 0, 0

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    @cached_property
    def digest(self) -> str:
        """Stands for the whole text where something is remembered about it."""
        return sha256(self.text.encode(errors="surrogateescape")).hexdigest()

    @property
    def is_balanced(self) -> bool:
        """Whether every bracket that opens closes, and none closes that did not open."""
        return self._open_before is not None

    @cached_property
    def groups(self) -> list[Run]:
        """Runs of lines that open brackets on the first and close them on the last."""
        out: list[Run] = []
        stack: list[int] = []
        for number, line in enumerate(self.lines):
            for bracket in firm_brackets(line):
                if bracket in _CLOSING:
                    stack.append(number)
                elif stack:
                    first = stack.pop()
                    if first < number and (first, number + 1) not in out[-4:]:
                        out.append((first, number + 1))
        return sorted(out)

    # ---- edits -----------------------------------------------------------------------------

    def without(self, gone: Sequence[Run]) -> str:
        """The text without these lines. The runs are in order and do not overlap."""
        ends = [0, *(self._starts[end] for _, end in gone)]
        starts = [*(self._starts[first] for first, _ in gone), len(self.text)]
        return "".join(self.text[a:b] for a, b in zip(ends, starts, strict=True))

    def is_balanced_without(self, gone: Sequence[Run]) -> bool:
        """Whether a balanced text still is without these lines."""
        if self._open_before is None or len(gone) != 1:
            return PlainText(self.without(gone)).is_balanced
        [(first, end)] = gone
        return self._open_before[first] == self._open_before[end]

    def edited(self, text: str) -> "PlainText":
        """Another text. If it is this one without a run of lines, no line is looked at again."""
        after = PlainText(text)
        run = self._run_gone_from(text)
        if run is not None:
            first, end = run
            ops = self._ops_before[-1] - self._ops_before[end] + self._ops_before[first]
            after.op_count = ops or len(self.lines) - (end - first)
        return after

    def _run_gone_from(self, text: str) -> Run | None:
        """The lines without which this text is that one; None if there is no such run."""
        first = self._same_lines(text)
        start = self._starts[first]
        behind = start + len(self.text) - len(text)
        end = bisect_left(self._starts, behind)
        if behind < start or end == len(self._starts) or self._starts[end] != behind:
            return None
        return (first, end) if self.text.endswith(text[start:]) else None

    def _same_lines(self, text: str) -> int:
        """How many lines from the first on stand in another text too."""
        low, high = 0, len(self.lines)
        while low < high:
            middle = (low + high + 1) // 2
            start, end = self._starts[low], self._starts[middle]
            if text.startswith(self.text[start:end], start):
                low = middle
            else:
                high = middle - 1
        return low

    # ---- tables: an entry for each line, and one for the end ---------------------------------

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate(map(len, self.lines), initial=0))

    @cached_property
    def _ops_before(self) -> list[int]:
        found = (_OP_START.match(line) is not None for line in self.lines)
        return list(accumulate(found, initial=0))

    @cached_property
    def _open_before(self) -> list[int] | None:
        """A number for the brackets that are open; the same brackets have the same number.

        So a balanced text stays balanced without a run of lines if and only if the numbers before
        and behind the run are equal. None if the text is not balanced.
        """
        below: list[tuple[int, str]] = [(0, "")]  # of each number, that without the last bracket
        numbers: dict[tuple[int, str], int] = {}
        now, out = 0, [0]
        for line in self.lines:
            for bracket in firm_brackets(line):
                if bracket in _CLOSING:
                    opened = (now, _CLOSING[bracket])
                    now = numbers.setdefault(opened, len(below))
                    if now == len(below):
                        below.append(opened)
                else:
                    now, expected = below[now]
                    if bracket != expected:
                        return None
            out.append(now)
        return None if now else out


def runs_of(spans: Iterable[Run]) -> list[Run]:
    """Spans in order, those that overlap or touch as one."""
    out: list[Run] = []
    for first, end in sorted(spans):
        if out and first <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((first, end))
    return out
