"""One argument for several."""

from reducer.transformations.merge_arguments import MergeArguments
from tests.support.sides import apply_to, body_of, function
from tests.transformations.test_inline_calls import CALLEE, CALLER, module

TEXT = function(
    """
    %0 = "t.a"(%arg0, %arg1, %arg2, %arg3) : (f32, i32, f32, f32) -> f32
    "func.return"(%0) : (f32) -> ()
    """,
    arguments="%arg0: f32, %arg1: i32, %arg2: f32, %arg3: f32",
    results="f32",
)


def test_all_of_a_type() -> None:
    assert (
        body_of(apply_to(MergeArguments(), TEXT))
        == """\
^bb0(%arg0: f32, %arg1: i32):
%0 = "t.a"(%arg0, %arg1, %arg0, %arg0) : (f32, i32, f32, f32) -> f32
"func.return"(%0) : (f32) -> ()"""
    )


def test_only_one() -> None:
    assert '"t.a"(%arg0, %arg1, %arg0, %arg3)' in apply_to(MergeArguments(), TEXT, 0)


def test_calls_pass_less() -> None:
    after = apply_to(MergeArguments(), module(CALLER, CALLEE))
    assert '"func.call"(%arg0) <{callee = @two}> : (i32) -> (i32, i32)' in after
