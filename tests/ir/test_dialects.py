"""What is known about particular dialects."""

import pytest

from reducer.ir.dialects import is_ordinary


@pytest.mark.parametrize(
    "name", ["func.func", "func.return", "arith.constant", "torch.constant.int", "a.yield"]
)
def test_ops_of_every_program_are_ordinary(name: str) -> None:
    assert is_ordinary(name)


def test_an_op_that_computes_something_is_not_ordinary() -> None:
    assert not is_ordinary("torch.aten.topk")
