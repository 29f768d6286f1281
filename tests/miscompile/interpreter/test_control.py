"""Control flow, functions, globals, and programs cut into dispatches."""

from collections.abc import Callable

import numpy as np
import pytest

from reducer.miscompile.interpreter import interpreter
from reducer.miscompile.interpreter.errors import ProgramError, UndefinedBehavior, Unsupported
from reducer.toolchain import Toolchain
from tests.support.evaluating import Functions, f32, functions, i32
from tests.support.in_process import output_of

pytestmark = pytest.mark.iree

TEXT = """
func.func @collatz(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  cf.br ^head(%n, %c0 : i32, i32)
^head(%x: i32, %steps: i32):
  %done = arith.cmpi eq, %x, %c1 : i32
  cf.cond_br %done, ^end(%steps : i32), ^step
^step:
  %rem = arith.remsi %x, %c2 : i32
  %even = arith.cmpi eq, %rem, %c0 : i32
  %half = arith.divsi %x, %c2 : i32
  %triple = arith.muli %x, %c3 : i32
  %up = arith.addi %triple, %c1 : i32
  %next = arith.select %even, %half, %up : i32
  %more = arith.addi %steps, %c1 : i32
  cf.br ^head(%next, %more : i32, i32)
^end(%result: i32):
  return %result : i32
}
func.func @switch(%n: i32) -> i32 {
  %a = arith.constant 10 : i32
  %b = arith.constant 20 : i32
  cf.switch %n : i32, [default: ^end(%n : i32), 1: ^end(%a : i32), 2: ^end(%b : i32)]
^end(%r: i32):
  return %r : i32
}
func.func @halvings(%n: i64) -> (i64, i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %r:2 = scf.while (%x = %n, %s = %c0) : (i64, i64) -> (i64, i64) {
    %c = arith.cmpi sgt, %x, %c1 : i64
    scf.condition(%c) %x, %s : i64, i64
  } do {
  ^bb0(%x: i64, %s: i64):
    %h = arith.divsi %x, %c2 : i64
    %t = arith.addi %s, %c1 : i64
    scf.yield %h, %t : i64, i64
  }
  return %r#0, %r#1 : i64, i64
}
@forall(%o: tensor<6xf32>) -> tensor<6xf32>:
  %r = scf.forall (%i) in (3) shared_outs(%s = %o) -> tensor<6xf32> {
    %two = arith.constant 2 : index
    %at = arith.muli %i, %two : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %v = tensor.from_elements %f, %f : tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %s[%at] [2] [1] : tensor<2xf32> into tensor<6xf32>
    }
  }
@parallel(%n: index) -> f32:
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%one) -> f32 {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    scf.reduce(%f : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
@cases(%n: index) -> i32:
  %r = scf.index_switch %n -> i32
  case 2 {
    %a = arith.constant 20 : i32
    scf.yield %a : i32
  }
  default {
    %b = arith.constant 7 : i32
    scf.yield %b : i32
  }
@spins(%n: i32) -> i32:
  %r = scf.while (%x = %n) : (i32) -> i32 {
    %c0 = arith.constant 0 : i32
    %c = arith.cmpi sge, %x, %c0 : i32
    scf.condition(%c) %x : i32
  } do {
  ^bb0(%x: i32):
    scf.yield %x : i32
  }
@long(%n: index) -> index:
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> index {
    scf.yield %i : index
  }
@endless(%n: i32) -> i32:
  %r = call @endless(%n) : (i32) -> i32
func.func @on_poison(%a: tensor<4xi1>) -> i32 {
  %e = tensor.empty() : tensor<4xi1>
  %c0 = arith.constant 0 : index
  %c = tensor.extract %e[%c0] : tensor<4xi1>
  %one = arith.constant 1 : i32
  cf.cond_br %c, ^end(%one : i32), ^end(%one : i32)
^end(%r: i32):
  return %r : i32
}
func.func @asserted(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c = arith.cmpi sgt, %n, %c0 : i32
  cf.assert %c, "n must be positive"
  return %n : i32
}
func.func private @external(i32) -> i32
@calls_external(%n: i32) -> i32:
  %r = call @external(%n) : (i32) -> i32
util.global private mutable @count = 5 : i32
util.global private @unset : tensor<2xf32>
util.func @counted(%n: i32) -> (i32, i32) {
  %a = util.global.load @count : i32
  %b = arith.addi %a, %n : i32
  util.global.store %b, @count : i32
  %c = util.global.load @count : i32
  util.return %a, %c : i32, i32
}
util.func @read_unset() -> tensor<2xf32> {
  %a = util.global.load @unset : tensor<2xf32>
  util.return %a : tensor<2xf32>
}
"""


def test_branches(module: Functions) -> None:
    assert module("collatz", np.int32(27)) == 111
    assert [int(module("switch", np.int32(n))) for n in (0, 1, 2, 3)] == [0, 10, 20, 3]


def test_structured_loops(module: Functions) -> None:
    assert [int(n) for n in module.all("halvings", np.int64(1000))] == [1, 9]
    assert module("forall", np.zeros(6, np.float32)).tolist() == [0, 0, 1, 1, 2, 2]
    assert module("parallel", 5) == 11
    assert [int(module("cases", n)) for n in (1, 2)] == [7, 20]


def test_a_loop_that_goes_on_is_endless(module: Functions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "MAX_STEPS", 1_000)
    with pytest.raises(ProgramError, match="a loop of more than 1,000 steps"):
        module("spins", np.int32(0))
    assert module("spins", np.int32(-1)) == -1
    with pytest.raises(ProgramError, match="a loop of more than 1,000 steps"):
        module("long", np.int64(1 << 40))


def test_calls(module: Functions) -> None:
    with pytest.raises(ProgramError, match="more than 100 nested calls"):
        module("endless", np.int32(0))
    with pytest.raises(Unsupported, match="external function @external"):
        module("calls_external", np.int32(0))


def test_control_flow_on_poison_is_undefined(module: Functions) -> None:
    with pytest.raises(UndefinedBehavior, match=r"a branch depends on .* poison"):
        module("on_poison", np.zeros(4, np.bool_))


def test_assertions(module: Functions) -> None:
    assert module("asserted", np.int32(1)) == 1
    with pytest.raises(ProgramError, match="assertion: n must be positive"):
        module("asserted", np.int32(0))


def test_globals(module: Functions) -> None:
    assert [int(n) for n in module.all("counted", np.int32(3))] == [5, 8]
    with pytest.raises(UndefinedBehavior, match="@unset is read before it is set"):
        module("read_unset")


PROMISES = """
util.func @assumed(%n: index) -> index {
  %a = util.assume.int %n[<umin = 16, umax = 64, udiv = 16>] : index
  util.return %a : index
}
util.func @alternatives(%n: index) -> index {
  %a = util.assume.int %n[<umin = 4, umax = 4>, <umin = 9, umax = 9>] : index
  util.return %a : index
}
util.func @tied(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %b = flow.tensor.tie_shape %a : tensor<?xf32>{%n}
  util.return %b : tensor<?xf32>
}
"""


def test_broken_promises_about_sizes(iree_toolchain: Callable[..., Toolchain]) -> None:
    module = functions(iree_toolchain(), PROMISES)
    assert module("assumed", 32) == 32 and module("alternatives", 9) == 9
    assert module("tied", f32(1, 2), 2).tolist() == [1, 2]
    for function, wrong in (("assumed", 24), ("assumed", 80), ("alternatives", 5)):
        with pytest.raises(UndefinedBehavior, match="a promise about an integer does not hold"):
            module(function, wrong)
    with pytest.raises(UndefinedBehavior, match=r"shape \[2\] is said to have shape \[3\]"):
        module("tied", f32(1, 2), 3)


DISPATCHED = """
func.func @main(%x: tensor<4x?xf32>, %w: tensor<?x4xf32>) -> tensor<4x4xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<4x?xf32>, tensor<?x4xf32>)
    outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = math.absf %m : tensor<4x4xf32>
  return %t : tensor<4x4xf32>
}
"""


@pytest.mark.parametrize("phase", ["input", "global-optimization", "dispatch-creation", "flow"])
def test_a_program_means_the_same_after_each_phase(
    iree_toolchain: Callable[..., Toolchain], phase: str
) -> None:
    tools = iree_toolchain()
    flags = "--iree-hal-target-backends=llvm-cpu", f"--compile-to={phase}", "-o", "-"
    text = output_of(tools.compile, DISPATCHED, *flags)
    module = functions(tools, text)
    x = np.arange(12, dtype=np.float32).reshape(4, 3) - 5
    w = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(module("main", x, w), np.abs(x @ w))


TIED = """
@f(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32>:
  %r = flow.dispatch.workgroups(%x, %y) : (tensor<4xf32>, tensor<2xf32>) -> %x =
    (%a: !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4xf32>>,
     %b: !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xf32>>) {
    %l = iree_tensor_ext.dispatch.tensor.load %b, offsets = [0], sizes = [2], strides = [1]
      : !iree_tensor_ext.dispatch.tensor<readonly:tensor<2xf32>> -> tensor<2xf32>
    %s = arith.addf %l, %l : tensor<2xf32>
    iree_tensor_ext.dispatch.tensor.store %s, %a, offsets = [1], sizes = [2], strides = [1]
      : tensor<2xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4xf32>>
    flow.return
  }
"""


def test_a_dispatch_may_update_its_operand(iree_toolchain: Callable[..., Toolchain]) -> None:
    x = f32(1, 2, 3, 4)
    out = functions(iree_toolchain(), TIED)("f", x, f32(10, 20))
    assert out.tolist() == [1, 20, 40, 4] and x.tolist() == [1, 2, 3, 4]


def test_the_poison_of_a_mask() -> None:
    from reducer.miscompile.interpreter.values import Array

    array = Array(i32(1, 2), np.array([False, True]))
    assert array.mask().tolist() == [False, True]
    assert Array(i32(1, 2), np.array([False, False])).poison is None
    assert Array(np.int32(3), np.array([True, False])).data.tolist() == [3, 3]
