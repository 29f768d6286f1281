"""What programs print, and a dialect that no tool of IREE knows."""

import numpy as np

from reducer.miscompile.interpreter.evaluate import Calls
from tests.support.evaluating import Functions
from tests.support.in_process import output_of
from tests.support.opt_tools import find_opt


def generic(text: str) -> str:
    return output_of(find_opt(), text, "--mlir-print-op-generic")


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


def test_an_index_is_what_arith_says() -> None:
    text = """
      func.func @f(%n: index) -> (index, i1) {
        %c3 = index.constant 3
        %q = index.floordivs %n, %c3
        %less = index.cmp ult(%n, %c3)
        return %q, %less : index, i1
      }"""
    functions = Functions(generic(text))
    assert [functions.all("f", np.int64(n)) for n in (-7, 2)] == [[-3, False], [0, True]]
