"""Deleting ops in bodies."""

import pytest

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


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (  # ops of another dialect in graphs: each last op
            """
            "t.dialect"() ({
              "t.type"() ({
                %0 = "t.any"() : () -> i32
                "t.parameters"(%0) : (i32) -> ()
              }) {sym_name = "a"} : () -> ()
              "t.type"() ({
                %0 = "t.any"() : () -> i32
                "t.parameters"(%0) : (i32) -> ()
              }) {sym_name = "b"} : () -> ()
            }) {sym_name = "d"} : () -> ()
            """,
            ["t.parameters", "t.parameters"],
        ),
        (  # a function that returns nothing
            """
            "t.f"() ({
            ^bb0(%a: i32):
              "t.x"(%a) : (i32) -> ()
              "t.y"(%a) : (i32) -> ()
            }) {function_type = (i32) -> (), sym_name = "f"} : () -> ()
            """,
            ["t.y"],
        ),
        (  # one that returns something, what is called so, and several blocks
            """
            "t.f"() ({
              %0 = "t.x"() : () -> i32
              "t.y"(%0) : (i32) -> ()
            }) {function_type = () -> i32, sym_name = "f"} : () -> ()
            "t.g"() ({
              "t.x"() : () -> ()
              "t.Return"() : () -> ()
            }) {function_type = () -> (), sym_name = "g"} : () -> ()
            "t.h"() ({
              "t.br"()[^bb1] : () -> ()
            ^bb1:
              "t.end"() : () -> ()
            }) {function_type = () -> (), sym_name = "h"} : () -> ()
            """,
            [],
        ),
    ],
)
def test_the_last_op_of_what_needs_no_terminator(text: str, names: list[str]) -> None:
    module = Module.parse(f'"builtin.module"() ({{\n{text}}}) : () -> ()\n')
    nested = DeleteNested(BoundaryTypes(frozenset()))
    assert [module.t.name[site.op] for site in nested.sites(module)] == names
    if names:
        after = nested.apply(module, nested.sites(module))
        assert after is not None and after.count(names[0]) == len(names) - 1


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
