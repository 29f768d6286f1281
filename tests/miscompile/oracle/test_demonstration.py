"""What the runtime's tool is told to show that a program is wrong."""

from dataclasses import replace
from pathlib import Path

import pytest

from reducer.miscompile.oracle.demonstration import Demonstration, demonstration_of
from reducer.miscompile.oracle.execution import Compiled, ExecutionResult
from reducer.miscompile.oracle.program_pool import ComparisonCase
from reducer.miscompile.values.programs import UNKNOWN, Function, Value, ValueType


def value(type_: str, *elements: float, defined: tuple[bool, ...] | None = None) -> Value:
    parsed = ValueType.parse(f"tensor<{type_}>" if "x" in type_ else type_)
    return Value(parsed, elements, defined)


def shown(actual: Value, right: Value) -> Demonstration:
    results = (ExecutionResult((one,)) for one in (actual, right))
    return Demonstration("f", ("2xf32=1 2",), "local-task", (), *results, is_seen=True)


@pytest.mark.parametrize(
    ("actual", "right", "flags"),
    [
        (value("2xf32", 1, 2), value("2xf32", 1, 3), ["2xf32=1 3"]),
        (value("2xf32", 1, 2), value("2xf32", 0.1, float("nan")), ["2xf32=0.1 nan"]),
        (value("2xi1", 1, 0), value("2xi1", 0, 1), ["2xi1=00 01"]),
        (value("2xui8", 1, 0), value("2xi8", 0, 1), ["2xui8=0 1"]),
        (value("2xf32", 1, 2), value("3xf32", 1, 2, 3), ["3xf32=1 2 3"]),
        (value("2xi8", 1, 2), value("2xi8", 0, 9, defined=(True, False)), ["2xi8=0 2"]),
        (value("2xi8", 1, 2), UNKNOWN, ["(ignored)"]),
        (value("1xi64", 0), value("1xi64", 2**53 + 1), ["1xi64=9007199254740993"]),
    ],
)
def test_expected_values(actual: Value, right: Value, flags: list[str]) -> None:
    found = shown(actual, right).expected_flags
    assert found == [f"--expected_output={one}" for one in flags]
    assert shown(actual, right).words("x")[-1] == found[-1]


@pytest.mark.parametrize(
    ("actual", "right"),
    [
        (value("i32", 1), value("i32", 2)),
        (value("2xbf16", 1, 2), value("2xbf16", 1, 3)),
        (value("2xf8E5M2", 1, 2), value("2xf8E5M2", 1, 3)),
    ],
)
def test_what_the_tool_does_not_compare_as_we_do_is_not_shown_to_it(
    actual: Value, right: Value
) -> None:
    """It takes all scalars for wrong, and compares these floats bit by bit in some releases."""
    assert not shown(actual, right).expected_flags


def test_what_is_right_is_told_in_the_types_that_the_runtime_prints() -> None:
    right = ExecutionResult((value("ui8", 164),))
    case = ComparisonCase("", Function("f", (), ()), (), expected=right)
    program = Compiled(Path("a.vmfb"), Path("run"), "local-task")
    found = demonstration_of(case, ExecutionResult((value("i8", 3),)), program)
    assert str(found.expected.results[0]) == "i8=-92"


def test_a_tolerance_that_rounding_exceeds_is_set() -> None:
    large = shown(value("2xf32", 1, 2), value("2xf32", 1e6, 3))
    assert large.expected_flags[-1] == "--expected_f32_threshold=1000"
    loose = replace(value("2xf32", 1, 3), slack=(0.5, 0.0))
    (_, flag) = shown(value("2xf32", 1, 2), loose).expected_flags
    assert flag == "--expected_f32_threshold=0.503"
    strict = replace(large, tolerance=1e-6)
    assert strict.expected_flags[-1] == "--expected_f32_threshold=1"


def test_long_inputs_are_in_a_file() -> None:
    long = replace(shown(value("2xf32", 1, 2), value("2xf32", 1, 3)), inputs=("1xf32=1",) * 500)
    assert "--flagfile=in.txt" in long.words("in.txt")
    assert long.inputs_text.count("--input=1xf32=1\n") == 500
