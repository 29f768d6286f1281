"""`einsum` and `fft` of StableHLO, compared with NumPy and with sums that are spelled out."""

from collections.abc import Callable

import numpy as np
import pytest

from reducer.miscompile.interpreter.errors import Unsupported
from reducer.toolchain import Toolchain
from tests.support.evaluating import Functions, f32, functions

pytestmark = pytest.mark.iree

_EINSUM = """
func.func @{name}(%a: tensor<2x3xf32>, %b: tensor<2x4x3xf32>) -> tensor<{shape}xf32> {{
  %r = "stablehlo.einsum"(%a, %b) <{{einsum_config = "{config}"}}>
    : (tensor<2x3xf32>, tensor<2x4x3xf32>) -> tensor<{shape}xf32>
  return %r : tensor<{shape}xf32>
}}
"""
_FFT = """
@forward(%a: tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>>:
  %r = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>>
func.func @there_and_back(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %r = stablehlo.fft %a, type = RFFT, length = [4] : (tensor<2x4xf32>) -> tensor<2x3xcomplex<f32>>
  %b = stablehlo.fft %r, type = IRFFT, length = [4]
    : (tensor<2x3xcomplex<f32>>) -> tensor<2x4xf32>
  return %b : tensor<2x4xf32>
}
func.func @complex_and_back(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c = stablehlo.complex %a, %a : tensor<2x4xcomplex<f32>>
  %r = stablehlo.fft %c, type = FFT, length = [4]
    : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %b = stablehlo.fft %r, type = IFFT, length = [4]
    : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  %i = stablehlo.imag %b : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
  return %i : tensor<2x4xf32>
}
"""
_CONFIGS = {"moved": ("ic,ijc->ji", "4x2"), "outer": ("ac,ijc->jia", "4x2x2"),
            "alone": ("ab,icb->ia", "2x2")}  # fmt: skip


@pytest.fixture(scope="module")
def module(iree_toolchain: Callable[..., Toolchain]) -> Functions:
    sums = (_EINSUM.format(name=n, config=c, shape=s) for n, (c, s) in _CONFIGS.items())
    return functions(iree_toolchain(), "".join(sums) + _FFT)


@pytest.mark.parametrize("name", ["moved", "outer"])
def test_einsum(module: Functions, name: str) -> None:
    a, b = f32(*range(6)).reshape(2, 3), f32(*range(24)).reshape(2, 4, 3)
    np.testing.assert_array_equal(module(name, a, b), np.einsum(_CONFIGS[name][0], a, b))


def test_a_letter_that_one_side_alone_sums_over(module: Functions) -> None:
    with pytest.raises(Unsupported, match="einsum"):
        module("alone", np.zeros((2, 3), np.float32), np.zeros((2, 4, 3), np.float32))


def test_a_transform_is_a_sum_of_turned_numbers(module: Functions) -> None:
    found = module("forward", f32(1, 2, 3, 4, 0, 1, 0, 0).reshape(2, 4))
    np.testing.assert_allclose(found, [[10, -2 + 2j, -2], [1, -1j, -1]], atol=1e-6)


@pytest.mark.parametrize("name", ["there_and_back", "complex_and_back"])
def test_transforms_undo_each_other(module: Functions, name: str) -> None:
    given = f32(1, 2, 3, 4, 0, 1, 0, 0).reshape(2, 4)
    np.testing.assert_allclose(module(name, given), given, atol=1e-6)


def test_what_is_not_finite_spoils_its_row(module: Functions) -> None:
    poison = module.poison("forward", f32(1, np.inf, 3, 4, 0, 1, 0, 0).reshape(2, 4))
    assert poison.tolist() == [[True] * 3, [False] * 3]
