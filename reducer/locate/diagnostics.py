"""From the compiler's diagnostics to the ops that they point to."""

from collections.abc import Iterable

from oracles import Diagnostic
from reducer.ir import Module
from reducer.locate.locations import Location


def ops_of_diagnostics(
    diagnostics: Iterable[Diagnostic], locations: dict[Location, list[int]], module: Module
) -> list[int]:
    """Ops at the places that errors name, the first error's first, each once."""
    errors = (diagnostic for diagnostic in diagnostics if diagnostic.severity == "error")
    places = ((d.file.rsplit("/", 1)[-1], d.line, d.column) for d in errors)
    return ops_at(places, locations, module)


def ops_at(
    places: Iterable[Location], locations: dict[Location, list[int]], module: Module
) -> list[int]:
    """Ops at some places, in the order of the places, each once.

    Ops that enclose others at the same place (functions, modules) are left out: a location shared
    by a whole function says nothing.
    """
    out: dict[int, None] = {}
    for place in places:
        for op in locations.get(place, ()):
            if (
                "function_type = " not in module.header(op)
                and module.t.name[op] != "builtin.module"
            ):
                out.setdefault(op)
    return list(out)
