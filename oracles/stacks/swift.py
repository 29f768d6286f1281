"""Lines of the stack that Swift's runtime prints when a signal ends a program.

    Thread 9 crashed:

    0      0x00007f8606d48784 a::f(int) + 84 in libA.so at /src/a.cpp:12:3
    1 [ra] [inlined] 0x00007f8606d03d25 inner() in libA.so at /src/a.cpp:34:1
    2 [ra] 0x00007f8606d03d25 outer() + 20 in libA.so at /src/a.cpp:34:1

The stacks of other threads come before and after it, and lines of source code between its lines.
"""

import re
from collections.abc import Iterator

_HEAD = re.compile(r"^Thread \d+(?: \"[^\"\n]*\")? crashed:\n", re.M)
_LINE = re.compile(
    r"^\d+ +(?P<marks>(?:\[\w+\] )*) *0x(?P<address>[0-9a-f]+) (?P<name>\S[^\n]*?)"
    r"(?: \+ \d+)? in (?P<path>[^\s]+)(?: at [^\n]*)?$"
)
_EXTRA = re.compile(r"\[(?:inlined|thunk)\]")
_UNKNOWN = "<unknown>"
_END = re.compile(r"^(?:Thread \d|Registers:|Images |Backtrace took )", re.M)


def frames_of_swift(text: str) -> Iterator[tuple[int, str, str]]:
    """The address, library and function of each line of the thread that crashed, innermost first.

    The function may be ''. What is inlined, or only calls another, does not count, since other
    builds print no line for it.

    >>> list(frames_of_swift("Thread 0 crashed:\\n\\n0 [ra] 0x0010 f() + 4 in libA.so\\n"))
    [(16, 'libA.so', 'f()')]
    """
    head = _HEAD.search(text) if " crashed:" in text else None
    if head is None:
        return
    end = _END.search(text, head.end())
    for line in text[head.end() : end.start() if end else len(text)].splitlines():
        match = _LINE.match(line)
        if match is not None and not _EXTRA.search(match["marks"]):
            name = "" if match["name"] == _UNKNOWN else match["name"]
            yield int(match["address"], 16), match["path"].rpartition("/")[2], name
