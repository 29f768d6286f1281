"""Sizes for given arguments, and inconsistencies among them."""

import pytest

from reducer.ir import Module
from reducer.ir.functions import is_function
from reducer.miscompile.oracle.size_audit import Argument, KnownSizes

ADD = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?xf32>, tensor<?xf32>, index) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<?xf32>, %arg1: tensor<?xf32>, %arg2: index):
    %0 = "arith.constant"() <{value = 2 : index}> : () -> index
    %1 = "arith.muli"(%arg2, %0) : (index, index) -> index
    %2 = "tensor.empty"(%1) : (index) -> tensor<?xf32>
    %3 = "linalg.generic"(%arg0, %arg1, %2) <{indexing_maps = [affine_map<(d0) -> (d0)>, \
affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%in: f32, %other: f32, %out: f32):
      "linalg.yield"(%in) : (f32) -> ()
    }) : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""

SLICE = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x8xf32>, index, index) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<?x8xf32>, %arg1: index, %arg2: index):
    %0 = "tensor.extract_slice"(%arg0, %arg1, %arg2) <{operandSegmentSizes = \
array<i32: 1, 1, 1, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = \
array<i64: -9223372036854775808, 1>, static_strides = array<i64: 1, 1>}> : \
(tensor<?x8xf32>, index, index) -> tensor<?xf32>
    %1 = "tensor.insert_slice"(%0, %arg0, %arg2) <{operandSegmentSizes = \
array<i32: 1, 1, 0, 1, 0>, static_offsets = array<i64: 0, 0>, static_sizes = \
array<i64: -9223372036854775808, 2>, static_strides = array<i64: 1, 1>}> : \
(tensor<?xf32>, tensor<?x8xf32>, index) -> tensor<?x8xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""

DISPATCH = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?xf32>, index, index) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<?xf32>, %arg1: index, %arg2: index):
    %0 = "flow.dispatch.workgroups"(%arg1, %arg0, %arg2, %arg1, %arg1) <{operandSegmentSizes = \
array<i32: 1, 2, 1, 1>}> ({
    ^bb0(%in: !flow.dispatch.tensor<readonly:tensor<2x?xf32>>, %n: index, \
%out: !flow.dispatch.tensor<writeonly:tensor<?xf32>>):
      %1 = "flow.dispatch.tie_shape"(%in, %n) : \
(!flow.dispatch.tensor<readonly:tensor<2x?xf32>>, index) -> \
!flow.dispatch.tensor<readonly:tensor<2x?xf32>>
      "flow.return"() : () -> ()
    }) : (index, tensor<?xf32>, index, index, index) -> tensor<?xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""

REGROUP = """\
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x3xf32>, index) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<?x3xf32>, %arg1: index):
    %0 = "tensor.collapse_shape"(%arg0) <{reassociation = [[0, 1]]}> : (tensor<?x3xf32>) -> \
tensor<?xf32>
    %1 = "tensor.expand_shape"(%0, %arg1) <{reassociation = [[0, 1]], static_output_shape = \
array<i64: 2, -9223372036854775808>}> : (tensor<?xf32>, index) -> tensor<2x?xf32>
    %2 = "tensor.cast"(%1) : (tensor<2x?xf32>) -> tensor<2x6xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""


def sizes(text: str, *arguments: Argument) -> KnownSizes:
    module = Module.parse(text)
    function = next(op for op in range(len(module)) if is_function(module, op))
    return KnownSizes(module, function, arguments)


def test_a_size_follows_from_arithmetic() -> None:
    known = sizes(ADD, (10,), (10,), 5)
    module = known.module
    (empty,) = (op for op in range(len(module)) if module.t.name[op] == "tensor.empty")
    assert known.dims(module.results(empty)[0]) == (10,)
    assert known.disagreement == ""


@pytest.mark.parametrize(
    ("text", "arguments", "told"),
    [
        (ADD, [(10,), (10,), 5], ""),
        (ADD, [(10,), (9,), 5], "linalg.generic has sizes of 10 and 9 that must be equal"),
        (ADD, [(5,), (5,), 5], "linalg.generic has sizes of 5 and 10 that must be equal"),
        (ADD, [(10,), None, 5], ""),
        (ADD, [(10,), (10,), None], ""),
        (SLICE, [(4, 8), 1, 3], "tensor.insert_slice has sizes of 3 and 6 that must be equal"),
        (SLICE, [(4, 8), 2, 3], "tensor.extract_slice accesses index 4 of 4"),
        (DISPATCH, [(6,), 6, 3], ""),
        (
            DISPATCH,
            [(6,), 6, 6],
            "flow.dispatch.tie_shape has sizes of 6 and 12 that must be equal",
        ),
        (
            DISPATCH,
            [(6,), 3, 3],
            "flow.dispatch.workgroups has sizes of 6 and 3 that must be equal",
        ),
        (REGROUP, [(4, 3), 6], ""),
        (REGROUP, [(4, 3), 5], "tensor.expand_shape has sizes of 12 and 10 that must be equal"),
        (REGROUP, [(2, 3), 3], "tensor.cast has sizes of 6 and 3 that must be equal"),
    ],
)
def test_sizes_that_must_be_equal(text: str, arguments: list[Argument], told: str) -> None:
    assert sizes(text, *arguments).disagreement == told
