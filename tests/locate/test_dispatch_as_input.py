"""Where a failure comes from is found before anything is cut.

What compilers print leads to the dispatch, the pass and the op, and to the IR that these were
given. A print that says nothing about the failure leads nowhere.

This file: a dispatch as a program.
"""

import pytest

from oracles.profiles.iree import DISPATCHES
from reducer.ir import Module
from reducer.locate.dispatch_as_input import dispatch_as_input

FROM, TO = (
    f"!flow.dispatch.tensor<{access}:tensor<?x4xf32>>" for access in ("readonly", "writeonly")
)
PART = (
    "operandSegmentSizes = array<i32: {}, 1, 0, 1, 0>, static_offsets = array<i64: 0, 0>, "
    "static_sizes = array<i64: -9223372036854775808, 4>, static_strides = array<i64: 1, 1>"
)
DISPATCH = f"""
"builtin.module"() ({{
  "hal.executable"() <{{sym_name = "e"}}> ({{
    "hal.executable.variant"() <{{sym_name = "v", target = #hal.executable.target<"a", "b">}}> ({{
      "hal.executable.export"() <{{ordinal = 0 : index, sym_name = "d"}}> ({{
      ^bb0(%arg0: !hal.device):
        "hal.return"(%arg0) : (!hal.device) -> ()
      }}) : () -> ()
      "builtin.module"() ({{
        "func.func"() <{{function_type = () -> (), sym_name = "d"}}> ({{
          %0 = "arith.constant"() <{{value = 32 : i64}}> : () -> i64
          %1 = "arith.constant"() <{{value = 0 : index}}> : () -> index
          %2 = "hal.interface.constant.load"() <{{ordinal = 0 : index}}> : () -> i32
          %3 = "arith.extui"(%2) : (i32) -> i64
          %4 = "arith.shli"(%3, %0) : (i64, i64) -> i64
          %5 = "arith.index_castui"(%4) : (i64) -> index
          %6 = "util.assume.int"(%5) <{{assumptions = [[#util.int.assumption<umax = 7>]]}}> : (index) -> index
          %7 = "flow.dispatch.workload.ordinal"(%6) <{{ordinal = 0 : index}}> : (index) -> index
          %8 = "hal.interface.binding.subspan"(%1, %7) <{{binding = 0 : index}}> : (index, index) -> {FROM}
          %9 = "hal.interface.binding.subspan"(%1, %7) <{{binding = 1 : index}}> : (index, index) -> {TO}
          %10 = "flow.dispatch.tensor.load"(%8, %7, %7) <{{{PART.format(1)}}}> : ({FROM}, index, index) -> tensor<?x4xf32>
          %11 = "tensor.empty"(%7) : (index) -> tensor<?x4xf32>
          %12 = "linalg.generic"(%10, %11) <{{indexing_maps = []}}> ({{
          ^bb0(%arg0: f32, %arg1: f32):
            "linalg.yield"(%arg0) : (f32) -> ()
          }}) : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
          "flow.dispatch.tensor.store"(%12, %9, %7, %7) <{{{PART.format("1, 1")}}}> : (tensor<?x4xf32>, {TO}, index, index) -> ()
          "func.return"() : () -> ()
        }}) : () -> ()
      }}) : () -> ()
    }}) : () -> ()
  }}) : () -> ()
}}) : () -> ()
""".lstrip()  # noqa: E501


def test_tensors_and_sizes_become_arguments_and_results() -> None:
    program, tied = dispatch_as_input(Module.parse(DISPATCH), DISPATCHES)
    body = ["util.assume.int", "tensor.empty", "linalg.generic", "linalg.yield", "func.return"]
    assert program.t.name == ["builtin.module", "func.func", *body]
    assert "function_type = (index, tensor<?x4xf32>) -> tensor<?x4xf32>" in program.text
    assert '"tensor.empty"(%6)' in program.text, "what is known of the size still holds for it"
    assert tied.t.name == [
        "builtin.module",
        "func.func",
        body[0],
        "flow.tensor.tie_shape",
        *body[1:],
    ]
    assert '"flow.tensor.tie_shape"(%s1, %6)' in tied.text
    assert '"linalg.generic"(%10, %11)' in tied.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"linalg.generic"(%10, %11) <{indexing_maps = []}>', '"x.y"(%10, %11) <{of = @other}>'),
        ('"flow.dispatch.tensor.store"(%12,', '"flow.dispatch.tensor.store"(%10,'),
    ],
    ids=["another symbol", "a copy"],
)
def test_what_is_not_computed_in_the_dispatch_alone_is_no_program(old: str, new: str) -> None:
    assert old in DISPATCH
    assert dispatch_as_input(Module.parse(DISPATCH.replace(old, new)), DISPATCHES) == []
