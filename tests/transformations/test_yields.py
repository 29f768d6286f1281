"""Making bodies yield existing values."""

from reducer.ir import Module
from reducer.transformations.yields import YieldOthers
from tests.support.sides import apply_to, body_of, function

GENERIC = function(
    """
    %0 = "linalg.generic"(%arg0, %arg1) ({
    ^bb0(%arg2: f32, %arg3: f32):
      %1 = "arith.mulf"(%arg2, %arg2) : (f32, f32) -> f32
      %2 = "arith.addf"(%arg3, %1) : (f32, f32) -> f32
      "linalg.yield"(%2) : (f32) -> ()
    }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%0) : (tensor<4xf32>) -> ()
    """,
    arguments="%arg0: tensor<4xf32>, %arg1: tensor<4xf32>",
    results="tensor<4xf32>",
)


def test_a_body_yields_its_input_and_its_computation_is_removed() -> None:
    assert (
        body_of(apply_to(YieldOthers(), GENERIC, 0))
        == """\
^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>):
%0 = "linalg.generic"(%arg0, %arg1) ({
^bb0(%arg2: f32, %arg3: f32):
  "linalg.yield"(%arg2) : (f32) -> ()
}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
"func.return"(%0) : (tensor<4xf32>) -> ()"""
    )


def test_a_body_yields_its_output() -> None:
    assert '"linalg.yield"(%arg3)' in apply_to(YieldOthers(), GENERIC, 1)


def test_the_first_of_two_choices_wins() -> None:
    assert '"linalg.yield"(%arg2)' in apply_to(YieldOthers(), GENERIC)


def test_a_branch_yields_an_argument_of_the_function() -> None:
    text = function(
        """
        %0 = "scf.if"(%arg0) ({
          %1 = "t.then"() : () -> f32
          "scf.yield"(%1) : (f32) -> ()
        }, {
          "scf.yield"(%arg1) : (f32) -> ()
        }) : (i1) -> f32
        "func.return"(%0) : (f32) -> ()
        """,
        arguments="%arg0: i1, %arg1: f32",
        results="f32",
    )
    after = apply_to(YieldOthers(), text)
    assert "t.then" not in after
    assert after.count('"scf.yield"(%arg1)') == 2


def test_ops_with_other_users_stay() -> None:
    text = GENERIC.replace(
        '      "linalg.yield"(%2)', '      "t.use"(%1) : (f32) -> ()\n      "linalg.yield"(%2)'
    )
    after = apply_to(YieldOthers(), text, 0)
    assert "arith.mulf" in after and "arith.addf" not in after


def test_only_called_functions_return_their_arguments() -> None:
    text = function(
        """
        %0 = "t.neg"(%arg0) : (f32) -> f32
        "func.return"(%0) : (f32) -> ()
        """,
        arguments="%arg0: f32",
        results="f32",
    )
    assert YieldOthers().sites(Module.parse(text)) == []
    called = text.replace(
        "  }) : () -> ()\n}) :", '  }) : () -> ()\n  "t.use"() {callee = @f} : () -> ()\n}) :'
    )
    assert '"func.return"(%arg0)' in apply_to(YieldOthers(), called)
