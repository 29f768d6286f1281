"""Calls within a module: any op that names a function as its `callee`."""

from collections import Counter
from collections.abc import Iterator

from reducer.ir import NONE, Module
from reducer.ir.functions import container_of, signature, takes_arguments
from reducer.ir.lexer import symbol, symbols
from reducer.transformations.body_ops import BodyOps


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


def mentions(module: Module, function: int) -> int:
    """The number of references to a function's symbol in the module's text."""
    name = module.symbol_name(function)
    return 0 if name is None else module.derived(_mentions)[name]


def _known_calls(module: Module) -> dict[int, list[int]]:
    """Maps each function that is only referenced by calls to those calls."""
    found: dict[int, list[int]] = {}
    for call, function in calls(module):
        found.setdefault(function, []).append(call)
    return {f: ops for f, ops in found.items() if mentions(module, f) == len(ops)}


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
