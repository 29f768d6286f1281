"""Changing element types: functions before and after."""

from reducer.ir import Module
from reducer.ir.elements import ElementTypes, convert_hex
from tests.support.sides import body_of, function
from tests.support.wellformed import problems


def with_element(body: str, arguments: str, number: int, element: str) -> str:
    types = ElementTypes(Module.parse(function(body, arguments=arguments)))
    after = types.text({number: element})
    assert problems(Module.parse(after)) == []
    return body_of(after)


def test_a_type_changes_along_its_uses_and_casts_are_removed() -> None:
    assert (
        with_element(
            """\
%0 = "t.constant"() <{value = 1.5 : f16}> : () -> f16
%1 = "t.add"(%a, %0) : (tensor<4xf16>, f16) -> tensor<4xf16>
%2 = "t.extend"(%1) : (tensor<4xf16>) -> tensor<4xf32>
%3 = "t.use"(%2) : (tensor<4xf32>) -> tensor<4xi8>
"func.return"() : () -> ()""",
            "%a: tensor<4xf16>",
            0,
            "f32",
        )
        == """\
^bb0(%a: tensor<4xf32>):
%0 = "t.constant"() <{value = 1.5 : f32}> : () -> f32
%1 = "t.add"(%a, %0) : (tensor<4xf32>, f32) -> tensor<4xf32>
%3 = "t.use"(%1) : (tensor<4xf32>) -> tensor<4xi8>
"func.return"() : () -> ()"""
    )


def test_bodies_change_with_the_op_around_them() -> None:
    assert (
        with_element(
            """\
%0 = "t.map"(%a) ({
^bb0(%i: i8):
  %1 = "t.neg"(%i) : (i8) -> i8
  "t.yield"(%1) : (i8) -> ()
}) : (tensor<4xi8>) -> tensor<4xi8>
"func.return"() : () -> ()""",
            "%a: tensor<4xi8>",
            0,
            "i32",
        )
        == """\
^bb0(%a: tensor<4xi32>):
%0 = "t.map"(%a) ({
^bb0(%i: i32):
  %1 = "t.neg"(%i) : (i32) -> i32
  "t.yield"(%1) : (i32) -> ()
}) : (tensor<4xi32>) -> tensor<4xi32>
"func.return"() : () -> ()"""
    )


def test_infinities_stay_infinite() -> None:
    assert convert_hex("dense<0xFC00>", "f16", "f32") == "dense<0xFF800000>"
    assert convert_hex("0x7F80", "bf16", "f32") == "0x7F800000"
    assert convert_hex("0x12", "i8", "i32") == "0x12"
