"""Operators of ONNX about which the reference implementation is mistaken."""

from typing import Any

import numpy as np
import pytest

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
