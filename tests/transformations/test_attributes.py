"""Dropping attributes and optional properties."""

from reducer.ir import Module
from reducer.transformations.attribute_values import SimplifyAttributes
from reducer.transformations.attributes import DropAttributes, DropProperties
from tests.support.sides import apply_to, body_of, function

TEXT = """\
"builtin.module"() <{sym_name = "m"}> ({
  "func.func"() <{arg_attrs = [{t.x}], function_type = (i32) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: i32):
    "t.op"(%arg0) <{needed = 1 : i32}> {extra, more = 2 : i32} : (i32) -> ()
    "func.return"() : () -> ()
  }) {t.strict} : () -> ()
}) {t.target = "x"} : () -> ()
"""


def test_all_but_inherent_attributes() -> None:
    module = Module.parse(TEXT)
    assert (
        DropAttributes().apply(module, DropAttributes().sites(module))
        == """\
"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: i32):
    "t.op"(%arg0) <{needed = 1 : i32}> : (i32) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""
    )


def test_a_function_keeps_its_name_and_type_where_they_are_attributes() -> None:
    old = """\
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: i32):
    "func.return"() : () -> ()
  }) {function_type = (i32) -> (), sym_name = "f", t.strict} : () -> ()
}) : () -> ()
"""
    left = apply_to(DropAttributes(), old)
    assert '{function_type = (i32) -> (), sym_name = "f"}' in left and "t.strict" not in left


def test_a_single_attribute() -> None:
    module = Module.parse(TEXT)
    site = next(s for s in DropAttributes().sites(module) if s.name == "extra")
    after = DropAttributes().apply(module, [site])
    assert after is not None
    assert "{more = 2 : i32}" in after


def test_attributes_that_define_opaque_ops_stay() -> None:
    module = Module.parse(
        """\
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    "torch.operator"() <{name = "onnx.GRU"}> {torch.onnx.direction = "reverse"} : () -> ()
    "func.return"() : () -> ()
  }) {torch.onnx_meta.opset_version = 16 : si64, torch.opset_versions = {}, torch.other} : () -> ()
}) : () -> ()
"""
    )
    names = [site.name for site in DropAttributes().sites(module)]
    assert names == ["torch.opset_versions", "torch.other"]
    assert SimplifyAttributes().sites(module) == []
    assert DropProperties().sites(module) == []


PROPERTIES = function(
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
        body_of(apply_to(DropProperties(), PROPERTIES))
        == """\
^bb0(%arg0: f32):
%0 = "arith.addf"(%arg0, %arg0) : (f32, f32) -> f32
%1 = "arith.addf"(%0, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
"t.take"(%1) <{operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> ()
"func.return"() : () -> ()"""
    )


def test_a_single_property() -> None:
    assert "fast>" in apply_to(DropProperties(), PROPERTIES, 1)


def test_a_global_loses_its_initial_value() -> None:
    text = """\
"builtin.module"() ({
  "util.global"() <{initial_value = #util.byte<1>, sym_name = "g", type = i32}> : () -> ()
}) : () -> ()
"""
    after = apply_to(DropProperties(), text, 0)
    assert '"util.global"() <{sym_name = "g", type = i32}>' in after
