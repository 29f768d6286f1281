"""Source locations: those of each op, and the ops that a diagnostic points to."""

import re
from collections.abc import Iterable, Iterator

from oracles import Diagnostic
from oracles.signature.diagnostics import primary_error
from oracles.signature.templates import template_of
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.dialects import MODULE_OPS
from reducer.ir.functions import is_function
from reducer.ir.lexer import INSIDE_STRING

Location = tuple[str, int, int]
"""File name without folders, line, column, as in a diagnostic."""

_TRAILING = re.compile(r"loc\((.*)\)\s*$")
_FILE = re.compile(rf'"({INSIDE_STRING})":(\d+):(\d+)')
_ALIAS = re.compile(r"#loc\d*")


def read_locations(
    debug_print: str, module: Module, ops: Iterable[int] | None = None
) -> dict[Location, list[int]]:
    """Map each location to the ops of `module` that carry it, in text order.

    Args:
        debug_print: the same module, printed in generic form with `--mlir-print-debuginfo`. Its ops
            are those of `module`, in the same order.
        ops: those to look at; all if None.

    Returns:
        The map; empty if the two prints do not match.
    """
    try:
        debug = Module.parse(debug_print)
    except GenericSyntaxError:
        return {}
    if debug.t.name != module.t.name:
        return {}
    definitions = {a.name: debug.text[a.start : a.end] for a in debug.t.aliases}
    by_name: dict[str, list[Location]] = {}
    out: dict[Location, list[int]] = {}
    for op in range(len(debug)) if ops is None else ops:
        match = _TRAILING.search(debug.tail(op) or debug.header(op))
        if match is None:
            continue
        text = match.group(1)
        if text not in by_name:
            by_name[text] = list(dict.fromkeys(_locations(text, definitions)))
        for location in by_name[text]:
            out.setdefault(location, []).append(op)
    return out


def locations_in(text: str) -> Iterator[Location]:
    """All file locations of a print with debug info, in text order, with repetitions."""
    for line in text.splitlines():
        for file, number, column in _FILE.findall(line.partition("loc(")[2]):
            yield file.rsplit("/", 1)[-1], int(number), int(column)


def _locations(text: str, definitions: dict[str, str]) -> Iterator[Location]:
    """All file locations in a location's text, through aliases, fused and call-site ones."""
    waiting, seen = [text], {""}
    while waiting:
        part = waiting.pop()
        if part in seen:
            continue
        seen.add(part)
        for file, line, column in _FILE.findall(part):
            yield file.rsplit("/", 1)[-1], int(line), int(column)
        for alias in _ALIAS.findall(part):
            definition = definitions.get(alias, "")
            waiting.append(definition.partition(" = ")[2])


def ops_of_diagnostics(
    diagnostics: Iterable[Diagnostic], locations: dict[Location, list[int]], module: Module
) -> list[int]:
    """The ops at the locations that errors name, each once.

    Those of the errors that identify the failure come first: others may be about other failures.
    """
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    primary = primary_error(errors)
    words = template_of(primary.message) if primary else ""
    errors.sort(key=lambda error: template_of(error.message) != words)
    places = ((d.file.rsplit("/", 1)[-1], d.line, d.column) for d in errors)
    return ops_at(places, locations, module)


def ops_on_lines(diagnostics: Iterable[Diagnostic], file: str, module: Module) -> list[int]:
    """The ops of a text in generic form at whose lines errors point, each once.

    The error that identifies the failure decides alone if it points to an op.

    Args:
        file: the name under which the compiler read the module's text.
    """
    errors = [one for one in diagnostics if one.severity == "error"]
    primary = primary_error(errors)
    for chosen in ([primary] if primary else [], errors):
        lines = {d.line for d in chosen if d.file.rsplit("/", 1)[-1] == file}
        found = [op for op in _starting_on(lines, module) if not _encloses(module, op)]
        if found:
            return found
    return []


def _starting_on(lines: set[int], module: Module) -> Iterator[int]:
    """The ops whose first line is one of these, counted from 1."""
    line, read = 1, 0
    for op, start in enumerate(module.t.start):
        line += module.text.count("\n", read, start)
        read = start
        if line in lines:
            yield op


def _encloses(module: Module, op: int) -> bool:
    return is_function(module, op) or module.t.name[op] in MODULE_OPS


def ops_at(
    places: Iterable[Location], locations: dict[Location, list[int]], module: Module
) -> list[int]:
    """The ops at some locations, in the order of the locations, each once.

    Ops that enclose others at the same location (functions, modules) are left out: a location
    shared by a whole function is not specific.
    """
    out: dict[int, None] = {}
    for place in places:
        for op in locations.get(place, ()):
            if not _encloses(module, op):
                out.setdefault(op)
    return list(out)
