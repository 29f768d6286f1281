"""Lines of the stack that Julia prints when a signal ends it, as in a library that it has loaded.

    [27590] signal 11 (1): Segmentation fault
    in expression starting at /a/b.jl:53
    _ZNK1a1B1fEv at /opt/lib/libA.so (unknown line)
    inner at /src/a.cpp:12 [inlined]
    outer at /src/a.cpp:34

They are only taken for those of a stack below such a head, as other text looks the same.
"""

import re
from collections.abc import Iterator

_HEAD = re.compile(r"^(?:\[\d+\] )?signal \(?\d+\)?(?: \(-?[\d.]+\))?: [^\n]*\n", re.M)
_LINE = re.compile(
    r"^(?P<name>\S[^\n]*?) at (?P<path>\S[^\n]*?)(?: \((?P<unknown>unknown line)\)|:\d+)$"
)
_BEFORE = "in expression starting at "
_INLINED = " [inlined]"
_UNNAMED = "unknown function "


def functions_and_modules(text: str) -> Iterator[tuple[str, str]]:
    """The function and the library of each line of the first such stack, innermost first.

    Either may be ''. What is inlined does not count, since other builds print no line for it.

    >>> list(functions_and_modules("signal (11): Bus error\\nf at /a/libA.so (unknown line)\\n"))
    [('f', 'libA.so')]
    """
    head = _HEAD.search(text) if "signal " in text else None
    for line in text[head.end() :].splitlines() if head else ():
        if line.startswith(_BEFORE) or line.endswith(_INLINED):
            continue
        if line.startswith(_UNNAMED):
            yield "", ""
        elif match := _LINE.match(line):
            yield match["name"], match["path"].rpartition("/")[2] if match["unknown"] else ""
        else:
            return
