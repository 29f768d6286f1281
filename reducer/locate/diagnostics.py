"""From the compiler's diagnostics to the ops that they point to."""

from collections.abc import Iterable

from oracles import Diagnostic
from reducer.ir import Module
from reducer.locate.locations import Location


def ops_of_diagnostics(
    diagnostics: Iterable[Diagnostic], locations: dict[Location, list[int]], module: Module
) -> list[int]:
    """Ops at the places that errors name, the first error's first, each once.

    Ops that enclose others at the same place (functions, modules) are left out: a location shared
    by a whole function says nothing.
    """
    out: dict[int, None] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity != "error":
            continue
        place = (diagnostic.file.rsplit("/", 1)[-1], diagnostic.line, diagnostic.column)
        for op in locations.get(place, ()):
            if (
                "function_type = " not in module.header(op)
                and module.t.name[op] != "builtin.module"
            ):
                out.setdefault(op)
    return list(out)
