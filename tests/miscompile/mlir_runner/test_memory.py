"""Elements as they are in the memory of a compiled program."""

import math

import ml_dtypes
import numpy as np
import pytest

from reducer.miscompile.mlir_runner.memory import NotInMemory, from_bytes, to_bytes, width_of

FLOATS = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
}
WORDS = "1.5 -0.25 0 -3 0.09375 96"


@pytest.mark.parametrize("element", FLOATS)
def test_floats_are_laid_out_as_in_numpy(element: str) -> None:
    numbers = np.array(WORDS.split(), np.float64).astype(FLOATS[element])
    data = to_bytes(element, WORDS, 6)
    assert data == numbers.tobytes()
    assert from_bytes(element, data) == numbers.astype(np.float64).tolist()


@pytest.mark.parametrize("element", ["f32", "f16", "bf16", "f8E5M2"])
def test_special_numbers_survive(element: str) -> None:
    back = from_bytes(element, to_bytes(element, "inf -inf nan -0.0", 4))
    assert back[:2] == [math.inf, -math.inf]
    assert math.isnan(back[2])
    assert math.copysign(1.0, back[3]) == -1.0


def test_bf16_is_rounded_to_even() -> None:
    assert from_bytes("bf16", to_bytes("bf16", "1.00390625 1.01171875", 2)) == [1.0, 1.015625]


@pytest.mark.parametrize(
    ("element", "width"), [("i1", 1), ("i4", 1), ("i8", 1), ("i24", 4), ("i33", 8), ("index", 8)]
)
def test_integers_take_a_power_of_two_of_bytes(element: str, width: int) -> None:
    assert width_of(element) == width
    assert len(to_bytes(element, "1", 3)) == 3 * width


def test_integers_are_read_with_their_sign() -> None:
    assert from_bytes("i4", to_bytes("i4", "-8 7 15", 3)) == [-8, 7, -1]
    assert from_bytes("i1", to_bytes("i1", "01 00 true", 3)) == [1, 0, 1]
    assert from_bytes("i64", to_bytes("i64", str(-(2**63)), 1)) == [-(2**63)]


@pytest.mark.parametrize("element", ["f80", "ui8", "f4E2M1FN", "i128"])
def test_other_types_are_not_known(element: str) -> None:
    with pytest.raises(NotInMemory):
        width_of(element)


def test_a_wrong_number_of_elements_is_noticed() -> None:
    with pytest.raises(NotInMemory, match="2 elements instead of 3"):
        to_bytes("i8", "1 2", 3)
