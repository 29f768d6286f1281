"""Vectors mean what MLIR's own tools compute."""

from pathlib import Path

import numpy as np
import pytest

from oracles import Command, Limits
from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.interpreter.reference import EvaluatorReference
from reducer.miscompile.interpreter.values import Array
from reducer.miscompile.mlir_runner.pass_pipeline import TransformedModule
from reducer.miscompile.mlir_runner.reference import FRONT_END, MlirRunner
from reducer.miscompile.mlir_runner.tools import find_tools
from reducer.miscompile.oracle import CompilerConfig
from reducer.miscompile.oracle.execution import ExecutionResult, RunContext
from reducer.miscompile.oracle.program_pool import Question
from tests.support.evaluating import Functions
from tests.support.evaluator import quick_evaluator as quick_evaluator
from tests.support.opt_tools import find_opt

V = "%v: memref<4xi32>"
LOAD = "%x = vector.load %v[%c0] : memref<4xi32>, vector<4xi32>\n"
SQUARE = """
  %a = vector.transfer_read %m[%c0, %c0], %p {in_bounds = [true, true]}
    : memref<3x4xi32>, vector<3x4xi32>
"""
CASES = {
    "reduction": (V, LOAD + "%r = vector.reduction <add>, %x : vector<4xi32> into i32"),
    "unsigned": (V, LOAD + "%r = vector.reduction <maxui>, %x : vector<4xi32> into i32"),
    "product": (V, LOAD + "%r = vector.reduction <mul>, %x, %p : vector<4xi32> into i32"),
    "extract": (V, LOAD + "%r = vector.extract %x[%c1] : i32 from vector<4xi32>"),
    "insert": (
        V,
        LOAD + "%y = vector.insert %p, %x[2] : i32 into vector<4xi32>\n"
        "%r = vector.reduction <xor>, %y : vector<4xi32> into i32",
    ),
    "shuffle": (
        V,
        LOAD + "%y = vector.shuffle %x, %x [3, 6, 0] : vector<4xi32>, vector<4xi32>\n"
        "%r = vector.extract %y[1] : i32 from vector<3xi32>",
    ),
    "out of bounds": (
        V,
        "%x = vector.transfer_read %v[%c1], %p : memref<4xi32>, vector<4xi32>\n"
        "%r = vector.extract %x[3] : i32 from vector<4xi32>",
    ),
    "broadcast and transpose": (
        V,
        LOAD + "%b = vector.broadcast %x : vector<4xi32> to vector<2x4xi32>\n"
        "%t = vector.transpose %b, [1, 0] : vector<2x4xi32> to vector<4x2xi32>\n"
        "%r = vector.extract %t[2, 1] : i32 from vector<4x2xi32>",
    ),
    "multi_reduction": (
        "%m: memref<3x4xi32>",
        SQUARE + "%i = arith.constant dense<1> : vector<4xi32>\n"
        "%s = vector.multi_reduction <add>, %a, %i [0] : vector<3x4xi32> to vector<4xi32>\n"
        "%r = vector.reduction <minsi>, %s : vector<4xi32> into i32",
    ),
    "mask": (
        "%m: memref<3x4xi32>",
        SQUARE + "%i = arith.constant dense<1> : vector<4xi32>\n"
        "%k = vector.create_mask %c1, %c2 : vector<3x4xi1>\n"
        "%s = vector.mask %k { vector.multi_reduction <add>, %a, %i [0] : vector<3x4xi32> to "
        "vector<4xi32> } : vector<3x4xi1> -> vector<4xi32>\n"
        "%r = vector.reduction <add>, %s : vector<4xi32> into i32",
    ),
    "contract": (
        "%m: memref<3x4xi32>",
        SQUARE + "%i = arith.constant dense<1> : vector<3x3xi32>\n"
        "%s = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, "
        "affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = "
        '["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %a, %i '
        ": vector<3x4xi32>, vector<3x4xi32> into vector<3x3xi32>\n"
        "%r = vector.extract %s[1, 2] : i32 from vector<3x3xi32>",
    ),
    "slices": (
        "%m: memref<3x4xi32>",
        SQUARE + "%e = vector.extract_strided_slice %a {offsets = [1, 1], sizes = [2, 2], "
        "strides = [1, 1]} : vector<3x4xi32> to vector<2x2xi32>\n"
        "%s = vector.insert_strided_slice %e, %a {offsets = [0, 2], strides = [1, 1]} "
        ": vector<2x2xi32> into vector<3x4xi32>\n"
        "%t = vector.shape_cast %s : vector<3x4xi32> to vector<12xi32>\n"
        "%r = vector.extract %t[7] : i32 from vector<12xi32>",
    ),
    "transfer of a column": (
        "%m: memref<3x4xi32>",
        "%k = vector.create_mask %c2 : vector<3xi1>\n"
        "%x = vector.transfer_read %m[%c0, %c1], %p, %k {permutation_map = "
        "affine_map<(i, j) -> (i)>} : memref<3x4xi32>, vector<3xi32>\n"
        "vector.transfer_write %x, %m[%c0, %c0] {permutation_map = affine_map<(i, j) -> (j)>} "
        ": vector<3xi32>, memref<3x4xi32>\n"
        "%r = vector.reduction <add>, %x : vector<3xi32> into i32",
    ),
    "outer product": (
        V,
        LOAD + "%o = vector.outerproduct %x, %x : vector<4xi32>, vector<4xi32>\n"
        "%r = vector.extract %o[3, 1] : i32 from vector<4x4xi32>",
    ),
    "smaller bits": (
        V,
        LOAD + "%b = vector.bitcast %x : vector<4xi32> to vector<16xi8>\n"
        "%w = vector.bitcast %b : vector<16xi8> to vector<8xi16>\n"
        "%y = arith.extsi %w : vector<8xi16> to vector<8xi32>\n"
        "%n = vector.extract %y[2] : i32 from vector<8xi32>\n"
        "%m = vector.extract %y[3] : i32 from vector<8xi32>\n"
        "%k = arith.muli %m, %p : i32\n"
        "%r = arith.addi %k, %n : i32",
    ),
    "single bits": (
        V,
        LOAD + "%b = vector.bitcast %x : vector<4xi32> to vector<128xi1>\n"
        "%n = vector.extract %b[33] : i1 from vector<128xi1>\n"
        "%m = vector.extract %b[35] : i1 from vector<128xi1>\n"
        "%k = arith.extui %m : i1 to i32\n"
        "%r = arith.select %n, %p, %k : i32",
    ),
    "bits of floats": (
        V,
        LOAD + "%z = arith.constant dense<[[-0.0], [1.5]]> : vector<2x1xf32>\n"
        "%b = vector.bitcast %z : vector<2x1xf32> to vector<2x2xi16>\n"
        "%w = vector.bitcast %b : vector<2x2xi16> to vector<2x1xi32>\n"
        "%y = vector.shape_cast %w : vector<2x1xi32> to vector<2xi32>\n"
        "%r = vector.reduction <xor>, %y : vector<2xi32> into i32",
    ),
    "masked load": (
        V,
        LOAD + "%k = vector.constant_mask [2] : vector<4xi1>\n"
        "%y = vector.maskedload %v[%c2], %k, %x : memref<4xi32>, vector<4xi1>, vector<4xi32> "
        "into vector<4xi32>\n"
        "vector.maskedstore %v[%c2], %k, %x : memref<4xi32>, vector<4xi1>, vector<4xi32>\n"
        "%r = vector.reduction <add>, %y : vector<4xi32> into i32",
    ),
}


def program(arguments: str, ops: str) -> str:
    return f"""
func.func @f({arguments}) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = arith.constant -3 : i32
  {ops}
  return %r : i32
}}
"""


MASKED_READ = """
  "func.func"() ({
  ^bb0(%t: tensor<3xi32>, %a: vector<4xi1>, %b: vector<4xi1>):
    %c = "arith.constant"() {value = 0 : index} : () -> index
    %p = "arith.constant"() {value = 9 : i32} : () -> i32
    %0 = "vector.mask"(%a) ({
      %1 = "vector.transfer_read"(%t, %c, %p, %b) <{in_bounds = [PROMISED], \
operandSegmentSizes = array<i32: 1, 1, 1, 1>, permutation_map = affine_map<(d0) -> (d0)>}> \
: (tensor<3xi32>, index, i32, vector<4xi1>) -> vector<4xi32>
      "vector.yield"(%1) : (vector<4xi32>) -> ()
    }) : (vector<4xi1>) -> vector<4xi32>
    "func.return"(%0) : (vector<4xi32>) -> ()
  }) {sym_name = "f"} : () -> ()
"""


@pytest.mark.parametrize("promised", ["true", "false"])
def test_a_mask_in_a_mask_takes_what_both_do(promised: str) -> None:
    """MLIR's own lowering drops one: https://github.com/llvm/llvm-project/issues/225244."""
    functions = Functions(MASKED_READ.replace("PROMISED", promised))
    masks = np.array([1, 1, 0, 0], np.bool_), np.array([0, 1, 1, 0], np.bool_)
    data = np.array([5, 6, 7], np.int32)
    assert [one.tolist() for one in functions.all("f", data, *masks)] == [[9, 6, 9, 9]]


def test_what_is_promised_of_each_dimension_must_hold() -> None:
    text = """
      "func.func"() ({
      ^bb0(%t: tensor<3x2xi32>):
        %c = "arith.constant"() {value = 0 : index} : () -> index
        %p = "arith.constant"() {value = 9 : i32} : () -> i32
        %1 = "vector.transfer_read"(%t, %c, %c, %p) <{in_bounds = [PROMISED], \
operandSegmentSizes = array<i32: 1, 2, 1, 0>, permutation_map = affine_map<(d0, d1) -> (d1, d0)>}> \
: (tensor<3x2xi32>, index, index, i32) -> vector<2x4xi32>
        "func.return"(%1) : (vector<2x4xi32>) -> ()
      }) {sym_name = "f"} : () -> ()
    """
    data = np.arange(6, dtype=np.int32).reshape(3, 2)
    (found,) = Functions(text.replace("PROMISED", "true, false")).all("f", data)
    assert found.tolist() == [[0, 2, 4, 9], [1, 3, 5, 9]]
    with pytest.raises(UndefinedBehavior):
        Functions(text.replace("PROMISED", "false, true")).all("f", data)


def test_a_reduction_along_no_dimension_may_leave_out_the_initial_value() -> None:
    """https://github.com/llvm/llvm-project/issues/129415: its fold and its lowering differ."""
    functions = Functions("""
      "func.func"() ({
      ^bb0(%a: vector<2x1xi32>, %b: vector<2x1xi32>):
        %0 = "vector.multi_reduction"(%a, %b) <{kind = #vector.kind<add>, \
reduction_dims = array<i64>}> : (vector<2x1xi32>, vector<2x1xi32>) -> vector<2x1xi32>
        "func.return"(%0) : (vector<2x1xi32>) -> ()
      }) {sym_name = "f"} : () -> ()
    """)
    (found,) = functions.arrays("f", *(np.array([[n], [3]], np.int32) for n in (5, 0)))
    assert found.mask().tolist() == [[False], [True]]


def test_bits_of_what_is_undefined_are_undefined() -> None:
    functions = Functions("""
      "func.func"() ({
      ^bb0(%a: vector<2xf16>, %b: vector<4xi8>):
        %0 = "vector.bitcast"(%a) : (vector<2xf16>) -> vector<1xi32>
        %1 = "vector.bitcast"(%a) : (vector<2xf16>) -> vector<4xi8>
        %2 = "vector.bitcast"(%b) : (vector<4xi8>) -> vector<2xf16>
        "func.return"(%0, %1, %2) : (vector<1xi32>, vector<4xi8>, vector<2xf16>) -> ()
      }) {sym_name = "f"} : () -> ()
    """)
    some = Array(np.zeros(4, np.int8), np.array([False, False, False, True]))
    found = functions.arrays("f", np.array([np.nan, 1], np.float16), some)
    assert [list(one.mask()) for one in found] == [
        [True], [True, True, False, False], [False, True]
    ]  # fmt: skip
    assert list(found[1].data[2:]) == [0, 0x3C]


@pytest.mark.parametrize("name", CASES)
def test_it_computes_what_the_runner_does(name: str, tmp_path: Path) -> None:
    opt, tools = find_opt(), find_tools()
    assert tools is not None
    text = program(*CASES[name])
    (function,) = TransformedModule(tmp_path, MlirRunner(tools, opt), opt).functions(text)
    context = RunContext(Limits(60))
    tool = CompilerConfig("the tool", Command((opt.name, "{}")), opt, opt)
    shape = "3x4xi32" if "3x4" in CASES[name][0] else "4xi32"
    inputs = [f"{shape}={'5 -7 11 2 3 -1 8 6 4 9 -2 1' if '3x4' in shape else '5 -7 11 2'}"]

    def asked(side: EvaluatorReference | MlirRunner) -> ExecutionResult:
        program = side.build(text, tmp_path, context)
        assert program is not None, context.reasons
        return program.call(function, inputs, context, garbage=85)

    meant, run = asked(EvaluatorReference(tool, FRONT_END)), asked(MlirRunner(tools, opt))
    assert not (meant.unsupported or meant.undefined or meant.failure), meant
    assert not run.failure, (run, context.reasons)
    assert not Question(text, function, inputs).differences(meant, run), (meant, run)
