"""Operators of ONNX about which the reference implementation is mistaken."""

from typing import Any

import numpy as np
import pytest

from reducer.miscompile.interpreter.errors import Unsupported
from tests.support.evaluating import Functions, f32
from tests.support.onnx_programs import apply, program, tensor

pytest.importorskip("onnx")

SEVEN = np.arange(7, dtype=np.float32).reshape(1, 1, 7)


def pooled(name: str, flags: str, size: int, values: Any = SEVEN) -> list[float]:
    """A pool over vectors of `values`; NaN for what is undefined."""
    shape = ",".join(map(str, values.shape))
    text = program(name, [tensor(shape)], tensor(f"1,1,{size}"), flags)
    (found,) = Functions(text).arrays("f", values)
    out: list[float] = np.where(found.mask(), np.nan, found.data).ravel().tolist()
    return out


def _flags(**numbers: int | list[int]) -> str:
    def spelled(value: int | list[int]) -> str:
        if isinstance(value, int):
            return f"{value} : si64"
        return "[" + ", ".join(f"{one} : si64" for one in value) + "]"

    return ", ".join(f"torch.onnx.{name} = {spelled(value)}" for name, value in numbers.items())


def test_padding_counts_if_the_operator_says_so() -> None:
    flags = _flags(kernel_shape=[3], strides=[2], pads=[1, 1])
    assert pooled("AveragePool", flags, 4) == [0.5, 2, 4, 5.5]
    counted = pooled("AveragePool", f"{flags}, {_flags(count_include_pad=1)}", 4)
    np.testing.assert_allclose(counted, [1 / 3, 2, 4, 11 / 3], rtol=1e-6)


def test_windows_have_gaps() -> None:
    flags = _flags(kernel_shape=[3], dilations=[3])
    assert pooled("AveragePool", flags, 1) == [3]
    assert pooled("LpPool", f"{flags}, torch.onnx.p = 2 : si64", 1) == [np.float32(45**0.5)]


@pytest.mark.parametrize(
    ("name", "size", "flags"),
    [
        ("AveragePool", 3, _flags(ceil_mode=1, kernel_shape=[3], strides=[3])),
        ("LpPool", 3, _flags(ceil_mode=1, kernel_shape=[3], strides=[3])),
        ("MaxPool", 3, _flags(ceil_mode=1, kernel_shape=[3], strides=[3])),
        ("MaxPool", 4, _flags(kernel_shape=[3], strides=[2], pads=[1, 2])),
        (
            "MaxPool",
            4,
            _flags(kernel_shape=[2], strides=[2]) + ', torch.onnx.auto_pad = "SAME_UPPER"',
        ),
        (
            "AveragePool",
            3,
            _flags(kernel_shape=[3], dilations=[2]) + ', torch.onnx.auto_pad = "VALID"',
        ),
        ("LpNormalization", 7, "torch.onnx.p = 1 : si64"),
    ],
)
def test_where_the_reference_is_mistaken_nothing_is_known(name: str, size: int, flags: str) -> None:
    with pytest.raises(Unsupported, match="with these attributes"):
        pooled(name, flags, size)


def test_more_channels_than_batches_are_not_normalized_by_the_reference() -> None:
    text = program("LRN", [tensor("1,4,1")], tensor("1,4,1"), _flags(size=3))
    with pytest.raises(Unsupported, match="with these attributes"):
        apply(text, f32(1, 2, 3, 4).reshape(1, 4, 1))


@pytest.mark.parametrize("ignored", [-1, 7])
def test_ignored_targets_do_not_count_in_a_mean(ignored: int) -> None:
    """The reference counts them if they are -1."""
    scores = f32(-1, -2, -3, -4, -5, -6, -7, -8, -9).reshape(3, 3)
    kinds = [tensor("3,3"), tensor("3", "si64")]
    text = program("NegativeLogLikelihoodLoss", kinds, tensor(""), _flags(ignore_index=ignored))
    targets = np.array([1, ignored, 2])
    if ignored == -1:
        with pytest.raises(Unsupported, match="with these attributes"):
            apply(text, scores, targets)
    else:
        assert apply(text, scores, targets) == (2 + 9) / 2


def test_nobody_counts_the_indices_of_a_maximum_as_the_reference_does() -> None:
    text = program("MaxPool", [tensor("1,1,7")], tensor("1,1,5"), _flags(kernel_shape=[3]))
    both = text.replace("%r = ", "%r, %i = ").replace(
        "-> !torch.vtensor<[1,1,5],f32>\n",
        "-> (!torch.vtensor<[1,1,5],f32>, !torch.vtensor<[1,1,5],si64>)\n",
    )
    with pytest.raises(Unsupported, match="with indices"):
        Functions(both)("f", SEVEN)


@pytest.mark.parametrize(("opset", "first"), [("11", 0.25), ("13", 0.5)])
def test_an_old_softmax_is_of_a_matrix(opset: str, first: float) -> None:
    shape = tensor("1,2,2")
    text = program("Softmax", [shape], shape, _flags(axis=1), opset=opset)
    assert apply(text, np.zeros([1, 2, 2], np.float32)).ravel().tolist() == [first] * 4
