"""Functions of any dialect are carved: their types differ, their shape does not."""

import pytest

from reducer.ir import Module
from reducer.ir.functions import is_function, may_end_block
from reducer.transformations.body_ops import BodyOps
from reducer.transformations.boundary_types import BoundaryTypes
from reducer.transformations.carve import carve

# Of unregistered dialects, as MLIR's own mlir-opt prints them: a module with ports, in which ops
# are used before they are defined, and one without a terminator.
HARDWARE = """\
"builtin.module"() ({
  "hw.module"() ({
  ^bb0(%arg0: i4, %arg1: i4):
    %0 = "comb.add"(%arg0, %1) : (i4, i4) -> i4
    %1 = "comb.mul"(%arg1, %arg1) : (i4, i4) -> i4
    %2 = "comb.xor"(%0, %arg1) : (i4, i4) -> i4
    "hw.output"(%2) : (i4) -> ()
  }) {module_type = !hw.modty<input a : i4, input b : i4, output c : i4>, sym_name = "m"} : () -> ()
  "firrtl.module"() ({
    %0 = "firrtl.wire"() : () -> i1
    %1 = "firrtl.wire"() : () -> i1
    "firrtl.connect"(%0, %1) : (i1, i1) -> ()
    "firrtl.connect"(%1, %0) : (i1, i1) -> ()
  }) {sym_name = "n"} : () -> ()
}) : () -> ()
"""
LLVM = """\
"builtin.module"() ({
  "llvm.func"() <{function_type = !llvm.func<i32 (i32, ptr)>, sym_name = "f"}> ({
  ^bb0(%arg0: i32, %arg1: !llvm.ptr):
    %0 = "llvm.load"(%arg1) : (!llvm.ptr) -> i32
    %1 = "llvm.add"(%0, %arg0) : (i32, i32) -> i32
    %2 = "llvm.mul"(%1, %1) : (i32, i32) -> i32
    "llvm.return"(%2) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""


def carved(text: str, *kept: str) -> str:
    module = Module.parse(text)
    body = BodyOps.of(module)
    keep = [op for op in body.ops if module.t.name[op] in kept]
    return carve(body, keep, BoundaryTypes.of(module))


def test_a_symbol_with_a_body_is_a_function() -> None:
    module = Module.parse(HARDWARE)
    found = [module.t.name[op] for op in module.t.regions if is_function(module, op)]
    assert found == ["hw.module", "firrtl.module"]
    assert len(BodyOps.of(module).ops) == 7  # no op of firrtl.module is a terminator


@pytest.mark.parametrize(("name", "ends"), [("hw.output", True), ("firrtl.connect", False)])
def test_what_is_in_the_middle_of_a_block_is_no_terminator(name: str, ends: bool) -> None:
    module = Module.parse(HARDWARE)
    found = [op for op in range(len(module)) if module.t.name[op] == name]
    assert all(may_end_block(module, op) is ends for op in found)


def test_ports_follow_arguments_and_results() -> None:
    assert carved(HARDWARE, "comb.add", "comb.mul") == (
        '"builtin.module"() ({\n  "hw.module"() ({\n'
        "  ^bb0(%arg0: i4, %arg1: i4):\n"
        '    %0 = "comb.add"(%arg0, %1) : (i4, i4) -> i4\n'
        '    %1 = "comb.mul"(%arg1, %arg1) : (i4, i4) -> i4\n'
        '    "hw.output"(%0) : (i4) -> ()\n'
        "  }) {module_type = !hw.modty<input a : i4, input b : i4, output c : i4>, "
        'sym_name = "m"} : () -> ()\n}) : () -> ()\n'
    )
    alone = carved(HARDWARE, "comb.xor", "comb.mul")
    assert "!hw.modty<input a : i4, input b : i4, output c : i4, output out0 : i4>" in alone
    assert '"hw.output"(%2, %1) : (i4, i4) -> ()' in alone
    assert "^bb0(%arg1: i4, %s0: i4):" in alone


def test_a_function_as_in_c_has_one_result_or_none() -> None:
    assert carved(LLVM, "llvm.add") == (
        '"builtin.module"() ({\n'
        '  "llvm.func"() <{function_type = !llvm.func<i32 (i32, i32)>, sym_name = "f"}> ({\n'
        "  ^bb0(%arg0: i32, %s0: i32):\n"
        '    %1 = "llvm.add"(%s0, %arg0) : (i32, i32) -> i32\n'
        '    "llvm.return"(%1) : (i32) -> ()\n'
        "  }) : () -> ()\n}) : () -> ()\n"
    )
    two = carved(LLVM, "llvm.load", "llvm.mul")
    assert "!llvm.func<i32 (!llvm.ptr, i32)>" in two
    assert '"llvm.return"(%2) : (i32) -> ()' in two
