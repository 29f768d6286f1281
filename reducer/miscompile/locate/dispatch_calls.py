"""The calls of dispatches in a program, and the functions that they call."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from oracles.profiles import DispatchCalls
from reducer.ir import NONE, Module
from reducer.ir.functions import is_function
from reducer.ir.lexer import symbols
from reducer.ir.retype import operand_segments
from reducer.ir.shapes import parse_shaped
from reducer.ir.syntax import split_array
from reducer.locate.locations import Location, locations_in


@dataclass(frozen=True)
class Operand:
    """A value that a dispatch reads or makes: its name, its type, and the names of its sizes."""

    name: str
    type: str
    sizes: tuple[str, ...] = ()

    @property
    def is_tensor(self) -> bool:
        return self.type.startswith("tensor<")


@dataclass(frozen=True)
class DispatchCall:
    """One call of a dispatch.

    Attributes:
        op: the op that calls it.
        block: the block with this op.
        dispatch: the name of the function that it calls.
        arguments, results: what it reads and makes.
        tied: for each result, the argument that it overwrites, or NONE.
        places: the locations of the ops of the input that it was made of.
    """

    op: int
    block: int
    dispatch: str
    arguments: tuple[Operand, ...]
    results: tuple[Operand, ...]
    tied: tuple[int, ...]
    places: tuple[Location, ...]


def dispatch_functions(module: Module) -> dict[str, int]:
    """The functions of a module by name, wherever they are."""
    found = (op for op in module.t.regions if is_function(module, op))
    return {module.symbol_name(op) or "": op for op in found}


def read_calls(module: Module, ir: DispatchCalls, formed: Module | None) -> list[DispatchCall]:
    """All calls of dispatches, in text order.

    Args:
        formed: the program in which the ops of each dispatch are still where it is called. Without
            it, or if it has other dispatches, a dispatch that is called several times has the
            locations of its first call.
    """
    ops = [op for op, name in enumerate(module.t.name) if name == ir.call]
    functions = dispatch_functions(module)
    regions = _regions(formed, ir.region) if formed is not None else []
    regions = regions if len(regions) == len(ops) else []
    calls = []
    for number, op in enumerate(ops):
        dispatch = _callee(module, op, ir)
        places = dict.fromkeys(locations_in(module.own_text(op)))
        if regions and formed is not None:
            places |= dict.fromkeys(_places(formed, regions[number]))
        elif dispatch in functions:
            places |= dict.fromkeys(_places(module, functions[dispatch]))
        calls.append(_call(module, op, ir, dispatch, tuple(places)))
    return calls


def _regions(formed: Module, names: frozenset[str]) -> list[int]:
    return [op for op, name in enumerate(formed.t.name) if name in names]


def _places(module: Module, op: int) -> Iterator[Location]:
    """The locations of the ops inside an op."""
    for inner in module.subtree(op)[1:]:
        yield from locations_in(module.own_text(inner))


def _callee(module: Module, op: int, ir: DispatchCalls) -> str:
    entry = module.syntax(op).entry(ir.callee)
    names = symbols(entry.value) if entry else []
    return list(names)[-1] if names else ""


def _call(
    module: Module, op: int, ir: DispatchCalls, dispatch: str, places: tuple[Location, ...]
) -> DispatchCall:
    operands = ["" if value == NONE else module.tokens[value] for value in module.t.operands[op]]
    workload, count, sizes, _ = operand_segments(module, op)
    values = operands[workload : workload + count]
    types = module.syntax(op).operand_types[workload : workload + count]
    at = workload + count
    arguments = _with_sizes(values, types, operands[at : at + sizes])
    names = [module.tokens[value] for value in module.results(op)]
    kinds = [module.type_of(value) for value in module.results(op)]
    results = _with_sizes(names, kinds, operands[at + sizes :])
    return DispatchCall(
        op, module.t.block[op], dispatch, arguments, results, _tied(module, op, ir), places
    )


def _with_sizes(
    names: Sequence[str], types: Sequence[str], sizes: Sequence[str]
) -> tuple[Operand, ...]:
    """Each value with its share of a list of sizes: one for each dynamic dimension."""
    left, sized = list(sizes), []
    for name, type_ in zip(names, types, strict=True):
        shaped = parse_shaped(type_)
        count = shaped.dims.count(None) if shaped else 0
        sized.append(Operand(name, type_, tuple(left[:count])))
        left = left[count:]
    return tuple(sized)


def _tied(module: Module, op: int, ir: DispatchCalls) -> tuple[int, ...]:
    entry = module.syntax(op).entry(ir.tied)
    words = split_array(entry.value) if entry else None
    numbers = [int(word.partition(":")[0]) for word in words or ()]
    count = len(module.results(op))
    return tuple(numbers) if len(numbers) == count else (NONE,) * count
