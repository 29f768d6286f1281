"""Lines of a stack as gdb prints it, for programs that print no stack of their own.

    #0  0x00007ffff045e908 in a::f(int) const () from /opt/lib/libA.so
    #1  0x00005555555551e3 in ?? () from /opt/lib/libA.so
    #2  0x00007ffff7ba6ce3 in call (object=0x7fff0, args=<optimized out>) at a.c:12
    #3  outer (object=0x7fff0) at a.c:34

The last has no address: what is above it was inlined into it. Nor has the first if the program
stops at the beginning of a line.
"""

import re

INLINED_INTO = re.compile(r"^#(?P<n>\d+) +(?!0x)(?P<rest>\S.* \(.*\) at \S+:\d+)$")
"""One without an address, such as what contains an inlined function; `rest` is for
`function_and_module`."""
_PLACE = re.compile(
    r"(?P<name>\S.*?) \((?:\w+=.*)?\)(?: from (?P<path>\S+)| at \S+:\d+)?(?:, .*)?$"
)
_UNKNOWN = "??"


def function_and_module(rest: str) -> tuple[str, str] | None:
    """The function and the library in what follows an address; None if it is not gdb's.

    >>> function_and_module("a::f(int) const () from /opt/lib/libA.so")
    ('a::f(int) const', 'libA.so')
    >>> function_and_module("a::f(int) (/opt/lib/libA.so+0x12)")
    """
    match = _PLACE.match(rest)
    if match is None:
        return None
    name = "" if match["name"] == _UNKNOWN else match["name"]
    return name, (match["path"] or "").rpartition("/")[2]
