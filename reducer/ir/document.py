"""The document to reduce: a module, or plain text if no tool can print it in generic form."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from typing import Protocol, TypeVar

from reducer.ir.lexer import firm_brackets


class Document(Protocol):
    """An `ir.Module`, or an `ir.PlainText` if the input cannot be printed in generic form."""

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
"""A run of consecutive lines: the index of the first, and one past the last."""


class PlainText:
    """A program as lines. Knows nothing of MLIR except what brackets and op starts look like.

    The text may be large, and thousands of candidates are derived from it by deleting a few lines.
    So whether a candidate is balanced and how many ops it has is computed from per-line tables of
    the original text.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def op_count(self) -> int:
        """The number of lines that look like the start of an op, or of all lines if none does."""
        return self._ops_before[-1] or len(self.lines)

    @property
    def type_cost(self) -> tuple[int, int]:
        """Constant, since plain-text edits do not change types."""
        return 0, 0

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    @cached_property
    def digest(self) -> str:
        """A hash that identifies the text."""
        return sha256(self.text.encode(errors="surrogateescape")).hexdigest()

    @property
    def is_balanced(self) -> bool:
        """Whether all brackets match."""
        return self._open_before is not None

    @cached_property
    def groups(self) -> list[Run]:
        """Runs of lines in which a bracket opened on the first line is closed on the last."""
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

    @property
    def levels(self) -> int:
        """How deep the groups are nested."""
        deepest, ends = 0, list[int]()
        for first, end in self.groups:
            while ends and ends[-1] <= first:
                ends.pop()
            ends.append(end)
            deepest = max(deepest, len(ends))
        return deepest

    # ---- edits -----------------------------------------------------------------------------

    def without(self, gone: Sequence[Run]) -> str:
        """The text without these runs of lines, which must be sorted and disjoint."""
        ends = [0, *(self._starts[end] for _, end in gone)]
        starts = [*(self._starts[first] for first, _ in gone), len(self.text)]
        return "".join(self.text[a:b] for a, b in zip(ends, starts, strict=True))

    def is_balanced_without(self, gone: Sequence[Run]) -> bool:
        """Whether a balanced text stays balanced without these runs of lines."""
        if self._open_before is None or len(gone) != 1:
            return PlainText(self.without(gone)).is_balanced
        [(first, end)] = gone
        return self._open_before[first] == self._open_before[end]

    def edited(self, text: str) -> "PlainText":
        """Another text. If it is this one minus one run of lines, its ops are not counted again."""
        after = PlainText(text)
        run = self._run_gone_from(text)
        if run is not None:
            first, end = run
            ops = self._ops_before[-1] - self._ops_before[end] + self._ops_before[first]
            after.op_count = ops or len(self.lines) - (end - first)
        return after

    def _run_gone_from(self, text: str) -> Run | None:
        """The run of lines whose deletion turns this text into that one, if there is one."""
        first = self._same_lines(text)
        start = self._starts[first]
        behind = start + len(self.text) - len(text)
        end = bisect_left(self._starts, behind)
        if behind < start or end == len(self._starts) or self._starts[end] != behind:
            return None
        return (first, end) if self.text.endswith(text[start:]) else None

    def _same_lines(self, text: str) -> int:
        """The number of leading lines that both texts share."""
        low, high = 0, len(self.lines)
        while low < high:
            middle = (low + high + 1) // 2
            start, end = self._starts[low], self._starts[middle]
            if text.startswith(self.text[start:end], start):
                low = middle
            else:
                high = middle - 1
        return low

    # ---- tables: one entry per line, and one for the end -------------------------------------

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate(map(len, self.lines), initial=0))

    @cached_property
    def _ops_before(self) -> list[int]:
        found = (_OP_START.match(line) is not None for line in self.lines)
        return list(accumulate(found, initial=0))

    @cached_property
    def _open_before(self) -> list[int] | None:
        """For each line, an id of the stack of brackets open before it; None if not balanced.

        Equal stacks have equal ids, so a balanced text stays balanced without a run of lines if and
        only if the ids before and after the run are equal.
        """
        below: list[tuple[int, str]] = [(0, "")]  # per id: the stack without its top, and the top
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
    """The spans in sorted order, with overlapping and adjacent ones merged."""
    out: list[Run] = []
    for first, end in sorted(spans):
        if out and first <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((first, end))
    return out
