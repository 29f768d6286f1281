"""Inputs in the syntax of the runtime, and the form in which answers are handed over."""

from pathlib import Path

import numpy as np
import pytest

from reducer.miscompile.interpreter.answers import Evaluation
from reducer.miscompile.interpreter.attributes import parse_type
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.evaluate import parse_input, part_of
from reducer.miscompile.interpreter.values import Array
from reducer.miscompile.values.programs import ValueType


@pytest.mark.parametrize(
    ("text", "dtype", "numbers"),
    [
        ("2x3xf32=1 2 3 4 5 6", "float32", [[1, 2, 3], [4, 5, 6]]),
        ("2x2xf32=[1 2][3 4]", "float32", [[1, 2], [3, 4]]),
        ("3xi32=7", "int32", [7, 7, 7]),
        ("3xi8=-1,255,0x10", "int8", [-1, -1, 16]),
        ("2x2xi1=00 01 01 00", "bool", [[False, True], [True, False]]),  # the runtime's bytes
        ("4xi1=01 0 true false", "bool", [True, False, True, False]),
        ("2xi8=08 09", "int8", [8, 9]),
        ("2xi4=-8 7", "int8", [-8, 7]),
        ("f64=2.5", "float64", 2.5),
        ("2xf16=inf -NAN", "float16", [np.inf, np.nan]),
        ("2xi64=9223372036854775807 -9223372036854775808", "int64", [2**63 - 1, -(2**63)]),
        ("2xf32", "float32", [0, 0]),
        ("2xcf64=0000803F000000C0 0000000000004040", "complex64", [1 - 2j, 3j]),
        ("2xcomplex64=1 2 3 4", None, None),
    ],
)
def test_texts(text: str, dtype: str | None, numbers: object) -> None:
    if dtype is None:
        with pytest.raises(Unsupported):
            parse_input(text)
        return
    found = parse_input(text).data
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, numbers)


def test_a_number_takes_the_type_of_the_parameter() -> None:
    assert parse_input("3", parse_type("index")).data.dtype == np.int64
    assert parse_input("2.5", parse_type("f16")).data == np.float16(2.5)
    demoted = parse_input("2xf32=1 2", parse_type("tensor<2xf64>"))
    assert demoted.data.dtype == np.float64


def test_files(tmp_path: Path) -> None:
    numbers = np.arange(6, dtype=np.int32).reshape(2, 3)
    numbers.tofile(tmp_path / "raw.bin")
    np.save(tmp_path / "array.npy", numbers)
    for text in (f"2x3xi32=@{tmp_path}/raw.bin", f"@{tmp_path}/array.npy"):
        np.testing.assert_array_equal(parse_input(text).data, numbers)


def test_an_answer_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "answer"
    partly = Array(np.float32([1.5, 2]), np.array([False, True]))
    parts = [
        part_of(partly, parse_type("tensor<?xf32>")),
        part_of(Array(np.int8([-1, 5])), parse_type("tensor<2xui8>")),
        part_of(Array(np.bool_(True)), parse_type("i1")),
        part_of(
            Array(np.complex64([[1 - 2j], [3j]]), np.array([[False], [True]])),
            parse_type("tensor<2x1xcomplex<f32>>"),
        ),
    ]
    Evaluation(parts, hazards=("one",)).write(path)
    result = Evaluation.read(path)
    first, second, third, last = result.results
    assert first.type == ValueType("f32", (2,)) and tuple(first.elements) == (1.5, 2)
    assert tuple(first.defined) == (True, False)
    assert tuple(second.elements) == (255, 5) and second.defined is None
    assert third.type == ValueType("i1", None) and tuple(third.elements) == (1,)
    assert last.type == ValueType("cf64", (2, 1)) and tuple(last.elements) == (1, -2, 0, 3)
    assert tuple(last.defined) == (True, True, False, False)
    assert result.hazards == ("one",) and not result.unsupported
