"""Locations of ops, from a print with debug info."""

from oracles import parse_diagnostics
from reducer.ir import Module
from reducer.locate import ops_of_diagnostics, ops_on_lines, read_locations
from tests.support.sides import function

PLAIN = """\
"builtin.module"() ({
  %0 = "t.a"() : () -> i32
  %1 = "t.b"() : () -> i32
  %2 = "t.c"() : () -> i32
  "t.d"() ({
    "t.e"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""

DEBUG = """\
#loc = loc("in.mlir":1:1)
#loc1 = loc("/some/where/in.mlir":2:8)
#loc2 = loc("model.py":7:3)
#loc3 = loc(fused[#loc1, #loc2])
"builtin.module"() ({
  %0 = "t.a"() : () -> i32 loc(#loc1)
  %1 = "t.b"() : () -> i32 loc(callsite(#loc2 at "main.py":9:9))
  %2 = "t.c"() : () -> i32 loc(#loc3)
  "t.d"() ({
    "t.e"() : () -> () loc(unknown)
  }) : () -> () loc("name"(#loc2))
}) : () -> () loc(#loc)
"""


def test_every_way_of_writing_a_location() -> None:
    found = read_locations(DEBUG, Module.parse(PLAIN))
    assert found == {
        ("in.mlir", 1, 1): [0],
        ("in.mlir", 2, 8): [1, 3],
        ("model.py", 7, 3): [2, 3, 4],
        ("main.py", 9, 9): [2],
    }


def test_a_print_of_another_module_says_nothing() -> None:
    other = Module.parse('"t.x"() : () -> ()\n')
    assert read_locations(DEBUG, other) == {}
    assert read_locations("func.func @f()", other) == {}


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


def test_the_errors_that_identify_the_failure_come_before_those_of_others() -> None:
    """The least template of several dispatches identifies it, wherever they were printed."""
    told = (
        "in.mlir:2:5: error: something else failed\n"
        "in.mlir:2:5: error: failed to run translation of source executable\n"
        "in.mlir:3:5: error: failed to frobnicate op\n"
    )
    ops = ops_of_diagnostics(parse_diagnostics(told), LOCATIONS, MODULE)
    assert [MODULE.t.name[op] for op in ops] == ["t.b", "t.a"]


def test_the_error_that_identifies_the_failure_says_which_op_of_its_own_text_fails() -> None:
    line = {
        name: 1 + MODULE.text[:start].count("\n")
        for name, start in zip(MODULE.t.name, MODULE.t.start, strict=True)
    }
    told = (
        f"in.mlir:{line['t.b']}:5: error: failed to frobnicate op\n"
        f"in.mlir:{line['t.a']}:5: error: and so failed this one\n"
    )
    found = ops_on_lines(parse_diagnostics(told), "in.mlir", MODULE)
    assert [MODULE.t.name[op] for op in found] == ["t.b"]
    assert ops_on_lines(parse_diagnostics(told), "other.mlir", MODULE) == []
    whole = "in.mlir:1:1: error: something about the whole module\n"
    found = ops_on_lines(parse_diagnostics(whole + told), "in.mlir", MODULE)
    assert [MODULE.t.name[op] for op in found] == ["t.a", "t.b"]
