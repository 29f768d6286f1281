"""What dispatches read and make, from a program that shows it."""

import pytest

from oracles.profiles.iree import DISPATCH_CALLS
from reducer.ir import Module
from reducer.miscompile.locate.dispatch_calls import read_calls
from reducer.miscompile.locate.dispatch_trace import Execution, executions, watched

CALL = (
    '"flow.dispatch"({}) <{{entry_points = [@e::@d], operandSegmentSizes = array<i32: 0, 2, 0, 0>, '
    "tied_operands = [-1 : index]}}> : (tensor<2xf32>, index) -> tensor<2xf32>"
)
PROGRAM = f"""
"builtin.module"() ({{
  "util.func"() <{{function_type = (!hal.buffer_view, index) -> !hal.buffer_view, \
sym_name = "main"}}> ({{
  ^bb0(%arg0: !hal.buffer_view, %arg1: index):
    %0 = "hal.tensor.import"(%arg0) : (!hal.buffer_view) -> tensor<2xf32>
    %1 = {CALL.format("%0, %arg1")}
    %2 = "scf.for"(%arg1, %arg1, %arg1, %1) ({{
    ^bb0(%arg2: index, %arg3: tensor<2xf32>):
      %4 = {CALL.format("%arg3, %arg2")}
      "scf.yield"(%4) : (tensor<2xf32>) -> ()
    }}) : (index, index, index, tensor<2xf32>) -> tensor<2xf32>
    %3 = "hal.tensor.export"(%2) : (tensor<2xf32>) -> !hal.buffer_view
    "util.return"(%3) : (!hal.buffer_view) -> ()
  }}) : () -> ()
}}) : () -> ()
""".lstrip()

STDOUT = """\
EXEC @main
result[0]: hal.buffer_view
2xf32=7 7
result[1]: hal.buffer_view
2xf32=3 4
"""


def shown(function: str | None, stdout: str, stderr: str) -> list[tuple[tuple[str, ...], ...]]:
    module = Module.parse(PROGRAM)
    calls = read_calls(module, DISPATCH_CALLS, None)
    program = watched(module, calls, DISPATCH_CALLS, function)
    Module.parse(program.text)
    found = executions(program, ["2xf32=1 2", "5"], stdout, stderr, DISPATCH_CALLS)
    return [(one.arguments, one.results) for one in found]


def printed(key: str, *values: str) -> str:
    return "\n".join([f"=== {key} ===", *values, "", ""])


def test_values_of_the_function_are_returned_and_those_of_a_loop_printed() -> None:
    text = watched(
        (module := Module.parse(PROGRAM)),
        read_calls(module, DISPATCH_CALLS, None),
        DISPATCH_CALLS,
        "main",
    ).text
    assert text.count('"hal.tensor.export"') == 2 and text.count('"flow.tensor.trace"') == 1
    assert "-> (!hal.buffer_view, !hal.buffer_view)" in text
    (key,) = (part.split('"')[0] for part in text.split('key = "')[1:])
    loop = printed(key, "2xf32=3 4", "i64=0", "2xf32=5 6") + printed(
        key, "2xf32=5 6", "i64=1", "2xf32=7 7"
    )
    assert shown("main", STDOUT, loop) == [
        (("2xf32=1 2", "5"), ("2xf32=3 4",)),
        (("2xf32=3 4", "0"), ("2xf32=5 6",)),
        (("2xf32=5 6", "1"), ("2xf32=7 7",)),
    ]


def test_a_call_that_does_not_run_has_no_execution() -> None:
    assert shown("main", STDOUT, "") == [(("2xf32=1 2", "5"), ("2xf32=3 4",))]


@pytest.mark.parametrize("value", ["2xf32=3 4...", "neither type nor value"])
def test_what_cannot_be_read_has_none(value: str) -> None:
    assert shown("main", STDOUT.replace("2xf32=3 4", value), "") == []


def test_the_size_of_an_execution() -> None:
    (call, _) = read_calls(Module.parse(PROGRAM), DISPATCH_CALLS, None)
    assert Execution(call, ("2xf32=1 2", "5"), ("1xf32=1",)).length == 10
