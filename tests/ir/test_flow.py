"""The def-use graph."""

from reducer.ir import Module
from reducer.ir.flow import backward_slice, def_use_graph, ops_between

CHAIN = """\
%0 = "t.a"() : () -> i32
%1 = "t.b"(%0) : (i32) -> i32
%2 = "t.c"() : () -> i32
"t.d"(%1, %2) : (i32, i32) -> ()
"""


def test_edges_run_from_producer_to_user() -> None:
    graph = def_use_graph(Module.parse(CHAIN))
    assert sorted(graph.edges) == [(0, 1), (1, 3), (2, 3)]
    assert graph.nodes[1]["name"] == "t.b"


def test_slices() -> None:
    module = Module.parse(CHAIN)
    assert backward_slice(module, [3], 1) == [1, 2, 3]
    assert backward_slice(module, [3], 2) == [0, 1, 2, 3]


def test_what_lies_between() -> None:
    module = Module.parse(CHAIN)
    assert ops_between(module, [0, 3]) == [0, 1, 3]
    assert ops_between(module, [1, 2]) == [1, 2]
