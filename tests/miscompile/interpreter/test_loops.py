"""What iterations that run in any order disagree about is poison."""

from typing import Any

import numpy as np
import pytest

from reducer.miscompile.interpreter.loops import Races
from tests.support.evaluating import Functions, f32

pytestmark = pytest.mark.iree

TEXT = """
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

@last(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> tensor<?xf32>:
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<?x?xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %y = math.absf %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
func.func @lost(%a: tensor<?x?xf32>, %o: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<?x?xf32>) outs(%o, %a : tensor<?xf32>, tensor<?x?xf32>) {
  ^bb0(%x: f32, %s: f32, %t: f32):
    %y = arith.addf %s, %x : f32
    linalg.yield %y, %x : f32, f32
  } -> (tensor<?xf32>, tensor<?x?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?x?xf32>
}
@threads(%a: tensor<4xf32>, %o: tensor<6xf32>) -> tensor<6xf32>:
  %r = scf.forall (%i) in (3) shared_outs(%s = %o) -> tensor<6xf32> {
    %p = tensor.extract_slice %a[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %s[1] [2] [1] : tensor<2xf32> into tensor<6xf32>
    }
  }
@read(%o: tensor<3xf32>) -> tensor<3xf32>:
  %r = scf.forall (%i) in (3) shared_outs(%s = %o) -> tensor<3xf32> {
    %c0 = arith.constant 0 : index
    %x = tensor.extract %s[%c0] : tensor<3xf32>
    %y = arith.addf %x, %x : f32
    %p = tensor.from_elements %y : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %s[%i] [1] [1] : tensor<1xf32> into tensor<3xf32>
    }
  }
@order(%a: tensor<?xf32>) -> f32:
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %x = tensor.extract %a[%i] : tensor<?xf32>
    scf.reduce(%x : f32) {
    ^bb0(%p: f32, %q: f32):
      %s = arith.subf %q, %p : f32
      scf.reduce.return %s : f32
    }
  }
"""


def poison(module: Functions, name: str, *arguments: Any, result: int = 0) -> list[bool]:
    out: list[bool] = module.arrays(name, *arguments)[result].mask().tolist()
    return out


def test_parallel_loops_that_write_one_element(module: Functions) -> None:
    rows = f32(1, -1, 1, 2, 1, 2).reshape(2, 3)
    assert poison(module, "last", rows, np.zeros(2, np.float32)) == [False, True]
    one = rows[:, :1]
    assert poison(module, "last", one, np.zeros(2, np.float32)) == [False, False]


def test_a_sum_whose_loop_is_said_to_be_parallel(module: Functions) -> None:
    rows = f32(1, 2, 3, 4).reshape(2, 2)
    assert poison(module, "lost", rows, np.zeros(2, np.float32)) == [True, True]
    assert not np.any(poison(module, "lost", rows, np.zeros(2, np.float32), result=1))
    assert poison(module, "lost", rows[:, :1], np.zeros(2, np.float32)) == [False, False]


def test_threads_that_insert_in_one_place(module: Functions) -> None:
    zeros = np.zeros(6, np.float32)
    assert poison(module, "threads", f32(1, 1, 1, 1), zeros) == [False] * 6
    found = poison(module, "threads", f32(1, 2, 2, 3), zeros)
    assert found == [False, True, True, False, False, False]


def test_threads_that_read_what_others_insert(module: Functions) -> None:
    assert poison(module, "read", f32(1, 0, 0)) == [False, True, True]


def test_a_reduction_in_any_order(module: Functions) -> None:
    assert not module.arrays("order", f32(2, 2))[0].mask()
    assert module.arrays("order", f32(2, 3))[0].mask()


def test_writers_that_agree() -> None:
    races, nan = Races((2,)), f32(1, np.nan)
    none = np.zeros(2, np.bool_)
    for _ in range(2):
        races.note(..., (nan, none), (nan, none))
    assert not races.lost.any()
    races.note(..., (nan, none), (nan, ~none), np.array([True, False]))
    assert races.lost.tolist() == [True, False]
