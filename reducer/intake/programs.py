"""Find the program in a text: a crash reproducer, a fenced block, or a part of a split input."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import dedent

from reducer.locate.failing_pass import CONFIGURATION, printed_pipeline, read_reproducer

_FENCE = re.compile(r"^ {0,3}```[^\n`]*\n(.*?)^ {0,3}```", re.M | re.S)
_INDENTED = re.compile(r"(?:^(?: {4}|\t)[^\n]*\n(?:[ \t]*\n)*)+", re.M)
_SESSION = re.compile(r"^\s*[$>%] \S", re.M)  # commands at a prompt, and what they print
_SECTION = re.compile(r"^\{-#$.*?^#-\}$", re.M | re.S)
_MODULE = re.compile(r'^(?:module\b|"builtin\.module")', re.M)
_START = re.compile(r'^(?:[#!][\w$.-]+ = |module\b|"builtin\.module"|\w+\.(?:func|module)\b)', re.M)
_ALIAS = re.compile(r"[#!][\w$.-]+ = ")
_OP = re.compile(r'^\s*(?:%[\w:#, %]+ = )?"?[a-z_]\w*\.[\w.]+"?(?:[ (]|$)', re.M)
_STACK = re.compile(r"^\s*#\d+ 0x|Stack dump", re.M)


@dataclass(frozen=True)
class FoundProgram:
    """A program in a text, and the pipeline that its crash reproducer runs; '' without one."""

    text: str
    pipeline: str = ""


def program_in(text: str) -> FoundProgram | None:
    """The program that a text contains: that of a crash reproducer, else the first there is."""
    text = text.replace("\r\n", "\n")
    reproducer = _reproducer(text)
    if reproducer is not None:
        return reproducer
    for block in _blocks(text):
        if not _OP.search(block):
            continue
        if not (_STACK.search(block) or _SESSION.search(block)):
            return _reproducer(block) or FoundProgram(block)
        if found := _among_lines(block):
            return found
    return _among_lines(text)


def _blocks(text: str) -> Iterator[str]:
    """The blocks of code of a text: those in fences, then those that are indented."""
    for block in _FENCE.finditer(text):
        yield block[1]
    for paragraph in _INDENTED.finditer(text):
        yield dedent(paragraph[0].expandtabs(4)).strip("\n") + "\n"


def _among_lines(text: str) -> FoundProgram | None:
    """The first program between other lines."""
    start = _START.search(text)
    if start is None:
        return None
    found = _balanced(text[start.start() :])
    return FoundProgram(found) if found and _OP.search(found) else None


def _reproducer(text: str) -> FoundProgram | None:
    """The last crash reproducer in a text, which is that of the innermost pass."""
    for section in reversed(list(_SECTION.finditer(text))):
        modules = list(_MODULE.finditer(text, 0, section.start()))
        if not modules:
            continue
        start = modules[-1].start()
        lines = text[:start].splitlines(keepends=True)
        while lines and _ALIAS.match(lines[-1]):
            start -= len(lines.pop())
        if found := _read(text[start : section.end()] + "\n"):
            return found
    comments = list(CONFIGURATION.finditer(text))
    if not comments:
        return None
    return _read(comments[-1][0] + _balanced(text[comments[-1].end() :]))


def _read(text: str) -> FoundProgram | None:
    found, pipeline = read_reproducer(text), printed_pipeline(text)
    return FoundProgram(found[1], pipeline) if found and pipeline else None


def _balanced(text: str) -> str:
    """The lines from the start up to where all braces are closed, and no op follows at once."""
    depth, out = 0, []
    for line in text.splitlines(keepends=True):
        if depth == 0 and line.strip() and not (_START.match(line) or line.startswith("}")):
            break
        out.append(line)
        depth += line.count("{") - line.count("}")
    return "".join(out)


_SEPARATOR = re.compile(r"^// -----[^\n]*\n", re.M)
_FLAG = re.compile(r"--?split-input-file(?:=.*)?$")


def split_input(text: str, words: Sequence[str]) -> list[str]:
    """The programs in an input that a command compiles one by one; the input if it does not."""
    if not any(_FLAG.match(word) for word in words):
        return [text]
    return [part for part in _SEPARATOR.split(text) if part.strip()] or [text]


def without_splitting(words: Sequence[str]) -> tuple[str, ...]:
    """The command without the flag."""
    return tuple(word for word in words if not _FLAG.match(word))
