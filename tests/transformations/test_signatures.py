"""Dropping arguments and results of functions."""

from textwrap import dedent

from reducer.ir import Module
from tests.support.sides import TIED, apply_to, body_of, function

TEXT = function(
    """
    %0 = "t.a"(%arg1) : (f32) -> f32
    %1 = "t.b"() : () -> i32
    "func.return"(%0, %1) : (f32, i32) -> ()
    """,
    arguments="%arg0: i32, %arg1: f32",
    results="f32, i32",
)


def test_dropping_a_result() -> None:
    after = apply_to(TIED["drop results"], TEXT, 0)
    assert '"func.return"(%1) : (i32) -> ()' in after
    assert "-> i32, sym_name" in after


def test_dropping_a_result_at_every_return() -> None:
    text = function(
        """
        "cf.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
        ^bb1:  // pred: ^bb0
        "func.return"(%c, %a) : (i1, i32) -> ()
        ^bb2:  // pred: ^bb0
        %0 = "t.b"() : () -> i1
        "func.return"(%0, %a) : (i1, i32) -> ()
        """,
        arguments="%c: i1, %a: i32",
        results="i1, i32",
    )
    after = apply_to(TIED["drop results"], text, 1)
    assert '"func.return"(%c) : (i1) -> ()' in after
    assert '"func.return"(%0) : (i1) -> ()' in after
    assert "-> i1, sym_name" in after


def test_unused_arguments() -> None:
    assert body_of(apply_to(TIED["drop arguments"], TEXT)).startswith(
        dedent("""\
        ^bb0(%arg1: f32):
        %0 = "t.a"(%arg1)""")
    )


def with_beside(line: str) -> Module:
    """The module with an additional op after its function."""
    return Module.parse(TEXT[: TEXT.rindex("})")] + line + TEXT[TEXT.rindex("})") :])


def test_the_signature_of_a_called_function_stays() -> None:
    caller = """\
  "func.func"() <{function_type = () -> (), sym_name = "caller"}> ({
    "t.call"() {callee = @f} : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
"""
    assert TIED["drop results"].sites(with_beside(caller)) == []
    assert TIED["drop arguments"].sites(with_beside(caller)) == []


def test_arguments_of_an_exported_function_may_be_dropped() -> None:
    module = with_beside('  "t.export"() {function_ref = @f} : () -> ()\n')
    assert TIED["drop results"].sites(module) == []
    assert len(TIED["drop arguments"].sites(module)) == 1
