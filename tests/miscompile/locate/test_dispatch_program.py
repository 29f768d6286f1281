"""A wrong result is traced to the dispatch, the phase or the pass that makes it wrong.

What is named computes something else than its own IR says, on the values that it gets in the
failing call. Where that cannot be told, nothing is named.

This file: a dispatch as an ordinary function.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Limits, run_process
from oracles.profiles.iree import DISPATCH_CALLS
from reducer.conversions import OptPrinter
from reducer.ir import Module
from reducer.miscompile.locate.dispatch_calls import dispatch_functions, read_calls
from reducer.miscompile.locate.dispatch_program import in_module, tensor_function
from reducer.toolchain import Toolchain
from tests.support.corpus import Case

PARTS = """
"builtin.module"() ({
  "func.func"() <{function_type = (), sym_name = "d"}> ({
  ^bb0(%arg0: !flow.dispatch.tensor<readonly:tensor<4x?xf32>>, %arg1: index, \
%arg2: !flow.dispatch.tensor<writeonly:tensor<4x?xf32>>):
    %0 = "flow.dispatch.workload.ordinal"(%arg1) <{ordinal = 0 : index}> : (index) -> index
    %1 = "flow.dispatch.tie_shape"(%arg0, %0) : (!flow.dispatch.tensor<readonly:tensor<4x?xf32>>, \
index) -> !flow.dispatch.tensor<readonly:tensor<4x?xf32>>
    %2 = "flow.dispatch.tie_shape"(%arg2, %0) : (!flow.dispatch.tensor<writeonly:tensor<4x?xf32>>, \
index) -> !flow.dispatch.tensor<writeonly:tensor<4x?xf32>>
    %3 = "flow.dispatch.tensor.load"(%1, %0, %0) <{operandSegmentSizes = \
array<i32: 1, 1, 0, 1, 0>, static_offsets = array<i64: 2, 0>, \
static_sizes = array<i64: 2, -9223372036854775808>, \
static_strides = array<i64: 1, 1>}> : (!flow.dispatch.tensor<readonly:tensor<4x?xf32>>, index, \
index) -> tensor<2x?xf32>
    "flow.dispatch.tensor.store"(%3, %2, %0, %0) <{operandSegmentSizes = \
array<i32: 1, 1, 1, 0, 1, 0>, static_offsets = array<i64: 0, 0>, static_sizes = \
array<i64: 2, -9223372036854775808>, static_strides = array<i64: 1, 1>}> : (tensor<2x?xf32>, \
!flow.dispatch.tensor<writeonly:tensor<4x?xf32>>, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "util.func"() <{function_type = (), sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4x?xf32>, %arg1: index):
    %0 = "flow.dispatch"(%arg1, %arg0, %arg1, %arg1, %arg1) <{entry_points = [@e::@d], \
operandSegmentSizes = array<i32: 1, 2, 1, 1>, tied_operands = [-1 : index]}> : (index, \
tensor<4x?xf32>, index, index, index) -> tensor<4x?xf32>
    "util.return"(%0) : (tensor<4x?xf32>) -> ()
  }) : () -> ()
}) : () -> ()
""".lstrip()


def test_parts_are_read_and_written_as_slices() -> None:
    module = Module.parse(PARTS)
    (call,) = read_calls(module, DISPATCH_CALLS, None)
    assert [operand.sizes for operand in call.arguments] == [("%arg1",), ()]
    made = tensor_function(module, dispatch_functions(module)["d"], DISPATCH_CALLS, call)
    assert made is not None
    assert made.arguments == ("tensor<4x?xf32>", "index") and made.results == ("tensor<4x?xf32>",)
    read, empty, written, returned = made.body.splitlines()[1:]
    assert '"tensor.extract_slice"(%arg0, %arg1)' in read and "array<i64: 2, 0>" in read
    assert '"tensor.empty"(%arg1)' in empty
    assert '"tensor.insert_slice"(%3, ' in written and written.endswith("-> (tensor<4x?xf32>)")
    assert returned.startswith(f'"func.return"({written.split(" = ")[0]})')


def test_a_dispatch_with_symbols_has_no_counterpart() -> None:
    text = PARTS.replace("<{ordinal = 0 : index}>", "<{ordinal = 0 : index, of = @elsewhere}>")
    module = Module.parse(text)
    (call,) = read_calls(module, DISPATCH_CALLS, None)
    assert tensor_function(module, dispatch_functions(module)["d"], DISPATCH_CALLS, call) is None


@pytest.mark.iree
def test_a_real_dispatch_is_valid(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    toolchain = iree_toolchain("3.4.0")
    path = corpus("seed-21028-collapse-store-miscompile").write_input(tmp_path / "a.mlir")
    flags = ["--iree-hal-target-backends=vmvx", *DISPATCH_CALLS.dump_flags(tmp_path / "phases")]
    done = run_process(
        [str(toolchain.compile), str(path), *flags, "-o", "out"], cwd=tmp_path, limits=Limits(60.0)
    )
    assert done.exit_code == 0, done.stderr
    files = DISPATCH_CALLS.dumped(tmp_path / "phases")
    module = Module.parse(files[DISPATCH_CALLS.phase].read_text())
    (call,) = read_calls(module, DISPATCH_CALLS, None)
    function = dispatch_functions(module)[call.dispatch]
    made = tensor_function(module, function, DISPATCH_CALLS, call)
    assert made is not None
    printed = OptPrinter(toolchain.opt, Limits(60.0)).pretty(in_module(made.text()))
    assert printed is not None
    assert "tensor.insert_slice" in printed and "tensor.extract_slice" not in printed
