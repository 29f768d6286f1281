"""Give the functions of a program names that no C library has.

LLVM knows the functions of the C library by their names: it computes a call of a function `@ceil`
that takes and returns a float as the ceiling, whatever the program says that this function does.
And a program's own `@malloc` would be called for all memory.
"""

import re

SUFFIX = ".own"
"""What is appended to a name; no name in C has a period."""

_FUNCTION = re.compile(r'^ *(?:llvm|func)\.func [^\n@"]*@([\w$.-]+)\(.*?(\{?)$', re.M)
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|@([\w$.-]+)')


def defined_names(text: str) -> frozenset[str]:
    """The names of the functions that a module, as `mlir-opt` prints it, has the bodies of."""
    found = _FUNCTION.findall(text)
    declared = {name for name, body in found if not body}
    return frozenset(name for name, body in found if body) - declared


def with_own_names(text: str) -> str:
    """A module as `mlir-opt` prints it, with `SUFFIX` behind the names of functions with a body.

    >>> with_own_names('func.func @sin(%0: f32) {\\n  call @cos() : () -> ()\\n  call @sin(%0)')
    'func.func @sin.own(%0: f32) {\\n  call @cos() : () -> ()\\n  call @sin.own(%0)'
    """
    names = defined_names(text)

    def renamed(match: re.Match[str]) -> str:
        return f"{match[0]}{SUFFIX}" if match[1] in names else match[0]

    return _NAME.sub(renamed, text)
