"""Source locations in printed IR: of no use to most failures, and needed by a few.

A printer writes them only if it is told to. Some tools always do, and some compilers fail because
of them: the name of a layer, or debug information that LLVM rejects.
"""

import re

from reducer.ir.lexer import ALIAS, STRING, brackets_at

_MARK = " loc("
_BARE_MARK = re.compile(rf"{STRING}|(?P<mark> loc\()")
_DEFINITION = re.compile(rf"^(?P<name>{ALIAS}) = (?P<value>.*)\n", re.M)
_FIRST_OP = re.compile(r'^["%a-z]', re.M)
_LABEL = re.compile(r"[ \t]*\^")
_REFERENCE = re.compile(r" loc\((#[\w$.-]+)\)")


def has_locations(text: str) -> bool:
    """Whether a text may have locations after ops; a string may look like one."""
    return _MARK in text


def location_span(line: str) -> tuple[int, int] | None:
    """Where the location at the end of an op's line is, with the space before it; None if none."""
    end = len(line.rstrip())
    if _MARK not in line or line[end - 1] != ")":
        return None
    for match in _BARE_MARK.finditer(line):
        if match["mark"] is None:
            continue
        closing = brackets_at(line, match.end() - 1)
        if closing is not None and closing.end + 1 >= end:
            return match.start(), end
    return None


def without_op_locations(generic: str) -> str:
    """Generic form without the locations of ops and arguments; definitions of aliases stay.

    >>> without_op_locations('^bb0(%a: i1 loc("a")):\\n  "t.u"(%a) : (i1) -> () loc(#loc1)\\n')
    '^bb0(%a: i1):\\n  "t.u"(%a) : (i1) -> ()\\n'
    """
    if not has_locations(generic):
        return generic
    return "".join(map(_without, generic.splitlines(keepends=True)))


def with_op_locations(generic: str, own: str) -> str:
    """Generic form as it is edited: aliases first, and no location of an argument.

    Args:
        own: the file that the tool was given. What has no location gets one in that file.
    """
    lines = without_own_locations(generic, own).splitlines(keepends=True)
    return "".join(_without(line) if _LABEL.match(line) else line for line in lines)


def without_own_locations(text: str, own: str) -> str:
    """Printed IR without the locations in the file that the tool read it from, aliases first.

    They say nothing, since any op that has none gets one when it is read.
    """
    if not has_locations(text):
        return text
    text = aliases_first(text)
    place = rf'loc\("{re.escape(own)}":\d+:\d+(?: to (?:\d+)?:\d+)?\)'
    named = {
        match["name"] for match in _DEFINITION.finditer(text) if re.fullmatch(place, match["value"])
    }
    text = re.sub(f"(?<! =) {place}", "", text)  # not in a definition
    return _REFERENCE.sub(lambda match: "" if match[1] in named else match[0], text)


def aliases_first(text: str) -> str:
    """Printed IR with all definitions of aliases in front: those of locations come last."""
    first = _FIRST_OP.search(text)
    head = first.start() if first else len(text)
    found = list(_DEFINITION.finditer(text, head))
    if not found:
        return text
    parts, position = [text[:head], *(match[0] for match in found)], head
    for match in found:
        parts.append(text[position : match.start()])
        position = match.end()
    return "".join([*parts, text[position:]])


def _without(line: str) -> str:
    if _LABEL.match(line):
        return _without_any(line)
    if _DEFINITION.match(line):
        return line
    span = location_span(line)
    return line if span is None else line[: span[0]] + line[span[1] :]


def _without_any(line: str) -> str:
    out, position = [], 0
    for match in _BARE_MARK.finditer(line):
        closing = brackets_at(line, match.end() - 1) if match["mark"] else None
        if closing is not None and match.start() >= position:
            out.append(line[position : match.start()])
            position = closing.end + 1
    return "".join([*out, line[position:]])
