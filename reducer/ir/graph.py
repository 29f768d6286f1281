"""The def-use graph as networkx sees it, for algorithms off the hot path."""

import networkx as nx

from reducer.ir.module import NONE, Module


def def_use_graph(module: Module) -> "nx.DiGraph[int]":
    """One node per op (attribute `name`), one edge from each producer to each of its users."""
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


def backward_slice(module: Module, ops: list[int], depth: int) -> list[int]:
    """The ops and the producers they need within `depth` steps, in text order."""
    level = set(ops)
    found = set(ops)
    for _ in range(depth):
        level = {
            producer
            for op in level
            for value in module.captured(op)
            if (producer := module.t.def_op[value]) != NONE
        } - found
        if not level:
            break
        found |= level
    return sorted(found)
