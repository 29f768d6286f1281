"""Parse generic-form text into an op table, in one pass over its lines.

The MLIR printer writes one op header, block label, region separator or op tail per line. Only
attributes with custom printers break lines, and then the broken line ends in `,`, `[`, `<`, `{` or
`(` (measured over 1,352 dumps of two compiler versions). That makes a line-based pass as exact as a
full parser and several times cheaper; tree-sitter parses individual ops later, on demand.
"""

import gc
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, repeat
from operator import sub

from reducer.ir.lexer import INSIDE_STRING
from reducer.ir.lines import CONTINUES
from reducer.ir.module import NONE, Alias, Tables
from reducer.ir.values import LABEL, RESULTS, label_arguments, result_groups

_NAME = rf'{RESULTS}"({INSIDE_STRING})"'
_OP = re.compile(rf'{_NAME}\(([^()"]*)\)(\[\^[^\]]*\])?')
_WHOLE_OP = re.compile(rf'{_NAME}\(([^()"\n]*)\)(\[\^[^\]\n]*\])?[^\n]*+(?<![,\[<({{ \t])\n')
"""An op on one line, without regions: nearly all lines are such ops."""
_ALIAS = re.compile(r"([#!][\w$.-]+) = ")


class GenericSyntaxError(ValueError):
    """The text is not generic-form output of MLIR's printer."""

    def __init__(self, line: int, text: str, why: str) -> None:
        super().__init__(f"line {line}: {why}: {text.strip()[:120]!r}")
        self.line = line


def parse_generic(text: str) -> Tables:
    """Build the op table of printer output, in time linear in the text.

    Raises:
        GenericSyntaxError: a line is not one that the printer writes.
    """
    collecting = gc.isenabled()
    gc.disable()  # creates millions of small objects, none of them garbage
    try:
        return _Parser(text).run()
    finally:
        if collecting:
            gc.enable()


_NONES = repeat(NONE)
_AT_ONCE = 10_000  # ops that are entered together: lists take more memory than the tables


@dataclass(slots=True)
class _Region:
    """A region being parsed: the number of its first op, and its definitions by token."""

    op: int
    number: int
    first: int
    defs: dict[str, int] = field(default_factory=dict)
    block: int = NONE


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.t = Tables(len(text))
        self.top = _Region(NONE, NONE, 0)
        self.stack: list[_Region] = [self.top]
        self.waiting: dict[str, list[tuple[int, int]]] = {}  # uses of what is not yet defined

    def run(self) -> Tables:
        stop = self._find_resources()
        position = 0
        while position < stop:
            position = self._whole_ops(position, stop)
            if position < stop:
                position = self._next(position, stop)
        if len(self.stack) != 1:
            raise GenericSyntaxError(self.text.count("\n"), "", "unclosed region")
        self._resolve(self.top)  # what is undeclared, the compiler reports; the table only marks it
        if not self.t.name:
            raise GenericSyntaxError(1, self.text[:80], "no op found")
        return self.t

    def _find_resources(self) -> int:
        at = len(self.text) if self.text.startswith("{-#") else self.text.rfind("\n{-#")
        if self.text.startswith("{-#"):
            at = 0
        elif at >= 0:
            at += 1
        if at < 0:
            return len(self.text)
        self.t.resources = (at, len(self.text))
        return at

    def _whole_ops(self, position: int, stop: int) -> int:
        """Read ops that take one line each; returns where the first other line begins."""
        match = _WHOLE_OP.match

        def following(found: re.Match[str] | None) -> Iterator[tuple[re.Match[str], int]]:
            while found is not None:
                at = found.end()
                yield found, at
                found = match(self.text, at, stop)

        first = match(self.text, position, stop)
        if first is None:
            return position
        second = match(self.text, first.end(), stop)
        if second is None:
            self._op(first, position, first.end())
            return first.end()
        lines = chain([(first, first.end())], following(second))
        return self._ops(position, islice(lines, _AT_ONCE))

    def _op(self, header: re.Match[str], start: int, end: int) -> int:
        """Enter a single op, given by its header and span; returns its number."""
        t, region = self.t, self.stack[-1]
        op, value, block = len(t.name), len(t.def_op), self._block_here(start)
        results, name, operands, successors = header.groups()
        makers: list[int] = []
        if results:
            _define_groups(results, op, value, region.defs, makers)
        values: tuple[int, ...] = ()
        if operands:
            used = operands.split(", ")
            values = tuple(map(region.defs.get, used, _NONES))
            if NONE in values:
                self._wait(op, used, values)
        if successors:
            t.successors[op] = tuple(successors[1:-1].split(", "))
        if block != NONE:
            t.block_ops[block].append(op)
        t.name.append(sys.intern(name))
        t.start.append(start)
        t.end.append(end)
        t.header_end.append(end)
        t.tail_start.append(NONE)
        inside, past = header.span(3)
        t.operands_start.append(inside)
        t.operands_end.append(past)
        t.parent.append(region.op)
        t.block.append(block)
        t.operands.append(values)
        t.first_result.append(value)
        t.num_results.append(len(makers))
        t.def_op.extend(makers)
        t.def_block.extend([NONE] * len(makers))
        return op

    def _ops(self, start: int, lines: Iterable[tuple[re.Match[str], int]]) -> int:
        """Enter consecutive ops, given by their headers and ends; returns the end of the last one.

        Like `_op` for each, but in a large program nearly all time goes here, so the tables grow by
        many ops at once.
        """
        t, region = self.t, self.stack[-1]
        defs, get, intern = region.defs, region.defs.get, sys.intern
        names: list[str] = []
        starts, inside, past = [start], list[int](), list[int]()
        first, makers = list[int](), list[int]()
        every_operand: list[tuple[int, ...]] = []
        op, value = len(t.name), len(t.def_op)
        for header, end in lines:
            results, name, operands, successors = header.groups()
            names.append(intern(name))
            begins, ends = header.span(3)
            inside.append(begins)
            past.append(ends)
            first.append(value)
            if results:
                if ":" in results or "," in results:
                    value += _define_groups(results, op, value, defs, makers)
                else:
                    defs[results] = value
                    makers.append(op)
                    value += 1
            values: tuple[int, ...] = ()
            if operands:
                # Nearly all operands are defined above; keeping the names of all takes much memory.
                used = operands.split(", ")
                values = tuple(map(get, used, _NONES))
                if NONE in values:
                    self._wait(op, used, values)
            every_operand.append(values)
            if successors:
                t.successors[op] = tuple(successors[1:-1].split(", "))
            op += 1
            starts.append(end)
        if not names:
            return start
        number = len(names)
        block = self._block_here(start)
        if block != NONE:
            t.block_ops[block].extend(range(len(t.name), op))
        t.name.extend(names)
        t.start.extend(starts[:-1])
        t.end.extend(starts[1:])
        t.header_end.extend(starts[1:])
        t.tail_start.extend(repeat(NONE, number))
        t.operands_start.extend(inside)
        t.operands_end.extend(past)
        t.parent.extend(repeat(region.op, number))
        t.block.extend(repeat(block, number))
        t.operands.extend(every_operand)
        t.first_result.extend(first)
        t.num_results.extend(map(sub, [*first[1:], value], first))
        t.def_op.extend(makers)
        t.def_block.extend(repeat(NONE, len(makers)))
        return starts[-1]

    def _block_here(self, start: int) -> int:
        """The block that an op belongs to, opened if there is none; NONE outside of regions."""
        region = self.stack[-1]
        if region.op == NONE:
            return NONE
        return region.block if region.block != NONE else self._open_block(start, NONE)

    def _next(self, position: int, stop: int) -> int:
        """Read one line, with those that an attribute's printer has broken; the offset after it."""
        start = position
        while position < stop:
            newline = self.text.find("\n", position, stop)
            end = stop if newline < 0 else newline + 1
            part = self.text[position:end].rstrip()
            is_whole = position == start
            position = end
            if not part and not is_whole:
                continue
            if not part.endswith(CONTINUES) or _opens_region(part, is_whole):
                self._line(start, end, part if is_whole else self.text[start:end].rstrip())
                return position
        raise self._error(start, stop, "unexpected end of the text inside an op")

    def _line(self, start: int, end: int, stripped: str) -> None:
        line = stripped.lstrip(" \t")
        first = line[:1]
        if first and first in '"%':
            op = _OP.match(self.text, start, end)
            if op is None:
                raise self._error(start, end, "not an op")
            number = self._op(op, start, end)
            if _opens_region(stripped):
                self.t.regions[number] = []
                self._open_region(number)
        elif first == "^":
            self._label(start, end)
        elif first == "}":
            self._close(start, end, line)
        elif first and first in "#!" and (match := _ALIAS.match(line)):
            self.t.aliases.append(Alias(match.group(1), start, end))
        elif line and not line.startswith("//"):
            raise self._error(start, end, "not IR in generic form")

    def _open_region(self, op: int) -> None:
        number = len(self.t.region_op)
        self.t.region_op.append(op)
        self.t.region_blocks.append([])
        self.t.regions[op].append(number)
        self.stack.append(_Region(op, number, len(self.t.name)))

    def _open_block(self, start: int, label_end: int) -> int:
        t, region = self.t, self.stack[-1]
        block = len(t.block_region)
        t.block_region.append(region.number)
        t.block_ops.append([])
        t.block_start.append(start)
        t.block_label_end.append(label_end)
        t.block_first_arg.append(len(t.def_op))
        t.block_num_args.append(0)
        t.region_blocks[region.number].append(block)
        region.block = block
        return block

    def _label(self, start: int, end: int) -> None:
        line = self.text[start:end].rstrip()
        match, arguments = LABEL.match(line), label_arguments(line)
        if match is None or bool(match[2]) != bool(arguments) or self.stack[-1].op == NONE:
            raise self._error(start, end, "expected a block label")
        block = self._open_block(start, end)
        region = self.stack[-1]
        for token, _ in arguments:
            region.defs[token] = len(self.t.def_op)
            self.t.def_op.append(NONE)
            self.t.def_block.append(block)
            self.t.block_num_args[block] += 1

    def _close(self, start: int, end: int, line: str) -> None:
        if len(self.stack) == 1:
            raise self._error(start, end, "unmatched end of a region")
        region = self.stack.pop()
        self._resolve(region)
        if line == "}, {":
            self._open_region(region.op)
        elif line.startswith("})"):
            self.t.tail_start[region.op] = start
            self.t.end[region.op] = end
        else:
            raise self._error(start, end, "expected the end of a region")

    def _error(self, start: int, end: int, why: str) -> GenericSyntaxError:
        line = self.text.count("\n", 0, start) + 1
        return GenericSyntaxError(line, self.text[start:end], why)

    def _wait(self, op: int, used: Sequence[str], values: Sequence[int]) -> None:
        """Remember which operands of an op its region has not defined so far."""
        for number, value in enumerate(values):
            if value == NONE:
                self.waiting.setdefault(used[number], []).append((op, number))

    def _resolve(self, region: _Region) -> None:
        """Bind operands to the definitions of one region; leave the others to the outer region.

        Resolving at the end of the region handles forward references (graph regions, blocks out of
        order) and names that isolated regions reuse. A use is looked at once, however many regions
        are around it.
        """
        operands, waiting = self.t.operands, self.waiting
        for token in region.defs.keys() & waiting.keys():
            uses = waiting[token]
            while uses and uses[-1][0] >= region.first:
                op, number = uses.pop()
                before = operands[op]
                value = region.defs[token]
                operands[op] = (*before[:number], value, *before[number + 1 :])
            if not uses:
                del waiting[token]


def _define_groups(
    results: str, op: int, first: int, defs: dict[str, int], makers: list[int]
) -> int:
    """Define the results of an op, from the value `first` on; returns how many there are."""
    value = first
    for base, size in result_groups(results):
        defs[base] = value  # a bare %0 may refer to %0#0
        for number in range(size):
            defs[f"{base}#{number}"] = value + number
        value += size or 1
    makers.extend(repeat(op, value - first))
    return value - first


def _opens_region(stripped: str, is_whole: bool = True) -> bool:
    """Whether a line opens a region; only a whole one can also end the region before it."""
    return stripped.endswith("({") or (is_whole and stripped.lstrip() == "}, {")
