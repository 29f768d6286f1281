"""Dropping optional properties."""

from reducer.transformations.properties import DropProperties
from tests.support.sides import apply_to, body_of, function

TEXT = function(
    """
    %0 = "arith.addf"(%arg0, %arg0) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32
    %1 = "arith.addf"(%0, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    "t.take"(%1) <{hint = 4 : i64, operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> ()
    "func.return"() : () -> ()
    """,
    arguments="%arg0: f32",
)


def test_all_but_default_and_structural_properties() -> None:
    assert (
        body_of(apply_to(DropProperties(), TEXT))
        == """\
^bb0(%arg0: f32):
%0 = "arith.addf"(%arg0, %arg0) : (f32, f32) -> f32
%1 = "arith.addf"(%0, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
"t.take"(%1) <{operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> ()
"func.return"() : () -> ()"""
    )


def test_a_single_property() -> None:
    assert "fast>" in apply_to(DropProperties(), TEXT, 1)


def test_a_global_loses_its_initial_value() -> None:
    text = """\
"builtin.module"() ({
  "util.global"() <{initial_value = #util.byte<1>, sym_name = "g", type = i32}> : () -> ()
}) : () -> ()
"""
    after = apply_to(DropProperties(), text, 0)
    assert '"util.global"() <{sym_name = "g", type = i32}>' in after
