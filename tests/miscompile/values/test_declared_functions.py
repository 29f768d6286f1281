"""Functions of modules in the torch dialect, as the module spells them."""

import pytest

from reducer.miscompile.values.declared_functions import (
    declared_functions,
    hidden_functions,
    mentions_elements,
    working_on_memory,
)
from reducer.miscompile.values.programs import Function, ValueType

PRETTY = """\
!t = !torch.vtensor<[2,?],si64>
module {
  func.func @f(%arg0: !t, %arg1: !torch.float, %arg2: !torch.list<int>) -> \
(!t, !torch.vtensor<[],f32>) attributes {torch.onnx_meta.ir_version = 10 : si64} {
    return %arg0, %arg1 : !t, !torch.vtensor<[],f32>
  }
  func.func private @callee(%arg0: !t) -> !t
}
"""

GENERIC = """\
"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[2,?],si64>, !torch.float, !torch.list<int>) -> \
(!torch.vtensor<[2,?],si64>, !torch.vtensor<[],f32>), sym_name = "f"}> ({
  }) : () -> ()
  "func.func"() <{function_type = () -> (), sym_name = "callee", sym_visibility = "private"}> ({
  }) : () -> ()
}) : () -> ()
"""

MATRIX = ValueType("i64", (2, None))


@pytest.mark.parametrize("text", [PRETTY, GENERIC])
def test_both_forms(text: str) -> None:
    inputs = (MATRIX, ValueType("f64", None), None)
    assert declared_functions(text) == [Function("f", inputs, (MATRIX, ValueType("f32", ())))]


@pytest.mark.parametrize(
    "text",
    [
        "func.func @g(%a: tensor<2xf32>) -> tensor<2xf32> {\n",
        "func.func @g(%a: tensor<2xf32>) -> (tensor<2xf32> {some.attribute}) {\n",
        '"func.func"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = "g"}> ({\n',
    ],
)
def test_builtin_tensors(text: str) -> None:
    vector = ValueType("f32", (2,))
    assert declared_functions(text) == [Function("g", (vector,), (vector,))]


@pytest.mark.parametrize(
    "text",
    [
        "func.func private @g() -> f32 {\n",
        "func.func nested @g() -> f32 {\n",
        '"func.func"() <{function_type = () -> f32, sym_name = "g", sym_visibility = "nested"}> (',
    ],
)
def test_a_function_that_is_not_public(text: str) -> None:
    assert declared_functions(text) == []
    assert declared_functions(text, "f") == []
    assert declared_functions(text, "g") == [Function("g", (), (ValueType("f32", None),))]
    assert declared_functions(text.replace("() ->", "(i32) ->"), "g") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%r = arith.addf %x, %y : f64", True),
        ("(tensor<2x?xf64>, f32) -> ()", True),
        ("tensor<f64>", True),
        ("tensor<2xf64E1>, %f64, @f64, f640 + f6", False),
    ],
)
def test_element_types_in_a_text(text: str, found: bool) -> None:
    assert mentions_elements(text, {"f64"}) is found
    assert not mentions_elements(text, ())


def test_arguments_may_be_memory_or_vectors() -> None:
    text = """
      func.func @f(%a: memref<4xi32>, %b: vector<2x3xi1>, %c: i8, %d: vector<[4]xf32>)
          -> (vector<f32>, tensor<4xi32>) {
    """
    (one,) = working_on_memory(text)
    assert one.memory == (0,)
    assert one.inputs == (
        ValueType("i32", (4,)), ValueType("i1", (2, 3), is_vector=True), ValueType("i8", None), None
    )  # fmt: skip
    assert one.results == (ValueType("f32", (), is_vector=True), ValueType("i32", (4,)))


def test_a_hidden_function_can_be_named_if_it_takes_nothing_and_has_a_body() -> None:
    text = """
      func.func private @takes(%a: i32) -> i32 {
      }
      func.func private @declared() -> i32
      func.func nested @found() -> (i32, f32) attributes {a = 1 : i32} {
      }
      func.func @public() {
      }
    """
    assert hidden_functions(text) == ["found"]
