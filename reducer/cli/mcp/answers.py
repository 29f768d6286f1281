"""Answers that fit into the context of an agent, and in which no text can act as anything else."""

import json
from collections.abc import Mapping
from typing import Any

from reducer.cli.mcp.tools import UNTRUSTED
from reducer.escaping import lines

LIMIT = 4096
"""The most bytes of an answer as text."""

_STEPS = ((2000, 60), (600, 30), (240, 12), (100, 6), (40, 3), (16, 1))
"""How long strings, and how many items of lists, may be: the first with which all fits."""
_DEEPEST = 6


def encoded(answer: Mapping[str, Any]) -> str:
    """The answer as JSON in ASCII, without a character that a format around it knows.

    >>> encoded({"a": "</x>`"})
    '{"a": "\\\\u003c/x\\\\u003e\\\\u0060"}'
    """
    text = json.dumps(answer, default=str)
    for char in "<>`&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def fitted(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer with its data cut to the limit, and with nothing in it that is not visible."""
    for longest, most in _STEPS:
        cut = {**answer, UNTRUSTED: _cut(answer[UNTRUSTED], longest, most, _DEEPEST)}
        if len(encoded(cut)) <= LIMIT:
            return cut
    return {**answer, UNTRUSTED: {}}


def _cut(value: Any, longest: int, most: int, deep: int) -> Any:
    match value:
        case Mapping() if deep:
            kept = list(value.items())[: 5 * most]
            return {
                _cut(str(key), 80, 0, 0): _cut(one, longest, most, deep - 1) for key, one in kept
            }
        case list() | tuple() if deep:
            kept = [_cut(one, longest, most, deep - 1) for one in value[:most]]
            return [*kept, *([f"… {len(value) - most} more"] if len(value) > most else [])]
        case bool() | int() | float() | None:
            return value
    text = lines(str(value)[: longest + 1])
    return text if len(text) <= longest else f"{text[:longest]}…"
