"""Deleting ops with stubs: lost values become arguments, orphaned ones are returned."""

from textwrap import dedent

from reducer.ir import Module
from reducer.transformations import BodyOps, BoundaryTypes, Site, carve
from reducer.transformations.delete_ops import DeleteOps
from tests.support.sides import apply_to, body_of, function

ABI = BoundaryTypes(frozenset({"!t.box"}))

CHAIN = function(
    """
    %0 = "t.a"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "t.b"(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "t.c"(%1) : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%2) : (tensor<4xf32>) -> ()
    """,
    arguments="%arg0: tensor<4xf32>",
    results="tensor<4xf32>",
)


def test_the_middle_of_a_chain() -> None:
    after = apply_to(DeleteOps(ABI), CHAIN, 0, 2)
    assert body_of(after) == dedent("""\
        ^bb0(%s0: tensor<4xf32>):
        %1 = "t.b"(%s0) : (tensor<4xf32>) -> tensor<4xf32>
        "func.return"(%1) : (tensor<4xf32>) -> ()""")


def test_a_symbol_stays_while_an_op_that_stays_refers_to_it() -> None:
    text = CHAIN.replace('"t.b"(%0)', '"t.b"(%0) {of = @g0}').replace(
        '  "func.func"', '  "t.global"() <{sym_name = "g0"}> : () -> ()\n  "func.func"'
    )
    of_c, of_b = (apply_to(DeleteOps(ABI), text, number) for number in (2, 1))
    assert "t.c" not in of_c and "t.global" in of_c
    assert "t.b" not in of_b and "t.global" not in of_b


def test_an_unused_result_stays_unused() -> None:
    text = function(
        """
        %0:2 = "t.topk"(%arg0) : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
        %1 = "t.use"(%0#1) : (tensor<2xi64>) -> tensor<2xi64>
        "func.return"(%1) : (tensor<2xi64>) -> ()
        """,
        arguments="%arg0: tensor<4xf32>",
        results="tensor<2xi64>",
    )
    after = apply_to(DeleteOps(ABI), text, 1)
    assert '"func.return"(%0#1) : (tensor<2xi64>) -> ()' in after


def test_values_that_may_not_cross_the_boundary_keep_their_producer() -> None:
    text = function(
        """
        %0 = "t.int"() : () -> !t.int
        %1 = "t.list"(%0) : (!t.int) -> !t.list<int>
        %2 = "t.view"(%arg0, %1) : (!t.box<[4]>, !t.list<int>) -> !t.box<[4]>
        "func.return"(%2) : (!t.box<[4]>) -> ()
        """,
        arguments="%arg0: !t.box<[4]>",
        results="!t.box<[4]>",
    )
    assert DeleteOps(ABI).apply(Module.parse(text), [Site(2), Site(3)]) is None


def test_an_op_can_go_if_nothing_uses_the_result_that_may_not_cross() -> None:
    text = function(
        """
        %0 = "t.int"() : () -> !t.int
        %1 = "t.int"() : () -> !t.int
        "t.use"(%1) : (!t.int) -> ()
        "func.return"() : () -> ()
        """
    )
    module = Module.parse(text)
    unused, used, use = BodyOps.of(module).ops
    found = {site.op for site in DeleteOps(BoundaryTypes(frozenset())).sites(module)}
    assert found == {unused, use}, used


def test_a_deleted_constant_becomes_an_argument_where_its_type_allows() -> None:
    text = function(
        """
        %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
        %1 = "t.a"(%0) : (i32) -> i32
        "func.return"(%1) : (i32) -> ()
        """,
        results="i32",
    )
    assert body_of(apply_to(DeleteOps(ABI), text, 0)).startswith("^bb0(%s0: i32):")


def test_a_region_that_uses_outer_values_gets_them_as_arguments() -> None:
    text = function(
        """
        %0 = "t.make"() : () -> tensor<4xf32>
        %1 = "t.loop"() ({
          "t.yield"(%0) : (tensor<4xf32>) -> ()
        }) : () -> tensor<4xf32>
        "func.return"(%1) : (tensor<4xf32>) -> ()
        """,
        results="tensor<4xf32>",
    )
    after = apply_to(DeleteOps(ABI), text, 0)
    assert '"t.yield"(%s0) : (tensor<4xf32>) -> ()' in after


def test_globals_are_removed_with_their_last_user_and_callees_stay_whole() -> None:
    text = """\
"builtin.module"() ({
  "t.global"() <{sym_name = "g"}> : () -> ()
  "func.func"() <{function_type = () -> i32, sym_name = "main"}> ({
    %0 = "t.load"() {global = @g} : () -> i32
    %1 = "t.call"() {callee = @callee} : () -> i32
    %2 = "t.add"(%0, %1) : (i32, i32) -> i32
    "func.return"(%2) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> i32, sym_name = "callee", sym_visibility = "private"}> ({
    %0 = "t.one"() : () -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""
    module = Module.parse(text)
    ops = BodyOps.of(module).ops
    load, call = ops[0], ops[1]
    without_load = DeleteOps(ABI).apply(module, [Site(load)])
    assert without_load is not None
    assert "t.global" not in without_load
    assert "@callee" in without_load and '"t.one"' in without_load
    without_call = DeleteOps(ABI).apply(module, [Site(call), *map(Site, ops[3:])])
    assert without_call is not None
    assert "t.global" in without_call and "callee = @" not in without_call
    assert '"t.one"' not in without_call


def test_operands_of_branches_are_kept() -> None:
    text = function(
        """
        %0 = "t.make"() : () -> tensor<4xf32>
        "cf.br"(%0)[^bb1] : (tensor<4xf32>) -> ()
        ^bb1(%1: tensor<4xf32>):  // pred: ^bb0
        "func.return"(%1) : (tensor<4xf32>) -> ()
        """,
        results="tensor<4xf32>",
    )
    after = apply_to(DeleteOps(ABI), text, 0)
    assert '"cf.br"(%s0)[^bb1]' in after


def test_the_type_of_an_exported_function_stays() -> None:
    text = """\
"builtin.module"() ({
  "t.executable"() <{sym_name = "exe"}> ({
    "t.export"() <{function_ref = @entry, sym_name = "export"}> : () -> ()
    "builtin.module"() ({
      "func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "entry"}> ({
      ^bb0(%arg0: tensor<4xf32>):
        %0 = "t.a"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
        "t.store"(%0) : (tensor<4xf32>) -> ()
        "func.return"() : () -> ()
      }) : () -> ()
    }) : () -> ()
  }) : () -> ()
  "t.executable"() <{sym_name = "other"}> ({
    "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
      "func.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()
"""
    module = Module.parse(text)
    body = BodyOps.of(module)
    assert DeleteOps(ABI).apply(module, [Site(body.ops[0])]) is None
    store = carve(body, body.ops[1:], ABI)
    assert '"t.a"' in store, "what a fixed function needs stays"
    assert "t.export" in store
    assert "other" not in store


def test_a_private_function_without_callers_stays_private() -> None:
    text = CHAIN.replace('sym_name = "f"', 'sym_name = "f", sym_visibility = "private"')
    assert "private" in apply_to(DeleteOps(ABI), text, 0)
