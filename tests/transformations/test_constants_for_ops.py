"""Replacing ops with constants and empty tensors."""

from reducer.ir import Module
from reducer.transformations.constants_for_ops import ReplaceByConstants
from tests.support.sides import apply_to, body_of, function

BODY = """
%0 = "t.scalar"(%arg0) : (f32) -> f32
%1 = "t.tensor"(%0) : (f32) -> tensor<4x8xf16>
%2:2 = "t.both"(%1) : (tensor<4x8xf16>) -> (vector<4xi32>, index)
"t.store"(%2#0) : (vector<4xi32>) -> ()
"t.use"(%0) : (f32) -> ()
"func.return"() : () -> ()
"""


def exported(body: str) -> str:
    text = function(body, arguments="%arg0: f32")
    return (
        text[: text.rindex("})")]
        + '  "t.export"() {ref = @f} : () -> ()\n'
        + text[text.rindex("})") :]
    )


def test_every_type_has_its_constant() -> None:
    assert (
        body_of(apply_to(ReplaceByConstants(), exported(BODY)))
        == """\
^bb0(%arg0: f32):
%s0 = "arith.constant"() <{value = 0.0 : f32}> : () -> f32
%s1 = "tensor.empty"() : () -> tensor<4x8xf16>
%s2 = "arith.constant"() <{value = dense<0> : vector<4xi32>}> : () -> vector<4xi32>
"t.store"(%s2) : (vector<4xi32>) -> ()
"t.use"(%s0) : (f32) -> ()
"func.return"() : () -> ()"""
    )


def test_values_that_could_be_arguments_are_skipped() -> None:
    free = function(BODY, arguments="%arg0: f32")
    assert ReplaceByConstants().sites(Module.parse(free)) == []


def test_dynamic_and_dialect_types_have_none() -> None:
    body = """
    %0 = "t.a"(%arg0) : (f32) -> tensor<?xf32>
    %1 = "t.b"(%arg0) : (f32) -> !t.box
    "t.use"(%0, %1) : (tensor<?xf32>, !t.box) -> ()
    "func.return"() : () -> ()
    """
    assert ReplaceByConstants().sites(Module.parse(exported(body))) == []
