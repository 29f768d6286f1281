"""Lines of a stack as Valgrind prints it.

    ==9== Process terminating with default action of signal 11 (SIGSEGV)
    ==9==    at 0x2BF56A0: mlir::Block::getParentOp() (in /b/circt-opt)
    ==9==    by 0x36ACFD8: a::Pass::run() (Pass.cpp:31)

What it has to say of reads and writes has stacks as well, but what ends the program counts.
"""

import re
from collections.abc import Iterator

_END = re.compile(r"^==\d+== Process terminating with default action of signal ", re.M)
_LINE = re.compile(
    r"==\d+== +(?:at|by) 0x(?P<address>[0-9A-F]+): (?P<name>\S.*?)"
    r"(?: \((?:in (?P<path>[^()]+)|[^()]+:\d+)\))?$"
)
_UNKNOWN = "???"


def frames_of_valgrind(text: str) -> Iterator[tuple[int, str, str]]:
    """The address, the function and the library of each line of the last stack, innermost first.

    >>> end = "==9== Process terminating with default action of signal 6\\n"
    >>> list(frames_of_valgrind(f"{end}==9==    at 0x12: a::f() (in /b/libA.so)\\n"))
    [(18, 'a::f()', 'libA.so')]
    """
    end = _END.search(text) if "== Process terminating" in text else None
    begun = False
    for line in text[end.end() :].splitlines() if end else ():
        if match := _LINE.match(line):
            begun = True
            name = "" if match["name"] == _UNKNOWN else match["name"]
            yield int(match["address"], 16), name, (match["path"] or "").rpartition("/")[2]
        elif begun:
            return
