"""Data flow between ops: through regions, branches and calls, and as a def-use graph."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from reducer.ir.functions import entry_block, is_function, terminator_of
from reducer.ir.module import NONE, Module

if TYPE_CHECKING:
    import networkx as nx


def shared_by_regions(module: Module, op: int) -> list[int]:
    """The values that an op and its regions exchange, as loops and branches do.

    These are the op's operands and results, the arguments of its blocks, and the operands of the
    blocks' terminators. For a function, the latter are the operands of its branches and return.
    """
    out = [v for v in module.t.operands[op] if v != NONE]
    out.extend(module.results(op))
    for block in module.blocks_of(op):
        out.extend(module.block_args(block))
        if module.t.block_ops[block]:
            out.extend(v for v in module.t.operands[module.t.block_ops[block][-1]] if v != NONE)
    return out


def passed_by_calls(module: Module) -> Iterator[tuple[int, int]]:
    """Pairs of values that a call equates: operand and argument, result and returned value."""
    functions = {module.symbol_name(op): op for op in range(len(module)) if is_function(module, op)}
    for op in range(len(module)):
        callee = module.syntax(op).property("callee") if op not in module.t.regions else None
        function = functions.get(callee.value.strip('@"')) if callee else None
        if function is None:
            continue
        block, terminator = entry_block(module, function), terminator_of(module, function)
        operands = [v for v in module.t.operands[op] if v != NONE]
        if block is not None:
            yield from zip(operands, module.block_args(block), strict=False)
        if terminator is not None and NONE not in module.t.operands[terminator]:
            yield from zip(module.results(op), module.t.operands[terminator], strict=False)


def def_use_graph(module: Module) -> "nx.DiGraph[int]":
    """The def-use graph: a node per op (attribute `name`), and edges from producers to users."""
    import networkx as nx  # imported lazily: it would add a fifth to the program's start-up time

    graph: nx.DiGraph[int] = nx.DiGraph()
    t = module.t
    graph.add_nodes_from((op, {"name": name}) for op, name in enumerate(t.name))
    def_op = t.def_op
    graph.add_edges_from(
        (def_op[value], op)
        for op, operands in enumerate(t.operands)
        for value in operands
        if value != NONE and def_op[value] != NONE
    )
    return graph


def distances(module: Module, ops: Iterable[int]) -> dict[int, int]:
    """How many definitions and uses lead from the nearest of some ops to each op it reaches."""
    import networkx as nx

    around = def_use_graph(module).to_undirected(as_view=True)
    found = nx.multi_source_dijkstra_path_length(around, set(ops))
    return {op: int(steps) for op, steps in found.items()}


def backward_slice(module: Module, ops: list[int], depth: int) -> list[int]:
    """The ops and their transitive producers up to `depth` steps away, in text order."""
    level = set(ops)
    reached = set(ops)
    for _ in range(depth):
        level = {
            producer
            for op in level
            for value in module.captured(op)
            if (producer := module.t.def_op[value]) != NONE
        } - reached
        if not level:
            break
        reached |= level
    return sorted(reached)


def ops_between(module: Module, ops: Iterable[int]) -> list[int]:
    """The ops and all those on def-use paths from one of them to another, in text order."""
    ends = set(ops)
    fed = set(ends)
    for op in backward_slice(module, sorted(ends), len(module)):
        if any(module.t.def_op[value] in fed for value in module.captured(op)):
            fed.add(op)
    return sorted(fed)
