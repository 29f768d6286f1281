"""Find the op that a program prints, with `dump()`, as the last thing before it stops.

That is how code says which op it cannot go on with: `op->dump(); llvm_unreachable("unsupported")`.
"""

import re

from oracles.templates import printed_operation

_READ = 64 << 10
"""How many characters before the last words are read: an op with regions may be long."""
_RESULTS = r"%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)* = "
_NAME = r"[A-Za-z_]\w*(?:\.[\w$-]+)+"
_WITH_RESULTS = re.compile(rf'\s*{_RESULTS}"?{_NAME}')
_WITHOUT_RESULTS = re.compile(rf'\s*(?:"{_NAME}"\((?:%|\) ?[\[<{{(:])|{_NAME} .*%[\w$])')
_END = re.compile(r"\s*\}")
"""How the last line of an op with regions begins."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def operation_dumped(before: str) -> str:
    """The name of the op that a text ends with, folded; '' if it ends with anything else.

    An op with regions counts if it has results: without any, it is what encloses the op, a function
    or a module.

    >>> operation_dumped('note\\n%1 = "a.b"(%0) : (f32) -> f32 loc("x")\\n')
    'a.b'
    >>> operation_dumped('%0 = a.b %1 {\\n  a.yield %1\\n} : i1\\n')
    'a.b'
    """
    lines = before[-_READ:].rstrip().splitlines()
    if not lines:
        return ""
    if not _END.match(lines[-1]):
        is_op = _WITH_RESULTS.match(lines[-1]) or _WITHOUT_RESULTS.match(lines[-1])
        return printed_operation(lines[-1]) if is_op else ""
    depth = 0
    for line in reversed(lines):
        bare = _STRING.sub("", line)
        depth += bare.count("}") - bare.count("{")
        if depth <= 0:
            return printed_operation(line) if _WITH_RESULTS.match(line) else ""
    return ""
