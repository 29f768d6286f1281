"""Dropping loop-carried values."""

from reducer.ir import Module
from tests.support.sides import TIED, apply_to, body_of, function
from tests.support.wellformed import problems

FOR = function(
    """
    %0:2 = "scf.for"(%arg0, %arg0, %arg0, %arg1, %arg2) ({
    ^bb0(%arg3: index, %arg4: f32, %arg5: i32):
      %1 = "t.a"(%arg4, %arg5) : (f32, i32) -> f32
      "scf.yield"(%1, %arg5) : (f32, i32) -> ()
    }) : (index, index, index, f32, i32) -> (f32, i32)
    "func.return"(%0#0, %0#1) : (f32, i32) -> ()
    """,
    arguments="%arg0: index, %arg1: f32, %arg2: i32",
    results="f32, i32",
)


def test_users_take_the_initial_value() -> None:
    assert (
        body_of(apply_to(TIED["drop carried values"], FOR, 1))
        == """\
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
%s0 = "scf.for"(%arg0, %arg0, %arg0, %arg1) ({
^bb0(%arg3: index, %arg4: f32):
  %1 = "t.a"(%arg4, %arg2) : (f32, i32) -> f32
  "scf.yield"(%1) : (f32) -> ()
}) : (index, index, index, f32) -> f32
"func.return"(%s0, %arg2) : (f32, i32) -> ()"""
    )


def test_all_loop_carried_values() -> None:
    assert (
        body_of(apply_to(TIED["drop carried values"], FOR))
        == """\
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
"scf.for"(%arg0, %arg0, %arg0) ({
^bb0(%arg3: index):
  %1 = "t.a"(%arg1, %arg2) : (f32, i32) -> f32
  "scf.yield"() : () -> ()
}) : (index, index, index) -> ()
"func.return"(%arg1, %arg2) : (f32, i32) -> ()"""
    )


def test_a_value_goes_with_the_op_that_combines_it() -> None:
    text = function(
        """
        %0:2 = "scf.parallel"(%arg0, %arg1, %arg2) ({
        ^bb0(%arg3: index):
          "scf.reduce"(%arg1) ({
          ^bb0(%arg4: f32, %arg5: f32):
            "scf.reduce.return"(%arg5) : (f32) -> ()
          }) : (f32) -> ()
          "scf.reduce"(%arg2) ({
          ^bb0(%arg4: i32, %arg5: i32):
            "scf.reduce.return"(%arg4) : (i32) -> ()
          }) : (i32) -> ()
          "scf.yield"() : () -> ()
        }) : (index, f32, i32) -> (f32, i32)
        "func.return"(%0#0, %0#1) : (f32, i32) -> ()
        """,
        arguments="%arg0: index, %arg1: f32, %arg2: i32",
        results="f32, i32",
    )
    assert (
        body_of(apply_to(TIED["drop carried values"], text, 0))
        == """\
^bb0(%arg0: index, %arg1: f32, %arg2: i32):
%s0 = "scf.parallel"(%arg0, %arg2) ({
^bb0(%arg3: index):
  "scf.reduce"(%arg2) ({
  ^bb0(%arg4: i32, %arg5: i32):
    "scf.reduce.return"(%arg4) : (i32) -> ()
  }) : (i32) -> ()
  "scf.yield"() : () -> ()
}) : (index, i32) -> i32
"func.return"(%arg1, %s0) : (f32, i32) -> ()"""
    )
    module = Module.parse(text.replace("%arg4: f32, %arg5: f32", "%arg4: f32, %arg5: f64"))
    assert not TIED["drop carried values"].sites(module), "it combines something else"


def test_a_while_loop() -> None:
    text = function(
        """
        %0 = "scf.while"(%arg0) ({
        ^bb0(%arg1: i32):
          %1 = "t.more"(%arg1) : (i32) -> i1
          "scf.condition"(%1, %arg1) : (i1, i32) -> ()
        }, {
        ^bb0(%arg1: i32):
          %1 = "t.next"(%arg1) : (i32) -> i32
          "scf.yield"(%1) : (i32) -> ()
        }) : (i32) -> i32
        "func.return"(%0) : (i32) -> ()
        """,
        arguments="%arg0: i32",
        results="i32",
    )
    assert (
        body_of(apply_to(TIED["drop carried values"], text))
        == """\
^bb0(%arg0: i32):
"scf.while"() ({
^bb0:
  %1 = "t.more"(%arg0) : (i32) -> i1
  "scf.condition"(%1) : (i1) -> ()
}, {
^bb0:
  %1 = "t.next"(%arg0) : (i32) -> i32
  "scf.yield"() : () -> ()
}) : () -> ()
"func.return"(%arg0) : (i32) -> ()"""
    )


def test_a_while_loop_whose_condition_passes_nothing_on() -> None:
    text = function(
        """
        %0:2 = "t.while"(%arg0, %arg1) ({
        ^bb0(%arg2: i32, %arg3: f32):
          %1 = "t.more"(%arg2) : (i32) -> i1
          "t.return"(%1) : (i1) -> ()
        }, {
        ^bb0(%arg2: i32, %arg3: f32):
          %1 = "t.next"(%arg2, %arg3) : (i32, f32) -> i32
          "t.return"(%1, %arg3) : (i32, f32) -> ()
        }) : (i32, f32) -> (i32, f32)
        "func.return"(%0#0, %0#1) : (i32, f32) -> ()
        """,
        arguments="%arg0: i32, %arg1: f32",
        results="i32, f32",
    )
    assert (
        body_of(apply_to(TIED["drop carried values"], text, 1))
        == """\
^bb0(%arg0: i32, %arg1: f32):
%s0 = "t.while"(%arg0) ({
^bb0(%arg2: i32):
  %1 = "t.more"(%arg2) : (i32) -> i1
  "t.return"(%1) : (i1) -> ()
}, {
^bb0(%arg2: i32):
  %1 = "t.next"(%arg2, %arg1) : (i32, f32) -> i32
  "t.return"(%1) : (i32) -> ()
}) : (i32) -> i32
"func.return"(%s0, %arg1) : (i32, f32) -> ()"""
    )


def test_a_loop_that_yields_a_condition_too() -> None:
    text = function(
        """
        %0 = "t.loop"(%arg0, %arg1) ({
        ^bb0(%arg2: i64, %arg3: f32):
          %1:2 = "t.next"(%arg2, %arg3) : (i64, f32) -> (i1, f32)
          "t.condition"(%1#0, %1#1) : (i1, f32) -> ()
        }) : (i64, f32) -> f32
        "func.return"(%0) : (f32) -> ()
        """,
        arguments="%arg0: i64, %arg1: f32",
        results="f32",
    )
    assert (
        body_of(apply_to(TIED["drop carried values"], text))
        == """\
^bb0(%arg0: i64, %arg1: f32):
"t.loop"(%arg0) ({
^bb0(%arg2: i64):
  %1:2 = "t.next"(%arg2, %arg1) : (i64, f32) -> (i1, f32)
  "t.condition"(%1#0) : (i1) -> ()
}) : (i64) -> ()
"func.return"(%arg1) : (f32) -> ()"""
    )


def test_a_first_body_that_yields_the_value_itself_is_no_condition() -> None:
    text = function(
        """
        %0 = "t.either"(%arg0) ({
        ^bb0(%arg1: i1):
          "t.yield"(%arg1) : (i1) -> ()
        }, {
        ^bb0(%arg1: i1):
          "t.yield"(%arg1) : (i1) -> ()
        }) : (i1) -> i1
        "func.return"(%0) : (i1) -> ()
        """,
        arguments="%arg0: i1",
        results="i1",
    )
    assert problems(Module.parse(apply_to(TIED["drop carried values"], text))) == []
    assert '"t.yield"() : () -> ()' in apply_to(TIED["drop carried values"], text)


def test_a_parallel_loop_and_a_segment_size() -> None:
    text = function(
        """
        %0 = "scf.forall"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 0, 1, 0, 1>}> ({
        ^bb0(%arg2: index, %arg3: tensor<4xf32>):
          "scf.forall.in_parallel"() ({
            "tensor.parallel_insert_slice"(%arg1, %arg3) : (tensor<4xf32>, tensor<4xf32>) -> ()
          }) : () -> ()
        }) : (index, tensor<4xf32>) -> tensor<4xf32>
        "func.return"(%0) : (tensor<4xf32>) -> ()
        """,
        arguments="%arg0: index, %arg1: tensor<4xf32>",
        results="tensor<4xf32>",
    )
    after = body_of(apply_to(TIED["drop carried values"], text))
    assert '"scf.forall"(%arg0) <{operandSegmentSizes = array<i32: 0, 1, 0, 0>}>' in after
    assert "parallel_insert_slice" not in after
    assert after.endswith('"func.return"(%arg1) : (tensor<4xf32>) -> ()')


def test_nested_loops() -> None:
    text = function(
        """
        %0 = "scf.for"(%arg0) ({
        ^bb0(%arg1: f32):
          %1 = "scf.for"(%arg1) ({
          ^bb0(%arg2: f32):
            %2 = "t.a"(%arg2) : (f32) -> f32
            "scf.yield"(%2) : (f32) -> ()
          }) : (f32) -> f32
          "scf.yield"(%1) : (f32) -> ()
        }) : (f32) -> f32
        "func.return"(%0) : (f32) -> ()
        """,
        arguments="%arg0: f32",
        results="f32",
    )
    assert '"t.a"(%arg0)' in apply_to(TIED["drop carried values"], text)


def test_other_bodies_carry_nothing() -> None:
    text = FOR.replace('"scf.yield"(%1, %arg5) : (f32, i32)', '"scf.yield"(%1) : (f32)')
    assert TIED["drop carried values"].sites(Module.parse(text)) == []


def test_a_result_that_gets_a_new_name_takes_a_place() -> None:
    """The second loop starts from a result of the first one, which loses another result."""
    text = function(
        """
        %0:2 = "t.loop"(%arg0, %arg0) ({
        ^bb0(%arg1: i32, %arg2: i32):
          "t.yield"(%arg1, %arg2) : (i32, i32) -> ()
        }) : (i32, i32) -> (i32, i32)
        %1 = "t.loop"(%0#1) ({
        ^bb0(%arg1: i32):
          "t.yield"(%arg1) : (i32) -> ()
        }) : (i32) -> i32
        "func.return"(%1) : (i32) -> ()
        """,
        arguments="%arg0: i32",
        results="i32",
    )
    module = Module.parse(text)
    first, second, third = TIED["drop carried values"].sites(module)
    for together in ([first, third], [second, third], [first, second, third], [third]):
        dropped = TIED["drop carried values"].apply(module, together)
        assert dropped is not None and not problems(Module.parse(dropped))
