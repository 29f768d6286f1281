"""What is tied to arguments and results of functions: operands and results of their calls."""

from collections.abc import Iterator

from reducer.ir import Module
from reducer.ir.functions import (
    entry_block,
    leaving_ops,
    may_end_block,
    signature,
    takes_arguments,
)
from reducer.transformations.base import Site
from reducer.transformations.body_ops import BodyOps, is_referred_to
from reducer.transformations.call_graph import calls_of, passing_to
from reducer.transformations.ties import Tie, arguments, operands, results


def function_arguments(module: Module) -> list[Tie]:
    """The arguments of functions, with the operands that calls and launches pass."""
    ties: list[Tie] = []
    free = set(functions_without_calls(module))
    for function in BodyOps.of(module).functions:
        passing, block = passing_to(module, function), entry_block(module, function)
        if block is None or not (passing or function in free):
            continue
        taken = arguments(module, block)
        given = (operands(module, op)[first : first + len(taken)] for op, first in passing or ())
        rows = zip(taken, *given, strict=True)
        ties.extend(Tie(Site(function, number), row) for number, row in enumerate(rows))
    return ties


def repeated_arguments(module: Module) -> list[Tie]:
    """The used arguments with another one before, of the same type, that takes their place."""
    first: dict[tuple[int, str], int] = {}
    ties: list[Tie] = []
    for tie in module.derived(function_arguments):
        (value,) = tie.values(module)
        if module.uses[value]:
            kept = first.setdefault((tie.site.op, module.type_of(value)), value)
            if kept != value:
                ties.append(Tie(tie.site, tie.positions, {value: [kept]}))
    return ties


def function_results(module: Module) -> list[Tie]:
    """The results of functions, at each return and call. The ops that compute them stay."""
    ties: list[Tie] = []
    for function in BodyOps.of(module).functions:
        calls = calls_of(module, function) or ()
        if takes_arguments(module, function) and (calls or not is_referred_to(module, function)):
            columns = [operands(module, op) for op in _returns_of(module, function)]
            columns += [results(module, call) for call in calls if columns]
            rows = zip(*columns, strict=True)
            ties.extend(Tie(Site(function, number), row) for number, row in enumerate(rows))
    return ties


def _returns_of(module: Module, function: int) -> list[int]:
    """The ops that return the results of a function; one in each block that ends with a return."""
    types = signature(module, function)
    if types is None:
        return []
    leaving = leaving_ops(module, module.t.regions[function][0])
    return [
        op
        for op in leaving
        if len(module.t.operands[op]) == len(types[1]) and may_end_block(module, op)
    ]


def functions_without_calls(module: Module) -> Iterator[int]:
    """Functions that no other function refers to; exports do not depend on the arguments."""
    body = BodyOps.of(module)
    functions = set(body.functions)
    for function in body.functions:
        users = body.users_of(function)
        if takes_arguments(module, function) and functions.isdisjoint(users):
            yield function


def uncalled_functions(module: Module) -> Iterator[int]:
    """Functions whose signature may change, because nothing refers to them."""
    body = BodyOps.of(module)
    for function in body.functions:
        if takes_arguments(module, function) and not is_referred_to(module, function):
            yield function
