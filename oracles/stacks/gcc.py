"""Lines of the stack that GCC prints for an internal error, as when it compiles what a tool emits.

    a.c:3:1: internal compiler error: Segmentation fault
    0x15bfcc8 internal_error(char const*, ...)
            ???:0
    0xc0747c update_ssa(unsigned int)
            ../gcc/tree-into-ssa.c:3417

They are only taken for those of a stack below such a head, as other text looks the same.
"""

import re
from collections.abc import Iterator

_HEAD = "internal compiler error: "
_LINE = re.compile(r"0x[0-9a-f]+ (?P<name>\S.*)$")
_HANDLERS = re.compile(
    r"(?:internal_error|fancy_abort|crash_signal|diagnostic_impl|diagnostic_context::\w+"
    r"|diagnostics::\w+::\w+)\b"
)


def functions_of_gcc(text: str) -> Iterator[str]:
    """The function of each line of the first such stack, innermost first, without what reports it.

    >>> list(functions_of_gcc(f"{_HEAD}x\\n0x1 fancy_abort(int)\\n\\t??:0\\n0x2 f(int)\\n"))
    ['f(int)']
    """
    _, found, below = text.partition(_HEAD)
    begun = False
    for line in below.splitlines() if found else ():
        match = _LINE.match(line)
        if match and not _HANDLERS.match(match["name"]):
            yield match["name"]
        if not match and begun and not line[:1].isspace():
            return
        begun = begun or match is not None
