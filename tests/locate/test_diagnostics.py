"""From what a compiler printed to ops."""

from oracles import parse_diagnostics
from reducer.ir import Module
from reducer.locate import ops_of_diagnostics
from tests.support.sides import function

MODULE = Module.parse(
    function(
        """
        %0 = "t.a"() : () -> i32
        %1 = "t.b"() : () -> i32
        "func.return"() : () -> ()
        """
    )
)
LOCATIONS = {("in.mlir", 1, 1): [1], ("in.mlir", 3, 5): [3], ("in.mlir", 2, 5): [2]}

STDERR = """\
in.mlir:9:9: warning: something else
in.mlir:3:5: error: failed to frobnicate op
in.mlir:1:1: note: called from
in.mlir:2:5: error: failed to run translation
in.mlir:3:5: error: failed to run translation
"""


def test_the_first_error_comes_first_and_functions_do_not_count() -> None:
    ops = ops_of_diagnostics(parse_diagnostics(STDERR), LOCATIONS, MODULE)
    assert [MODULE.t.name[op] for op in ops] == ["t.b", "t.a"]
    whole = "in.mlir:1:1: error: something about the whole function\n"
    assert ops_of_diagnostics(parse_diagnostics(whole), LOCATIONS, MODULE) == []
