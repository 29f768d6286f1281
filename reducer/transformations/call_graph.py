"""Calls within a module: any op that names a function as its `callee`.

An op may pass its last operands to a function without being a call, as a kernel on a device is
launched. Which ops do so is read from their shape: they refer to a function without results, and
their last operands have the types of its arguments.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TypeVar

from reducer.ir import NONE, Module
from reducer.ir.functions import container_of, signature, takes_arguments
from reducer.ir.lexer import symbol, symbols
from reducer.transformations.body_ops import BodyOps

U = TypeVar("U")


def calls(module: Module) -> Iterator[tuple[int, int]]:
    """Pairs of a call and its function, if their operand and result types match."""
    body = BodyOps.of(module)
    functions = set(body.functions)
    for op in range(len(module)):
        if "callee = @" not in module.header(op) or op in module.t.regions:
            continue
        name = _callee(module, op)
        function = body.definition(name, op) if name is not None else NONE
        if function in functions and _fits(module, op, function):
            yield op, function


def calls_of(module: Module, function: int) -> list[int] | None:
    """All calls of a function; None if there are none, or if it is also referenced otherwise."""
    return module.derived(_known_calls).get(function)


def passing_to(module: Module, function: int) -> list[tuple[int, int]] | None:
    """The ops that pass a function its arguments, each with the number of the first operand passed.

    None if there are none, or if the function is also referenced otherwise.
    """
    return module.derived(_all_passing).get(function)


def mentions(module: Module, function: int) -> int:
    """The number of references to a function's symbol in the module's text."""
    name = module.symbol_name(function)
    return 0 if name is None else module.derived(_mentions)[name]


def _known_calls(module: Module) -> dict[int, list[int]]:
    """Maps each function that is only referenced by calls to those calls."""
    found: dict[int, list[int]] = {}
    for call, function in calls(module):
        found.setdefault(function, []).append(call)
    return _known(module, found)


def _all_passing(module: Module) -> dict[int, list[tuple[int, int]]]:
    """Maps each function that is only called, or only launched, to the ops that do so."""
    launches: dict[int, list[tuple[int, int]]] = {}
    for launch, function, first in _launches(module):
        launches.setdefault(function, []).append((launch, first))
    called = {f: [(op, 0) for op in ops] for f, ops in module.derived(_known_calls).items()}
    return {**_known(module, launches), **called}


def _known(module: Module, users: dict[int, list[U]]) -> dict[int, list[U]]:
    """The functions to which nothing but these ops refers, with the ops."""
    return {f: ops for f, ops in users.items() if mentions(module, f) == len(ops)}


def _launches(module: Module) -> Iterator[tuple[int, int, int]]:
    """An op, the function to which it passes its last operands, and the number of the first."""
    body = BodyOps.of(module)
    functions = {module.symbol_name(function) for function in body.functions}
    for op in range(len(module)):
        header = module.header(op)
        if "@" not in header or op in module.t.regions or functions.isdisjoint(symbols(header)):
            continue
        for entry in module.syntax(op).entries:
            named = symbols(entry.value) if entry.value.startswith("@") else []
            function = body.definition(named[-1], op) if named else NONE
            if function in body.ops_in and takes_arguments(module, function):
                first = _first_passed(module, op, function)
                if first is not None:
                    yield op, function, first


def _first_passed(module: Module, op: int, function: int) -> int | None:
    """The number of the first of an op's last operands, if they fit a function without results."""
    found, operands = signature(module, function), module.syntax(op).operand_types
    if found is None or found[1] or container_of(module, op) == function:
        return None
    first = len(operands) - len(found[0])
    return first if first >= 0 and operands[first:] == found[0] else None


def _mentions(module: Module) -> Counter[str]:
    """The number of references to each symbol."""
    return Counter(symbols(module.text))


def _callee(module: Module, op: int) -> str | None:
    entry = module.syntax(op).entry("callee")
    return symbol(entry.value) if entry else None


def _fits(module: Module, call: int, function: int) -> bool:
    if not takes_arguments(module, function) or container_of(module, call) == function:
        return False
    syntax = module.syntax(call)
    return signature(module, function) == (syntax.operand_types, syntax.result_types)
