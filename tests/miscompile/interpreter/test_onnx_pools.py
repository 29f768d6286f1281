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


@pytest.mark.parametrize(
    ("rounded_up", "average", "total"), [(0, [1, 4], [3, 12]), (1, [1, 4, 6], [3, 12, 6])]
)
def test_windows_start_at_the_first_element(
    rounded_up: int, average: list[float], total: list[float]
) -> None:
    """The last of three windows on seven elements sees one of them."""
    flags = _flags(ceil_mode=rounded_up, kernel_shape=[3], strides=[3])
    assert pooled("AveragePool", flags, len(average)) == average
    assert pooled("LpPool", f"{flags}, torch.onnx.p = 1 : si64", len(total)) == total


def test_no_window_starts_behind_the_padding() -> None:
    """A third window would see nothing but the padding at the end."""
    flags = _flags(ceil_mode=1, kernel_shape=[2], strides=[3], pads=[0, 2])
    values = np.arange(6, dtype=np.float32).reshape(1, 1, 6)
    assert pooled("AveragePool", flags, 2, values) == [0.5, 3.5]


def test_padding_counts_if_the_operator_says_so() -> None:
    flags = _flags(kernel_shape=[3], strides=[2], pads=[1, 1])
    assert pooled("AveragePool", flags, 4) == [0.5, 2, 4, 5.5]
    counted = pooled("AveragePool", f"{flags}, {_flags(count_include_pad=1)}", 4)
    np.testing.assert_allclose(counted, [1 / 3, 2, 4, 11 / 3], rtol=1e-6)


def test_nobody_says_whether_elements_beyond_the_padding_count() -> None:
    flags = _flags(ceil_mode=1, count_include_pad=1, kernel_shape=[3], strides=[3])
    *known, last = pooled("AveragePool", flags, 3)
    assert known == [1, 4] and np.isnan(last)


@pytest.mark.parametrize(
    ("kind", "expected"), [("UPPER", [0.5, 2.5, 4.5, 6]), ("LOWER", [0, 1.5, 3.5, 5.5])]
)
def test_padding_that_keeps_the_size(kind: str, expected: list[float]) -> None:
    flags = _flags(kernel_shape=[2], strides=[2]) + f', torch.onnx.auto_pad = "SAME_{kind}"'
    assert pooled("AveragePool", flags, 4) == expected


def test_windows_have_gaps() -> None:
    flags = _flags(kernel_shape=[3], dilations=[3])
    assert pooled("AveragePool", flags, 1) == [3]
    assert pooled("LpPool", f"{flags}, torch.onnx.p = 2 : si64", 1) == [np.float32(45**0.5)]


def test_a_norm_is_one_of_absolute_values() -> None:
    text = program("LpNormalization", [tensor("3")], tensor("3"), "torch.onnx.p = 1 : si64")
    assert apply(text, f32(1, -1, 2)).tolist() == [0.25, -0.25, 0.5]
    for power in (text, text.replace("p = 1", "p = 2")):
        assert apply(power, f32(0, 0, 0)).tolist() == [0, 0, 0]


def test_padding_comes_before_all_dimensions_and_then_after_them() -> None:
    image = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    flags = _flags(kernel_shape=[3, 3], strides=[1, 1], pads=[1, 0, 0, 1])
    text = program("MaxPool", [tensor("1,1,4,4")], tensor("1,1,3,3"), flags)
    assert apply(text, image).ravel().tolist() == [6, 7, 7, 10, 11, 11, 14, 15, 15]
    same = f'{_flags(kernel_shape=[2, 2], strides=[2, 2])}, torch.onnx.auto_pad = "SAME_LOWER"'
    odd = program("MaxPool", [tensor("1,1,3,3")], tensor("1,1,2,2"), same)
    assert apply(odd, image[:, :, :3, :3]).ravel().tolist() == [0, 2, 8, 10]


def test_nobody_counts_the_indices_of_a_maximum_as_the_reference_does() -> None:
    text = program("MaxPool", [tensor("1,1,7")], tensor("1,1,5"), _flags(kernel_shape=[3]))
    both = text.replace("%r = ", "%r, %i = ").replace(
        "-> !torch.vtensor<[1,1,5],f32>\n",
        "-> (!torch.vtensor<[1,1,5],f32>, !torch.vtensor<[1,1,5],si64>)\n",
    )
    with pytest.raises(Unsupported, match="with indices"):
        Functions(both)("f", SEVEN)


def test_all_channels_are_normalized() -> None:
    flags = "torch.onnx.alpha = 3.0 : f32, torch.onnx.beta = 1.0 : f32, torch.onnx.bias = 2.0 : f32"
    text = program("LRN", [tensor("1,4,1")], tensor("1,4,1"), f"{flags}, {_flags(size=3)}")
    found = apply(text, f32(1, 2, 3, 4).reshape(1, 4, 1)).ravel().tolist()
    assert found == pytest.approx([1 / 7, 2 / 16, 3 / 31, 4 / 27])


def test_zero_points_of_rows() -> None:
    kinds = [tensor("2,2", "si8")] * 2 + [tensor("2", "si8")] * 2
    text = program("MatMulInteger", kinds, tensor("2,2", "si32"))
    rows, columns = np.array([1, 2], np.int8), np.array([0, 1], np.int8)
    ones = np.ones([2, 2], np.int8)
    assert apply(text, 3 * ones, ones, rows, columns).tolist() == [[4, 0], [2, 0]]


@pytest.mark.parametrize(("opset", "first"), [("11", 0.25), ("13", 0.5)])
def test_an_old_softmax_is_of_a_matrix(opset: str, first: float) -> None:
    shape = tensor("1,2,2")
    text = program("Softmax", [shape], shape, _flags(axis=1), opset=opset)
    assert apply(text, np.zeros([1, 2, 2], np.float32)).ravel().tolist() == [first] * 4
