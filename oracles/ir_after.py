"""The oracle that looks at the IR after a pass.

For defects that show in what a pass leaves behind, and nowhere else on this machine: wrong code for
a device that is not here.
"""

from oracles.compiler import CompilerOracle
from oracles.pattern import PatternOracle

_PRINT = "--mlir-print-ir-after"
_OTHERS = ("--mlir-disable-threading", "--mlir-elide-elementsattrs-if-larger=64")
"""Threads would mix the lines of several functions; large constants would flood the output."""


def ir_after(inner: CompilerOracle, pass_name: str, regex: str) -> PatternOracle:
    """Interesting is what has a match of `regex` in the IR after the pass with that argument name.

    The compiler is ended at the first match. Raises ValueError where the pattern is wrong.
    """
    given = {flag.partition("=")[0] for flag in inner.command.flags}
    extra = [flag for flag in _OTHERS if flag.partition("=")[0] not in given]
    flags = [*inner.command.flags, f"{_PRINT}={pass_name}", *extra]
    command = inner.command.with_flags(flags)
    return PatternOracle(inner.with_command(command), regex=regex, pass_name=pass_name)
