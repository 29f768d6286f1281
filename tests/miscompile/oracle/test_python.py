"""References written in Python."""

import sys
from pathlib import Path

import pytest

from oracles.run.limits import Limits
from reducer.miscompile.oracle.execution import ExecutionResult, RunContext
from reducer.miscompile.oracle.references import PythonReference
from reducer.miscompile.values.programs import Function, ValueType

pytest.importorskip("numpy")

VECTOR, WORDS = ValueType("f32", (3,)), ValueType("i32", (3,))
SOURCE = """
import numpy as np

def double(x):
    print("not an answer")
    return x * 2

def typed(words: "3xi32", x: "?xf32"):
    return words + x.astype(np.int32)

def types(*inputs):
    return [np.array(str(x.dtype) == name) for x, name in zip(inputs, ("bool", "float32", "int64"))]

def some(x):
    return None, x

def fails(x):
    raise ValueError("no such thing")
"""


def ask(
    folder: Path, name: str, inputs: dict[str, ValueType], *results: ValueType
) -> ExecutionResult:
    file = folder / "a reference.py"
    file.write_text(SOURCE)
    program = PythonReference(file, name, sys.executable).build("", folder, RunContext(Limits()))
    assert program is not None
    function = Function("f", tuple(inputs.values()), results)
    return program.call(function, list(inputs), RunContext(Limits(60)), garbage=0)


def test_results_of_a_function(tmp_path: Path) -> None:
    answer = ask(tmp_path, "double", {"3xf32=1 2.5 -3": VECTOR}, VECTOR)
    assert not answer.failure
    assert str(answer.results[0]) == "3xf32=2 5 -6"


def test_complex_numbers(tmp_path: Path) -> None:
    type_ = ValueType("cf64", (2,))
    answer = ask(tmp_path, "double", {"2xcf64=0000803F000000C0": type_}, type_)
    assert str(answer.results[0]) == "2xcf64=2 -4 2 -4"


def test_parameters_may_say_which_inputs_they_take(tmp_path: Path) -> None:
    inputs = {"2x1xf32=9 9": VECTOR, "3xf32=1 2 3": VECTOR, "3xi32=4,5,6": WORDS}
    answer = ask(tmp_path, "typed", inputs, WORDS)
    assert str(answer.results[0]) == "3xi32=5 7 9"


def test_a_missing_input_is_a_failure(tmp_path: Path) -> None:
    answer = ask(tmp_path, "typed", {"3xf32=1 2 3": VECTOR}, WORDS)
    assert "too few inputs of type 3xi32" in answer.failure


def test_element_types(tmp_path: Path) -> None:
    inputs = {"1xi1=1": VECTOR, "1xbf16=1": VECTOR, "1xindex=3": VECTOR}
    answer = ask(tmp_path, "types", inputs, VECTOR, VECTOR, VECTOR)
    assert [value.words for value in answer.results] == [["1"]] * 3


def test_a_result_may_be_left_open(tmp_path: Path) -> None:
    answer = ask(tmp_path, "some", {"3xf32=1": VECTOR}, VECTOR, VECTOR)
    assert answer.results[0].elements is None
    assert tuple(answer.results[1].elements) == (1, 1, 1)


def test_results_find_their_place_by_type(tmp_path: Path) -> None:
    answer = ask(tmp_path, "double", {"3xf32=1 2 3": VECTOR}, WORDS, VECTOR)
    assert [value.words for value in answer.results] == [[], ["2", "4", "6"]]


def test_an_exception_is_a_failure(tmp_path: Path) -> None:
    answer = ask(tmp_path, "fails", {"3xf32=1": VECTOR}, VECTOR)
    assert answer.failure.endswith("ValueError: no such thing")
