"""Deleting ops in bodies."""

from reducer.ir import Module
from reducer.transformations import BoundaryTypes
from reducer.transformations.delete_nested import DeleteNested
from tests.support.sides import apply_to, body_of, function


def test_a_function_argument_replaces_the_result() -> None:
    text = function(
        """
        %0 = "linalg.generic"(%arg0) ({
        ^bb0(%arg1: f32):
          %1 = "t.exp"(%arg1) : (f32) -> f64
          %2 = "t.truncf"(%1) : (f64) -> f32
          "linalg.yield"(%2) : (f32) -> ()
        }) : (tensor<4xf32>) -> tensor<4xf32>
        "func.return"(%0) : (tensor<4xf32>) -> ()
        """,
        arguments="%arg0: tensor<4xf32>",
        results="tensor<4xf32>",
    )
    after = body_of(apply_to(DeleteNested(BoundaryTypes(frozenset())), text, 0))
    assert after.splitlines()[0] == "^bb0(%arg0: tensor<4xf32>, %s0: f64):"
    assert '%2 = "t.truncf"(%s0)' in after
    assert "t.exp" not in after


def test_the_last_op_of_a_body_need_not_be_its_terminator() -> None:
    """What makes values is none; of other kinds of ops, the last one is tried."""
    text = function(
        """
        "t.body"() ({
          "t.yield"() : () -> ()
        }) : () -> ()
        "t.body"() ({
          "t.inner"() : () -> ()
          %1 = "t.value"() : () -> i32
        }) : () -> ()
        "t.body"() ({
          "t.inner"() : () -> ()
        }) : () -> ()
        "t.body"() ({
          "t.yield"() : () -> ()
        }) : () -> ()
        "func.return"() : () -> ()
        """
    )
    module = Module.parse(text)
    sites = DeleteNested(BoundaryTypes(frozenset())).sites(module)
    names = [module.t.name[site.op] for site in sites]
    assert names == ["t.inner", "t.value", "t.inner", "t.yield"]


def test_what_may_be_a_terminator_is_deleted_alone() -> None:
    text = function(
        """
        "t.body"() ({
          "t.inner"() : () -> ()
          "t.yield"() : () -> ()
        }) : () -> ()
        "t.body"() ({
          "t.end"() : () -> ()
        }) : () -> ()
        "func.return"() : () -> ()
        """
    )
    delete = DeleteNested(BoundaryTypes(frozenset()))
    for chosen, left in (
        ((), ["t.yield", "t.end"]),
        ((0, 1), ["t.yield", "t.end"]),
        ((1,), ["t.inner", "t.end"]),
        ((2,), ["t.inner", "t.yield"]),
        ((1, 2), ["t.inner", "t.end"]),
    ):
        after = Module.parse(apply_to(delete, text, *chosen))
        assert [name for name in after.t.name if name in ("t.inner", "t.yield", "t.end")] == left


def test_what_ends_the_body_of_an_op_with_results_is_a_terminator() -> None:
    text = function(
        """
        %0 = "t.if"() ({
          %1 = "t.value"() : () -> i32
          "t.yield"(%1) : (i32) -> ()
        }) : () -> i32
        "t.for"() ({
          "t.yield"() : () -> ()
        }) : () -> ()
        "t.for"() ({
          "t.other"() : () -> ()
        }) : () -> ()
        "func.return"() : () -> ()
        """
    )
    module = Module.parse(text)
    sites = DeleteNested(BoundaryTypes(frozenset())).sites(module)
    assert [module.t.name[site.op] for site in sites] == ["t.value", "t.other"]


def test_a_branch_ends_its_block() -> None:
    text = function(
        """
        "t.region"() ({
          "t.branch"()[^bb1] : () -> ()
        ^bb1:
          "t.return"() : () -> ()
        }) : () -> ()
        "func.return"() : () -> ()
        """
    )
    module = Module.parse(text)
    sites = DeleteNested(BoundaryTypes(frozenset())).sites(module)
    assert [module.t.name[site.op] for site in sites] == ["t.return"]
