"""Memory, loops of the affine dialect, arithmetic on indices, and what programs print."""

import numpy as np
import pytest

from reducer.miscompile.interpreter.errors import UndefinedBehavior
from reducer.miscompile.interpreter.evaluate import Calls
from reducer.miscompile.interpreter.interpreter import Interpreter
from reducer.miscompile.interpreter.program import EvaluatedProgram
from reducer.miscompile.interpreter.values import Array
from tests.support.in_process import output_of
from tests.support.opt_tools import find_opt


def generic(text: str) -> str:
    return output_of(find_opt(), text, "--mlir-print-op-generic")


def call(text: str, *arguments: int) -> list[object]:
    """The numbers that `@f` gives for some integers."""
    given = [Array(np.int64(one)) for one in arguments]
    out = Interpreter(EvaluatedProgram.load(generic(text))).call("f", given)
    assert not any(one.poison is not None for one in out)
    return [one.data.tolist() for one in out]


def undefined(text: str, *arguments: int) -> str:
    with pytest.raises(UndefinedBehavior) as error:
        call(text, *arguments)
    return str(error.value)


def body(ops: str, arguments: str = "", results: str = "i64") -> str:
    return f"func.func @f({arguments}) -> ({results}) {{\n{ops}\n}}"


STORED = """
  %c0 = arith.constant 0 : index
  %v = arith.constant 7 : i64
  %m = memref.alloc() : memref<4xi64>
  memref.store %v, %m[%c0] : memref<4xi64>
"""


def test_what_is_stored_is_loaded() -> None:
    ops = "%r = memref.load %m[%c0] : memref<4xi64>\nreturn %r : i64"
    assert call(body(STORED + ops)) == [7]


def test_fresh_memory_is_poison() -> None:
    text = body(STORED + "%r = memref.load %m[%i] : memref<4xi64>\nreturn %r : i64", "%i: index")
    (out,) = Interpreter(EvaluatedProgram.load(generic(text))).call("f", [Array(np.int64(1))])
    assert out.poison is not None


@pytest.mark.parametrize(
    ("ops", "why"),
    [
        ("%r = memref.load %m[%i] : memref<4xi64>", "index 4 is out of bounds of dimension 0"),
        ("memref.store %v, %m[%i] : memref<4xi64>", "index 4 is out of bounds"),
        (
            "memref.dealloc %m : memref<4xi64>\n%r = memref.load %m[%c0] : memref<4xi64>",
            "used after it is freed",
        ),
        (
            "%s = memref.subview %m[%i] [2] [1] : memref<4xi64> to "
            "memref<2xi64, strided<[1], offset: ?>>",
            "a view that is out of bounds",
        ),
        (
            "%s = memref.subview %m[0] [3] [1] : memref<4xi64> to memref<3xi64, strided<[1]>>\n"
            "%t = memref.subview %m[1] [3] [1] : memref<4xi64> to "
            "memref<3xi64, strided<[1], offset: 1>>\n"
            "memref.copy %s, %t : memref<3xi64, strided<[1]>> to "
            "memref<3xi64, strided<[1], offset: 1>>",
            "parts of memory that overlap",
        ),
    ],
)
def test_what_has_no_meaning(ops: str, why: str) -> None:
    assert why in undefined(body(f"{STORED}{ops}\nreturn %v : i64", "%i: index"), 4)


def test_a_view_shares_memory() -> None:
    text = body(
        """
  %v = arith.constant 7 : i64
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.alloc() : memref<3x4xi64>
  linalg.fill ins(%v : i64) outs(%m : memref<3x4xi64>)
  %s = memref.subview %m[1, 0] [1, 2] [1, 2] : memref<3x4xi64>
      to memref<2xi64, strided<[2], offset: 4>>
  memref.store %a, %s[%c1] : memref<2xi64, strided<[2], offset: 4>>
  %r = memref.load %m[%c1, %c2] : memref<3x4xi64>
  %f = memref.collapse_shape %m [[0, 1]] : memref<3x4xi64> into memref<12xi64>
  %c5 = arith.constant 5 : index
  %u = memref.load %f[%c5] : memref<12xi64>
  return %r, %u : i64, i64""",
        "%a: i64",
        "i64, i64",
    )
    assert call(text, 3) == [3, 7]


def test_globals_and_copies() -> None:
    text = "memref.global constant @g : memref<2xi64> = dense<[4, 9]>\n" + body(
        """
  %c1 = arith.constant 1 : index
  %g = memref.get_global @g : memref<2xi64>
  %m = memref.alloca() : memref<2xi64>
  memref.copy %g, %m : memref<2xi64> to memref<2xi64>
  %t = bufferization.to_tensor %m : memref<2xi64> to tensor<2xi64>
  memref.store %a, %m[%c1] : memref<2xi64>
  %old = tensor.extract %t[%c1] : tensor<2xi64>
  %new = memref.load %m[%c1] : memref<2xi64>
  return %old, %new : i64, i64""",
        "%a: i64",
        "i64, i64",
    )
    assert call(text, 3) == [9, 3]


def test_affine_loops_and_conditions() -> None:
    maps = "#low = affine_map<(d) -> (d, 2)>\n#high = affine_map<(d) -> (d + 5, 9)>\n"
    text = maps + body(
        """
  %zero = arith.constant 0 : i64
  %m = memref.alloc() : memref<10xi64>
  affine.for %i = 0 to 10 {
    affine.store %zero, %m[%i] : memref<10xi64>
  }
  %one = arith.constant 1 : i64
  affine.for %i = max #low(%n) to min #high(%n) step 2 {
    affine.if affine_set<(i)[n] : (i - n - 1 >= 0)>(%i)[%n] {
      affine.store %one, %m[%i] : memref<10xi64>
    }
  }
  %sum = affine.for %i = 0 to 10 iter_args(%s = %zero) -> (i64) {
    %x = affine.load %m[9 - %i] : memref<10xi64>
    %w = arith.index_cast %i : index to i64
    %p = arith.muli %x, %w : i64
    %t = arith.addi %s, %p : i64
    affine.yield %t : i64
  }
  return %sum : i64""",
        "%n: index",
    )
    # 4, 6 and 8 are visited, and 4 is not larger than n; 9 - 6 + 9 - 8 is the sum of weights.
    assert call(text, 4) == [(9 - 6) + (9 - 8)]


def test_an_index_is_what_arith_says() -> None:
    text = body(
        """
  %c3 = index.constant 3
  %q = index.floordivs %n, %c3
  %less = index.cmp ult(%n, %c3)
  return %q, %less : index, i1""",
        "%n: index",
        "index, i1",
    )
    assert call(text, -7) == [-3, False]
    assert call(text, 2) == [0, True]


def test_what_is_printed_reads_like_the_runners_output() -> None:
    text = """
      func.func private @printMemrefF32(tensor<*xf32>)
      func.func @f(%i: index, %x: f32, %b: i1) {
        vector.print str "n = "
        vector.print %i : index
        vector.print %x : f32
        vector.print %b : i1
        %v = arith.constant dense<[1, -2]> : vector<2xi32>
        vector.print %v : vector<2xi32>
        %t = tensor.splat %x : tensor<2xf32>
        %u = tensor.cast %t : tensor<2xf32> to tensor<*xf32>
        call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
        return
      }"""
    answer = Calls(generic(text), "f").answer(["-1", "2.5", "1"])
    assert answer.printed.splitlines() == [
        "n = 18446744073709551615", "2.5", "1", "( 1, -2 )", "2.5 2.5"
    ]  # fmt: skip


def test_a_printed_string_has_no_escapes() -> None:
    """A line that ended in `7\\n` went on with the next number: `7\\0A5`."""
    text = r"""
      func.func @f(%i: i32) {
        vector.print str "\"a\\b\" 7\n"
        vector.print %i : i32
        return
      }"""
    assert Calls(generic(text), "f").answer(["5"]).printed == '"a\\b" 7\n5\n'


def test_poison_must_not_be_printed() -> None:
    text = """
      func.func @f() {
        %m = memref.alloc() : memref<i32>
        %v = memref.load %m[] : memref<i32>
        vector.print %v : i32
        return
      }"""
    assert "a printed number" in Calls(generic(text), "f").answer([]).undefined
