"""What a program says as it stops itself, as it is printed: an assertion, a fatal error, …

`oracles.abnormal` reads the same lines for a signature. Here they stay as people know them.
"""

import re

from oracles.broken_ir import broken_rule, is_about_broken_ir
from oracles.diagnostics import parse_line
from oracles.logged import fatal_line

STOPS = re.compile(
    r"Assertion [`']|UNREACHABLE executed|LLVM ERROR: |^terminate called|fatal internal error: "
    r"|internal compiler error: "
    r"|Assertion failed: (?=.*(?:, line \d|: \d+\)$))"
)
"""What the line with which a program stops has in any build."""
UNREACHABLE = "UNREACHABLE executed"
"""How the line of `llvm_unreachable` begins."""
_WHAT = "what():"
_OTHER_TEXT = re.compile(r"\s|[%}^#]|//")
"""How a line begins that is printed IR, an excerpt or a comment."""


def last_words(stderr: str) -> tuple[str, ...]:
    """The line with which a program stops, and the one that says why, in their order; or nothing.

    >>> last_words("bad rank\\nUNREACHABLE executed at a.cpp:1!\\nStack dump:\\n")
    ('bad rank', 'UNREACHABLE executed at a.cpp:1!')
    >>> last_words("terminate called after throwing an instance of 'E'\\n  what():  no rule\\n")
    ("terminate called after throwing an instance of 'E'", 'what():  no rule')
    >>> last_words("F0102 03:04:05.1 77 a/b.cc:12] Check failed: ok\\n    @     0x12  f()\\n")
    ('a/b.cc:12] Check failed: ok',)
    """
    lines = stderr.splitlines()
    for number, line in enumerate(lines):
        if logged := fatal_line(line):
            return (f"{logged['place']}] {logged['message']}".strip(),)
        if STOPS.search(line) is None:
            continue
        before = lines[number - 1] if number else ""
        after = lines[number + 1].strip() if number + 1 < len(lines) else ""
        if UNREACHABLE in line and explains_unreachable(before):
            return before.strip(), line.strip()
        if is_about_broken_ir(line) and (rule := broken_rule("\n".join(lines[:number]))):
            return rule, line.strip()
        goes_on = after.startswith(_WHAT) or line.rstrip().endswith(":")
        return (line.strip(), after) if goes_on and after else (line.strip(),)
    return ()


def explains_unreachable(line: str) -> bool:
    """Whether the line before `UNREACHABLE executed` says why.

    It is not there in every case, and another line may be a diagnostic or printed IR.
    """
    return bool(line.strip()) and parse_line(line) is None and not _OTHER_TEXT.match(line)


def thrown_message(words: str) -> str:
    """What an exception says of itself, from the line that says it; '' for any other line."""
    return words.removeprefix(_WHAT).strip() if words.startswith(_WHAT) else ""
