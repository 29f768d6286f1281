"""Parse generic-form text into an op table, in one pass over its lines.

The MLIR printer writes one op header, block label, region separator or op tail per line. Only
attributes with custom printers break lines, and then the broken line ends in `,`, `[`, `<`, `{` or
`(` (measured over 1,352 dumps of two compiler versions). That makes a line-based pass as exact as a
full parser and several times cheaper; tree-sitter parses individual ops later, on demand.
"""

import gc
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple

from reducer.ir.lexer import INSIDE_STRING
from reducer.ir.module import NONE, Alias, Tables

_HEADER = re.compile(
    r"[ \t]*(?:((?:%[\w$.#-]+(?::\d+)?(?:, )?)+) = )?"
    rf'"({INSIDE_STRING})"\(([^()"]*)\)(\[\^[^\]]*\])?'
)
_LABEL = re.compile(r"[ \t]*\^([\w$.-]+)(?:\((.*)\))?:[ \t]*(?://.*)?$")
_LABEL_ARG = re.compile(r"(?:^|, )(%[\w$.#-]+): ")
_ALIAS = re.compile(r"([#!][\w$.-]+) = ")
_CONTINUES = (",", "[", "<", "(", "({", "{")


class GenericSyntaxError(ValueError):
    """The text is not generic-form output of MLIR's printer."""

    def __init__(self, line: int, text: str, why: str) -> None:
        super().__init__(f"line {line}: {why}: {text.strip()[:120]!r}")
        self.line = line


def label_arguments(label: str) -> list[tuple[str, str]]:
    """The names and types of the arguments in a block label line."""
    match = _LABEL.match(label.rstrip("\n"))
    inner = match.group(2) if match else None
    if not inner:
        return []
    found = list(_LABEL_ARG.finditer(inner))
    ends = [m.start() for m in found[1:]] + [len(inner)]
    return [(m.group(1), inner[m.end() : end]) for m, end in zip(found, ends, strict=True)]


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


class _Header(NamedTuple):
    """What the first line of an op says; offsets count from the start of the line.

    `results` are the names that are defined, each with how many values it stands for, 0 if the
    name itself is the value.
    """

    results: tuple[tuple[str, int], ...]
    name: str
    operands: tuple[str, ...]
    operands_start: int
    operands_end: int
    successors: tuple[str, ...]
    opens_region: bool


_NONES = repeat(NONE)

_MAX_REMEMBERED = 1 << 14  # headers, each of at most…
_MAX_LENGTH = 1_000  # …this many characters

_headers: dict[str, _Header] = {}
"""Headers that were read before: most ops of a candidate are those of the program before it."""


def _remembered(number: int, line: str) -> _Header:
    """The header in a line, with that number for an error message."""
    header = _headers.get(line)
    if header is None:
        header = _read_header(number, line)
        if len(line) <= _MAX_LENGTH:
            if len(_headers) >= _MAX_REMEMBERED:
                _headers.clear()
            _headers[line] = header
    return header


def _read_header(number: int, line: str) -> _Header:
    match = _HEADER.match(line)
    if match is None:
        raise GenericSyntaxError(number, line, "not an op")
    results, name, operands, successors = match.groups()
    groups = [group.partition(":") for group in results.split(", ")] if results else []
    return _Header(
        tuple((base, int(size) if size else 0) for base, _, size in groups),
        name,
        tuple(operands.split(", ")) if operands else (),
        match.start(3),
        match.end(3),
        tuple(successors[1:-1].split(", ")) if successors else (),
        _opens_region(line.rstrip()),
    )


@dataclass(slots=True)
class _Region:
    """A region being parsed: its definitions by token, and the ops with unresolved operands."""

    op: int
    number: int
    defs: dict[str, int] = field(default_factory=dict)
    waiting: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    block: int = NONE


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.t = Tables()
        self.top = _Region(NONE, NONE)
        self.stack: list[_Region] = [self.top]

    def run(self) -> Tables:
        resources_at = self._find_resources()
        for number, start, end, line in self._logical_lines(resources_at):
            self._line(number, start, end, line)
        if len(self.stack) != 1:
            raise GenericSyntaxError(self.text.count("\n"), "", "unclosed region")
        self._resolve(self.top)
        for op, tokens in self.top.waiting:
            # Undeclared values: the compiler reports them; the table only marks them.
            self._set_operands(op, [self.top.defs.get(token, NONE) for token in tokens])
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

    def _logical_lines(self, stop: int) -> Iterator[tuple[int, int, int, str]]:
        """The lines, with those rejoined that an attribute's printer has broken."""
        position, number, start, held = 0, 0, 0, ""
        text = self.text
        while position < stop:
            number += 1
            newline = text.find("\n", position, stop)
            at, end = (stop, stop) if newline < 0 else (newline, newline + 1)
            line = text[position:at]
            if not held and line in _headers:
                start, position = position, end
                yield number, start, end, line
                continue
            if held:
                line = held + "\n" + line
            else:
                start = position
            position = end
            stripped = line.rstrip()
            if stripped.endswith(_CONTINUES) and not _opens_region(stripped):
                held = line
                continue
            held = ""
            if stripped:
                yield number, start, end, line
        if held:
            raise GenericSyntaxError(number, held, "unexpected end of the text inside an op")

    def _line(self, number: int, start: int, end: int, line: str) -> None:
        first = line.lstrip(" \t")[0]
        if first in '"%':
            self._op(start, end, _remembered(number, line))
        elif first == "^":
            self._label(number, start, end, line)
        elif first == "}":
            self._close(number, start, end, line)
        elif first in "#!" and (match := _ALIAS.match(line)):
            self.t.aliases.append(Alias(match.group(1), start, end))
        elif line.lstrip().startswith("//"):
            return
        else:
            raise GenericSyntaxError(number, line, "not IR in generic form")

    def _op(self, start: int, end: int, header: _Header) -> None:
        t, region = self.t, self.stack[-1]
        op = len(t.name)
        t.name.append(sys.intern(header.name))
        t.start.append(start)
        t.end.append(end)
        t.header_end.append(end)
        t.tail_start.append(NONE)
        t.operands_start.append(start + header.operands_start)
        t.operands_end.append(start + header.operands_end)
        t.parent.append(region.op)
        block = NONE
        if region.op != NONE:
            block = region.block if region.block != NONE else self._open_block(start, NONE)
            t.block_ops[block].append(op)
        t.block.append(block)
        t.first_result.append(len(t.token))
        t.num_results.append(self._define_results(op, header.results, region))
        t.operands.append(())
        if header.operands:
            # Nearly all operands are defined above; keeping the names of all takes much memory.
            values = tuple(map(region.defs.get, header.operands, _NONES))
            t.operands[op] = values
            if NONE in values:
                region.waiting.append((op, header.operands))
        if header.successors:
            t.successors[op] = header.successors
        if header.opens_region:
            t.regions[op] = []
            self._open_region(op)

    def _define_results(
        self, op: int, results: tuple[tuple[str, int], ...], region: _Region
    ) -> int:
        t, count = self.t, 0
        for base, size in results:
            region.defs[base] = len(t.token)  # a bare %0 may refer to %0#0
            tokens = [f"{base}#{i}" for i in range(size)] if size else [base]
            for token in tokens:
                region.defs[token] = len(t.token)
                t.token.append(token)
                t.def_op.append(op)
                t.def_block.append(NONE)
                count += 1
        return count

    def _open_region(self, op: int) -> None:
        number = len(self.t.region_op)
        self.t.region_op.append(op)
        self.t.region_blocks.append([])
        self.t.regions[op].append(number)
        self.stack.append(_Region(op, number))

    def _open_block(self, start: int, label_end: int) -> int:
        t, region = self.t, self.stack[-1]
        block = len(t.block_region)
        t.block_region.append(region.number)
        t.block_ops.append([])
        t.block_start.append(start)
        t.block_label_end.append(label_end)
        t.block_first_arg.append(len(t.token))
        t.block_num_args.append(0)
        t.region_blocks[region.number].append(block)
        region.block = block
        return block

    def _label(self, number: int, start: int, end: int, line: str) -> None:
        if _LABEL.match(line) is None or self.stack[-1].op == NONE:
            raise GenericSyntaxError(number, line, "expected a block label")
        block = self._open_block(start, end)
        region = self.stack[-1]
        for token, _ in label_arguments(line):
            region.defs[token] = len(self.t.token)
            self.t.token.append(token)
            self.t.def_op.append(NONE)
            self.t.def_block.append(block)
            self.t.block_num_args[block] += 1

    def _close(self, number: int, start: int, end: int, line: str) -> None:
        if len(self.stack) == 1:
            raise GenericSyntaxError(number, line, "unmatched end of a region")
        region = self.stack.pop()
        self._resolve(region)
        self.stack[-1].waiting.extend(region.waiting)
        stripped = line.strip()
        if stripped == "}, {":
            self._open_region(region.op)
        elif stripped.startswith("})"):
            self.t.tail_start[region.op] = start
            self.t.end[region.op] = end
        else:
            raise GenericSyntaxError(number, line, "expected the end of a region")

    def _resolve(self, region: _Region) -> None:
        """Bind operands to the definitions of one region; leave the others to the outer region.

        Resolving at the end of the region handles forward references (graph regions, blocks out of
        order) and names that isolated regions reuse.
        """
        get = region.defs.get
        left: list[tuple[int, tuple[str, ...]]] = []
        for op, tokens in region.waiting:
            values = [get(token, NONE) for token in tokens]
            self._set_operands(op, values)
            if NONE in values:
                left.append((op, tokens))
        region.waiting = left

    def _set_operands(self, op: int, values: list[int]) -> None:
        before = self.t.operands[op]
        if before:
            values = [old if old != NONE else new for old, new in zip(before, values, strict=True)]
        self.t.operands[op] = tuple(values)


def _opens_region(stripped: str) -> bool:
    return stripped.endswith("({") or stripped.lstrip() == "}, {"
