"""Arguments and results of functions."""

from textwrap import dedent

from reducer.ir import Module
from reducer.transformations.signatures import DropArguments, DropReturns
from tests.support.sides import apply_to, body_of, function

TEXT = function(
    """
    %0 = "t.a"(%arg1) : (f32) -> f32
    %1 = "t.b"() : () -> i32
    "func.return"(%0, %1) : (f32, i32) -> ()
    """,
    arguments="%arg0: i32, %arg1: f32",
    results="f32, i32",
)


def test_one_result_less() -> None:
    after = apply_to(DropReturns(), TEXT, 0)
    assert '"func.return"(%1) : (i32) -> ()' in after
    assert "-> i32, sym_name" in after


def test_unused_arguments() -> None:
    assert body_of(apply_to(DropArguments(), TEXT)).startswith(
        dedent("""\
        ^bb0(%arg1: f32):
        %0 = "t.a"(%arg1)""")
    )


def test_the_signature_of_a_called_function_stays() -> None:
    caller = '  "t.call"() {callee = @f} : () -> ()\n})'
    text = TEXT[: TEXT.rindex("})")] + caller + TEXT[TEXT.rindex("})") + 2 :]
    module = Module.parse(text)
    assert DropReturns().sites(module) == []
    assert DropArguments().sites(module) == []
