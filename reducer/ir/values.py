"""The values of a module, in little memory: how a use of each is written, and where the uses are.

A million values as strings and lists of uses would take more memory than their text.
"""

import re
from array import array
from collections.abc import Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reducer.ir.module import Tables

_NONE = -1

RESULTS = r"[ \t]*(?:((?:%[\w$.#-]+(?::\d+)?(?:, )?)+) = )?"
"""How the line of an op begins, with its results as a group."""

LABEL = re.compile(r"[ \t]*\^([\w$.-]+)(?:\((.*)\))?:[ \t]*(?://.*)?$")
_LABEL_ARG = re.compile(r"(?:^|, )(%[\w$.#-]+): ")
_RESULTS = re.compile(RESULTS)


def label_arguments(label: str) -> list[tuple[str, str]]:
    """The names and types of the arguments in a block label line."""
    match = LABEL.match(label.rstrip("\n"))
    inner = match.group(2) if match else None
    if not inner:
        return []
    found = list(_LABEL_ARG.finditer(inner))
    if not found:
        return []
    ends = [m.start() for m in found[1:]] + [len(inner)]
    return [(m.group(1), inner[m.end() : end]) for m, end in zip(found, ends, strict=True)]


def result_groups(results: str | None) -> list[tuple[str, int]]:
    """The names before the `=` of an op, each with how many values it stands for.

    0 means that the name itself is the value.

    >>> result_groups("%0:2, %a")
    [('%0', 2), ('%a', 0)]
    """
    groups = [group.partition(":") for group in results.split(", ")] if results else []
    return [(base, int(size) if size else 0) for base, _, size in groups]


class Tokens:
    """How a use of each value is written: `%0`, `%3#1`, `%arg0`. Read from the text when asked."""

    def __init__(self, text: str, tables: "Tables") -> None:
        self._text = text
        self._tables = tables
        # Those of the op or block that was read last, and the first value; replaced as a whole,
        # since other threads may read them.
        self._last: tuple[int, list[str]] = 0, []

    def __len__(self) -> int:
        return len(self._tables.def_op)

    def __getitem__(self, value: int) -> str:
        first, read = self._last
        if not 0 <= value - first < len(read):
            op = self._tables.def_op[value]
            block = self._tables.def_block[value]
            first, read = self._last = self._of_op(op) if op != _NONE else self._of_block(block)
        return read[value - first]

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(len(self)))

    def _of_op(self, op: int) -> tuple[int, list[str]]:
        start = self._tables.start[op]
        if self._tables.num_results[op] == 1:
            only = self._text[start : self._text.index(" = ", start)].strip(" \t")
            if ":" not in only:
                return self._tables.first_result[op], [only]
        read: list[str] = []
        match = _RESULTS.match(self._text, start)
        for base, size in result_groups(match[1] if match else None):
            read.extend([f"{base}#{number}" for number in range(size)] if size else [base])
        return self._tables.first_result[op], read

    def _of_block(self, block: int) -> tuple[int, list[str]]:
        t = self._tables
        label = self._text[t.block_start[block] : t.block_label_end[block]]
        return t.block_first_arg[block], [token for token, _ in label_arguments(label)]


class Uses:
    """For each value, its uses as pairs (op, operand number), in text order."""

    def __init__(self, tables: "Tables") -> None:
        # A counting sort. The uses of `value` begin at `starts[value + 1]` before they are put in
        # place, and end there afterwards.
        counts = [0] * (len(tables.def_op) + 2)
        for operands in tables.operands:
            for value in operands:
                if value != _NONE:
                    counts[value + 2] += 1
        starts = array("i", accumulate(counts))
        del counts
        self._starts = starts
        self._ops = array("i", bytes(4 * starts[-1]))
        self._numbers = array("i", bytes(4 * starts[-1]))
        for op, operands in enumerate(tables.operands):
            for number, value in enumerate(operands):
                if value != _NONE:
                    at = starts[value + 1]
                    self._ops[at] = op
                    self._numbers[at] = number
                    starts[value + 1] = at + 1

    def any_of(self, value: int) -> bool:
        """Whether a value is used."""
        return self._starts[value] < self._starts[value + 1]

    def __getitem__(self, value: int) -> list[tuple[int, int]]:
        first, last = self._starts[value], self._starts[value + 1]
        return list(zip(self._ops[first:last], self._numbers[first:last], strict=True))
