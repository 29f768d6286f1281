"""Inlining calls."""

from reducer.ir import Module
from reducer.transformations.inline_calls import InlineCalls
from tests.support.sides import apply_to, body_of

CALLER = """\
  "func.func"() <{function_type = (i32) -> i32, sym_name = "main"}> ({
  ^bb0(%arg0: i32):
    %0:2 = "func.call"(%arg0, %arg0) <{callee = @two}> : (i32, i32) -> (i32, i32)
    %1 = "t.add"(%0#0, %0#1) : (i32, i32) -> i32
    "func.return"(%1) : (i32) -> ()
  }) : () -> ()
"""
CALLEE = """\
  "func.func"() <{function_type = (i32, i32) -> (i32, i32), sym_name = "two"}> ({
  ^bb0(%arg0: i32, %arg1: i32):
    %0:2 = "t.once"(%arg1) ({
    ^bb0(%arg2: i32):
      %1 = "t.neg"(%arg2) {s = "%arg1"} : (i32) -> i32
      "t.yield"(%1, %arg0) : (i32, i32) -> ()
    }) : (i32) -> (i32, i32)
    "func.return"(%0#1, %arg0) : (i32, i32) -> ()
  }) : () -> ()
"""


def module(*functions: str) -> str:
    return '"builtin.module"() ({\n' + "".join(functions) + "}) : () -> ()\n"


def test_the_body_is_renamed_and_the_function_removed() -> None:
    after = apply_to(InlineCalls(), module(CALLER, CALLEE))
    assert (
        body_of(after)
        == """\
^bb0(%arg0: i32):
%s0:2 = "t.once"(%arg0) ({
^bb0(%s1: i32):
  %s2 = "t.neg"(%s1) {s = "%arg1"} : (i32) -> i32
  "t.yield"(%s2, %arg0) : (i32, i32) -> ()
}) : (i32) -> (i32, i32)
%1 = "t.add"(%s0#1, %arg0) : (i32, i32) -> i32
"func.return"(%1) : (i32) -> ()"""
    )
    assert "two" not in after


def test_a_function_with_another_call_stays() -> None:
    other = CALLER.replace("main", "other")
    text = module(CALLER, other, CALLEE)
    assert '"two"' in apply_to(InlineCalls(), text, 0)
    assert '"two"' not in apply_to(InlineCalls(), text)


def test_a_caller_that_is_inlined_itself_waits() -> None:
    top = """\
  "func.func"() <{function_type = (i32) -> i32, sym_name = "top"}> ({
  ^bb0(%arg0: i32):
    %0 = "func.call"(%arg0) <{callee = @main}> : (i32) -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
"""
    after = apply_to(InlineCalls(), module(top, CALLER, CALLEE))
    assert after.count("func.call") == 1
    assert "func.call" not in apply_to(InlineCalls(), after)


def test_other_types_and_recursion_are_not_inlined() -> None:
    recursive = CALLER.replace("main", "two").replace("(i32) -> i32, sym", "(i32, i32) -> i32, sym")
    for text in (module(CALLER, CALLEE.replace("i32", "i64")), module(recursive)):
        assert InlineCalls().sites(Module.parse(text)) == []
