"""Splitting MLIR text at the commas that no bracket or string encloses."""

import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|[<>]=|[\[\](){}<>,]')
_OPENING, _CLOSING = frozenset("[({<"), frozenset("])}>")


def split_commas(text: str) -> list[str]:
    """The parts between top-level commas, stripped; nothing for blank text."""
    out: list[str] = []
    depth = start = 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
        elif token == "," and depth == 0:
            out.append(text[start : match.start()].strip())
            start = match.end()
    last = text[start:].strip()
    return [*out, last] if last or out else []
