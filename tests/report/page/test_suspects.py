from dataclasses import replace

from reducer.ir import Module
from reducer.report.page.arguments import argument_names
from reducer.report.page.highlight import lines
from reducer.report.page.suspects import failing_ops, rows_of
from tests.support.histories import FINAL, RESULT, history

MODULE = Module.parse(FINAL)


def test_where_the_errors_point_decides() -> None:
    assert failing_ops(MODULE, history(failing=[2])) == [2]
    assert failing_ops(MODULE, history(failing=[99])) == [3]  # a history of another program


def test_the_op_that_the_message_names_is_next() -> None:
    assert failing_ops(MODULE, history(failing=[])) == [3]


def test_a_crash_is_the_fault_of_the_only_op_that_computes() -> None:
    silent = history(failing=[], signature=replace(history().signature, op=""))
    assert failing_ops(MODULE, silent) == [3]
    two = Module.parse(FINAL.replace("() : () -> i64", "(%arg0) : (f32) -> i64"))
    assert failing_ops(two, silent) == []


def test_the_row_of_an_op_in_pretty_form() -> None:
    assert rows_of([3], MODULE, list(lines(RESULT))) == {3}
    assert rows_of([3], MODULE, list(lines(FINAL))) == {4}
    assert rows_of([3], MODULE, list(lines(RESULT + "%2 = t.bad %0"))) == frozenset()


def test_the_names_of_arguments_come_from_the_text() -> None:
    text = (
        "func.func private @g(i64)\nfunc.func @f(%a: f32 {x.y = 1}) -> (f32) {\n  %b = t.x %a : f32"
    )
    assert argument_names(text, MODULE) == {0: "%a"}
    assert argument_names("func.func @f(%a: f32, %b: f32)", MODULE) == {}
