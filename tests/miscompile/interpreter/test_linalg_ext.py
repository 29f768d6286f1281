"""Ops of iree_linalg_ext, and what their ambiguity means."""

from collections.abc import Callable
from functools import reduce

import numpy as np
import pytest

from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import Interpreter
from reducer.miscompile.interpreter.reference import all_sorts_stable
from reducer.miscompile.interpreter.values import Array
from reducer.toolchain import Toolchain
from tests.support.evaluating import Functions, f32, functions, generic, i32, program_text

pytestmark = pytest.mark.iree

TEXT = program_text("linalg_ext")
QUANTIZATION = """
#each = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
@quantize(%a: tensor<4xf32>, %scale: f32, %zero: i64) -> tensor<4xi8>:
  %e = tensor.empty() : tensor<4xi8>
  %r = iree_linalg_ext.quantize_affine <indexing_maps = [#each, #all, #all, #each],
    quant_min = MIN, quant_max = MAX OUT> ins(%a, %scale, %zero : tensor<4xf32>, f32, i64)
    outs(%e : tensor<4xi8>) -> tensor<4xi8>
@dequantize(%a: tensor<4xi8>, %scale: f32, %zero: i64) -> tensor<4xf32>:
  %e = tensor.empty() : tensor<4xf32>
  %r = iree_linalg_ext.dequantize_affine <indexing_maps = [#each, #all, #all, #each],
    quant_min = MIN, quant_max = MAX IN> ins(%a, %scale, %zero : tensor<4xi8>, f32, i64)
    outs(%e : tensor<4xf32>) -> tensor<4xf32>
"""
SIGNED = {"MIN": "-128", "MAX": "127", "OUT": "", "IN": ""}
UNSIGNED = {"MIN": "0", "MAX": "255", "OUT": ", storage_unsigned", "IN": ", input_unsigned"}


KEYS, PAYLOAD = f32(3, 1, 2, 1, 3), i32(0, 1, 2, 3, 4)


def test_a_stable_sort_keeps_their_order(module: Functions) -> None:
    interpreter = Interpreter(module.program, stable_sorts=True)
    _, payload = interpreter.call("sort", [Array(KEYS), Array(PAYLOAD)])
    assert payload.poison is None and payload.data.tolist() == [1, 3, 2, 0, 4]


def test_a_program_may_promise_that_all_its_sorts_are_stable() -> None:
    stable = '"stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({'
    plain = '"stablehlo.sort"(%a) <{dimension = 0 : i64}> ({'
    assert all_sorts_stable(stable) and not all_sorts_stable(plain)
    assert not all_sorts_stable(f"{stable}\n{plain}") and not all_sorts_stable("")


@pytest.mark.parametrize(
    ("signs", "stored", "restored"),
    [
        (SIGNED, [-2, 14, 127, -128], [-6, 2, 58.5, -69]),
        (UNSIGNED, [0, 14, 255, 0], [-5, 2, 122.5, -5]),
    ],
)
def test_numbers_are_stored_with_or_without_a_sign(
    iree_toolchain: Callable[..., Toolchain],
    signs: dict[str, str],
    stored: list[int],
    restored: list[float],
) -> None:
    text = reduce(lambda text, sign: text.replace(*sign), signs.items(), QUANTIZATION)
    module = functions(iree_toolchain(), text)
    half, zero = np.float32(0.5), np.int64(10)
    found = module("quantize", f32(-6, 2, 300, -300), half, zero)
    assert found.astype(np.uint8).tolist() == [number % 256 for number in stored]
    assert module("dequantize", found, half, zero).tolist() == restored


def test_an_attribute_of_another_release_is_not_guessed(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    text = reduce(lambda text, sign: text.replace(*sign), UNSIGNED.items(), QUANTIZATION)
    other = generic(iree_toolchain(), text).replace("input_unsigned", "all_unsigned")
    with pytest.raises(Unsupported, match="dequantize_affine with all_unsigned"):
        Functions(other)("dequantize", np.zeros(4, np.int8), np.float32(0.5), np.int64(10))
