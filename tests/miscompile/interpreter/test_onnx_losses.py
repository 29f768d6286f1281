"""The loss of ONNX about which the reference implementation is mistaken."""

from typing import Any

import numpy as np
import pytest

from reducer.miscompile.interpreter.dialects.onnx_losses import negative_log_likelihood
from tests.support.evaluating import f32
from tests.support.onnx_programs import apply, program, tensor

pytest.importorskip("onnx")

SCORES = f32(-1, -2, -3, -4, -5, -6, -7, -8, -9).reshape(3, 3)


@pytest.mark.parametrize("ignored", [-1, 7])
def test_ignored_targets_do_not_count_in_a_mean(ignored: int) -> None:
    flags = f"torch.onnx.ignore_index = {ignored} : si64"
    text = program(
        "NegativeLogLikelihoodLoss", [tensor("3,3"), tensor("3", "si64")], tensor(""), flags
    )
    assert apply(text, SCORES, np.array([1, ignored, 2])) == (2 + 9) / 2


@pytest.mark.parametrize(
    ("reduction", "expected"),
    [("none", [2 * 10, 0, 9 * 100]), ("sum", 920), ("mean", pytest.approx(920 / 110))],
)
def test_weights_of_classes(reduction: str, expected: Any) -> None:
    operands = [SCORES, np.array([1, 0, 2]), f32(1, 10, 100)]
    attributes = {"reduction": reduction, "ignore_index": 0}
    (found,) = negative_log_likelihood(operands, attributes)
    assert found.tolist() == expected


def test_losses_of_pixels() -> None:
    scores = f32(*range(12)).reshape(1, 3, 2, 2)
    targets = np.array([[[0, 1], [2, 1]]])
    (found,) = negative_log_likelihood([scores, targets], {"reduction": "none"})
    assert found.tolist() == [[[0, -5], [-10, -7]]]
