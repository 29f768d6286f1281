"""What the fast-math flags of an op leave open has no right value."""

from collections.abc import Callable, Sequence

import pytest

from reducer.toolchain import Toolchain
from tests.support.evaluating import answers

pytestmark = pytest.mark.iree

TEXT = """
@regrouped(%a: tensor<3xf32>) -> tensor<3xf32>:
  %large = arith.constant dense<1.0e30> : tensor<3xf32>
  %small = arith.constant dense<1.0e-30> : tensor<3xf32>
  %b = arith.mulf %a, %large fastmath<reassoc> : tensor<3xf32>
  %r = arith.mulf %b, %small fastmath<reassoc> : tensor<3xf32>
@in_a_body(%a: tensor<3xf32>) -> tensor<3xf32>:
  %large = arith.constant 1.0e30 : f32
  %r = linalg.map ins(%a : tensor<3xf32>) outs(%a : tensor<3xf32>) (%x: f32, %o: f32) {
    %b = arith.mulf %x, %large fastmath<fast> : f32
    %c = arith.divf %b, %large fastmath<fast> : f32
    linalg.yield %c : f32
  }
@strict(%a: tensor<3xf32>) -> tensor<3xf32>:
  %large = arith.constant dense<1.0e30> : tensor<3xf32>
  %r = arith.mulf %a, %large fastmath<contract> : tensor<3xf32>
@pole(%a: tensor<3xf32>) -> tensor<3xf32>:
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %r = arith.divf %one, %a fastmath<reassoc> : tensor<3xf32>
@reciprocal(%a: tensor<3xf32>) -> tensor<3xf32>:
  %r = arith.divf %a, %a fastmath<arcp> : tensor<3xf32>
@signless(%a: tensor<3xf32>) -> tensor<3xf32>:
  %zero = arith.constant dense<0.0> : tensor<3xf32>
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %b = arith.addf %a, %zero fastmath<nsz> : tensor<3xf32>
  %r = arith.divf %one, %b : tensor<3xf32>
@signed(%a: tensor<3xf32>) -> tensor<3xf32>:
  %one = arith.constant dense<1.0> : tensor<3xf32>
  %r = arith.divf %one, %a : tensor<3xf32>
"""


@pytest.fixture(scope="module")
def defined(
    iree_toolchain: Callable[..., Toolchain], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Sequence[bool] | None]:
    """Which elements of a function's result have a right value; None if all have."""
    call = answers(iree_toolchain(), TEXT)

    def run(function: str, given: str) -> Sequence[bool] | None:
        (result,) = call(function, given)
        return None if result.defined is None else tuple(result.defined)

    return run


def test_another_grouping_may_not_overflow(defined: Callable[..., Sequence[bool] | None]) -> None:
    assert defined("regrouped", "3xf32=2 1e10 inf") == (True, False, True)
    assert defined("in_a_body", "3xf32=2 1e10 3") == (True, False, True)
    assert defined("strict", "3xf32=2 1e10 inf") is None


def test_a_pole_is_one_in_any_grouping(defined: Callable[..., Sequence[bool] | None]) -> None:
    assert defined("pole", "3xf32=2 0 -0") is None


def test_a_reciprocal_may_overflow_where_a_quotient_does_not(
    defined: Callable[..., Sequence[bool] | None],
) -> None:
    assert defined("reciprocal", "3xf32=2 1e-39 3e38") == (True, False, False)


def test_the_sign_of_a_zero_may_not_matter(defined: Callable[..., Sequence[bool] | None]) -> None:
    assert defined("signless", "3xf32=2 -0 0") == (True, False, False)
    assert defined("signed", "3xf32=2 -0 0") is None
