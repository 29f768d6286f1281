"""Carving any subset of any module leaves a well-formed module."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reducer.ir import Module
from reducer.transformations import BodyOps, BoundaryTypes, carve, lift, with_result
from tests.support.modules import modules
from tests.support.sides import body_of, function
from tests.support.wellformed import dangling, problems
from tests.transformations.bodies import modules_with_bodies


@settings(max_examples=40)
@given(modules(), st.data())
def test_any_subset_is_well_formed(text: str, data: st.DataObject) -> None:
    module = Module.parse(text)
    body = BodyOps.of(module)
    flags = data.draw(st.lists(st.booleans(), min_size=len(body.ops), max_size=len(body.ops)))
    keep = [body_op for body_op, kept in zip(body.ops, flags, strict=True) if kept]
    after = Module.parse(carve(body, keep, BoundaryTypes(frozenset({"!t.box"}))))
    assert problems(after) == []
    assert dangling(after) <= dangling(module)
    everything = Module.parse(carve(body, body.ops, BoundaryTypes.of(module)))
    ops = [module.t.name[body_op] for body_op in body.ops]
    assert [everything.t.name[body_op] for body_op in BodyOps.of(everything).ops] == ops


def test_configuration_is_removed_with_its_last_user() -> None:
    text = function(
        """
        %0 = "t.int"() : () -> !t.int
        %1 = "t.list"(%0) : (!t.int) -> !t.list<int>
        %2 = "t.view"(%arg0, %1) : (tensor<4xf32>, !t.list<int>) -> tensor<4xf32>
        %3 = "t.neg"(%2) : (tensor<4xf32>) -> tensor<4xf32>
        "func.return"(%3) : (tensor<4xf32>) -> ()
        """,
        arguments="%arg0: tensor<4xf32>",
        results="tensor<4xf32>",
    )
    module = Module.parse(text)
    body = BodyOps.of(module)
    list_and_negation = [body.ops[1], body.ops[3]]
    after = Module.parse(carve(body, list_and_negation, BoundaryTypes.of(module)))
    assert [after.t.name[u] for u in BodyOps.of(after).ops] == ["t.neg"]


def test_a_terminator_that_makes_a_returned_value_stays() -> None:
    text = function(
        """
        %0 = "t.use"(%arg0) : (f32) -> f32
        %1 = "t.invoke"(%arg0)[^bb1, ^bb2] : (f32) -> f32
        ^bb1:
        %2 = "t.use"(%0) : (f32) -> f32
        "func.return"(%1) : (f32) -> ()
        ^bb2:
        "func.return"(%2) : (f32) -> ()
        """,
        arguments="%arg0: f32",
        results="f32",
    )
    module = Module.parse(text)
    body = BodyOps.of(module)
    after = Module.parse(carve(body, [body.ops[0]], BoundaryTypes.of(module)))
    assert "t.invoke" in after.t.name
    assert dangling(after) == set()


def test_an_argument_stays_a_result_while_an_op_uses_it() -> None:
    """What the op does with its memory may be what is wrong."""
    text = function(
        """
        %0 = "t.insert"(%arg0, %arg1) : (tensor<4xf32>, f32) -> tensor<4xf32>
        %1 = "t.neg"(%arg2) : (tensor<4xf32>) -> tensor<4xf32>
        "func.return"(%arg0, %0, %arg2) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
        """,
        arguments="%arg0: tensor<4xf32>, %arg1: f32, %arg2: tensor<4xf32>",
        results="tensor<4xf32>, tensor<4xf32>, tensor<4xf32>",
    )
    module = Module.parse(text)
    body = BodyOps.of(module)
    after = Module.parse(carve(body, body.ops[:1], BoundaryTypes.of(module)))
    (returned,) = (op for op, name in enumerate(after.t.name) if name == "func.return")
    assert [after.tokens[value] for value in after.t.operands[returned]] == ["%arg0", "%0"]


def test_a_private_function_that_lost_its_callers_becomes_public() -> None:
    text = """\
"builtin.module"() ({
  "func.func"() <{function_type = () -> i32, sym_name = "main"}> ({
    %0 = "t.call"() {callee = @helper} : () -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> i32, sym_name = "helper", sym_visibility = "private"}> ({
    %0 = "t.one"() : () -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
"""
    module = Module.parse(text)
    body = BodyOps.of(module)
    call, one = body.ops
    alone, called = (carve(body, [body_op], BoundaryTypes.of(module)) for body_op in (one, call))
    assert "main" not in alone and "private" not in alone
    assert "main" in called and "private" in called


@settings(max_examples=20)
@given(modules_with_bodies())
def test_a_lifted_op_is_the_last_in_a_well_formed_module(text: str) -> None:
    module = Module.parse(text)
    for op in range(len(module)):
        lifted = lift(module, [op], BoundaryTypes(frozenset({"!t.box"})))
        if lifted is not None:
            after = Module.parse(lifted)
            assert problems(after) == []
            assert dangling(after) <= dangling(module)
            assert after.t.name[BodyOps.of(after).ops[-1]] == module.t.name[op]


@settings(max_examples=20)
@given(modules_with_bodies(), st.data())
def test_lifted_ops_are_in_a_well_formed_module(text: str, data: st.DataObject) -> None:
    module = Module.parse(text)
    ops = data.draw(st.lists(st.sampled_from(range(len(module))), max_size=6))
    lifted = lift(module, ops, BoundaryTypes(frozenset({"!t.box"})))
    if lifted is not None:
        after = Module.parse(lifted)
        assert problems(after) == []
        assert dangling(after) <= dangling(module)


def test_a_lifted_op_takes_arguments_and_returns_what_was_used() -> None:
    text = function(
        """
        %0 = "t.make"(%arg0) : (i32) -> i32
        %1 = "t.loop"(%0) ({
        ^bb0(%arg1: index):
          %2 = "t.index"(%arg1) : (index) -> f32
          %3:2 = "t.both"(%0, %2, %arg1) : (i32, f32, index) -> (f32, f64)
          "t.yield"(%3#0) : (f32) -> ()
        }) : (i32) -> f32
        "func.return"(%1) : (f32) -> ()
        """,
        arguments="%arg0: i32",
        results="f32",
    )
    module = Module.parse(text)
    lifted = lift(module, [module.t.name.index("t.both")], BoundaryTypes.of(module))
    assert lifted is not None
    assert (
        body_of(lifted)
        == """\
^bb0(%s1: f32, %s2: index, %s4: i32):
  %s0:2 = "t.both"(%s4, %s1, %s2) : (i32, f32, index) -> (f32, f64)
"func.return"(%s0#0) : (f32) -> ()"""
    )
    assert lift(module, [module.t.name.index("t.loop")], BoundaryTypes.of(module)) is None


def test_lifted_ops_that_feed_each_other_still_do() -> None:
    text = function(
        """
        %0 = "t.first"(%arg0) : (i32) -> i32
        %1 = "t.loop"(%0) ({
        ^bb0(%arg1: i32):
          %2 = "t.make"(%arg1) : (i32) -> i32
          %3 = "t.between"(%2) : (i32) -> i32
          %4 = "t.use"(%2, %3) : (i32, i32) -> i32
          "t.yield"(%4) : (i32) -> ()
        }) : (i32) -> i32
        "func.return"(%1) : (i32) -> ()
        """,
        arguments="%arg0: i32",
        results="i32",
    )
    module = Module.parse(text)
    ops = [module.t.name.index(name) for name in ("t.use", "t.first", "t.make")]
    lifted = lift(module, ops, BoundaryTypes.of(module))
    assert lifted is not None
    assert [line.split(" : ")[0].strip() for line in body_of(lifted).splitlines()[1:]] == [
        '%0 = "t.first"(%arg0)',
        '%s0 = "t.make"(%s2)',
        '%s1 = "t.use"(%s0, %s3)',
        '"func.return"(%s0, %s1)',
    ]


def test_parts_return_what_lost_its_users_unless_functions_may_not() -> None:
    text = function(
        """
        %0 = "t.make"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
        %1 = "t.user"(%0) : (tensor<4xf32>) -> index
        "t.store"(%1) : (index) -> ()
        "func.return"() : () -> ()
        """,
        arguments="%arg0: tensor<4xf32>",
    )
    module = Module.parse(text)
    body, boundary = BodyOps.of(module), BoundaryTypes.of(module)
    silent = BoundaryTypes(boundary.dialect_types, returns=False)
    assert '"func.return"(%0)' in carve(body, body.ops[:1], boundary)
    assert '"func.return"()' in carve(body, body.ops[:1], silent)
    with_one = with_result(module, boundary)
    assert with_one is not None and '"func.return"(%1)' in with_one
    assert with_result(Module.parse(with_one), boundary) is None
