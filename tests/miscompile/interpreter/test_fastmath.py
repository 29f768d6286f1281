"""What the fast-math flags of an op leave open has no right value."""

from collections.abc import Callable, Sequence

import pytest

from reducer.toolchain import Toolchain
from tests.support.evaluating import answers, program_text

pytestmark = pytest.mark.iree

TEXT = program_text("fastmath")


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
