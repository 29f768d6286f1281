"""Ops that compute more than one number are rounded like any others."""

import pytest

from tests.support.evaluating import Answers, program_text

pytestmark = pytest.mark.iree

TEXT = program_text("whole_ops")


@pytest.mark.parametrize("name", ["softmax", "sines", "powers", "signs", "scaled"])
def test_whole_ops_are_rounded(values: Answers, name: str) -> None:
    """Only the op itself: the factor is a power of two."""
    for result in values(name, "2xf32=5 10"):
        assert result.slack is not None and all(slack >= 1 for slack in result.slack)


def test_what_a_softmax_leaves_out_is_exact(values: Answers) -> None:
    (result,) = values("softmax", "2xf32=-inf 10")
    assert tuple(result.elements) == (0, 2**30) and result.slack is None
