"""Replacing computations with a single plain op."""

import pytest

from reducer.ir import Module
from reducer.transformations.plain_ops import ReplaceByPlainOps
from tests.support.sides import apply_to, body_of, function

CONVERTED = function(
    """
    %0 = "t.constant"() <{value = 5 : i64}> : () -> !t.int
    %1 = "t.load"() <{global = @g}> : () -> tensor<1xf32>
    %2 = "t.from_builtin"(%1) : (tensor<1xf32>) -> !t.tensor<[1],f32>
    %3 = "t.convert"(%2, %0) : (!t.tensor<[1],f32>, !t.int) -> !t.tensor<[1],f16>
    "func.return"(%3, %arg0) : (!t.tensor<[1],f16>, i32) -> ()
    """,
    arguments="%arg0: i32",
    results="!t.tensor<[1],f16>, i32",
)


def plain(body: str, kind: str) -> str:
    """The body of a function from a type to itself, after the transformation."""
    return body_of(
        apply_to(ReplaceByPlainOps(), function(body, arguments=f"%arg0: {kind}", results=kind))
    )


def sites(body: str, kind: str, results: str = "") -> list[int]:
    text = function(body, arguments=f"%arg0: {kind}", results=results or kind)
    return [site.op for site in ReplaceByPlainOps().sites(Module.parse(text))]


def test_a_value_that_is_only_returned_may_change_its_type() -> None:
    after = apply_to(ReplaceByPlainOps(), CONVERTED)
    assert (
        body_of(after)
        == """\
^bb0(%arg0: i32):
%1 = "t.load"() <{global = @g}> : () -> tensor<1xf32>
%3 = "arith.negf"(%1) : (tensor<1xf32>) -> tensor<1xf32>
"func.return"(%3, %arg0) : (tensor<1xf32>, i32) -> ()"""
    )
    assert "function_type = (i32) -> (tensor<1xf32>, i32)" in after
    assert ReplaceByPlainOps().sites(Module.parse(after)) == []


@pytest.mark.parametrize(
    "other",
    [
        '"t.use"(%3) : (!t.tensor<[1],f16>) -> ()\n    "func.return"',
        '"t.loop"(%arg0) ({\n    "t.yield"(%3) : (!t.tensor<[1],f16>) -> ()\n    })'
        ' : (i32) -> ()\n    "func.return"',
    ],
)
def test_other_users_keep_the_type(other: str) -> None:
    text = CONVERTED.replace('"func.return"', other)
    assert ReplaceByPlainOps().sites(Module.parse(text)) == []


def test_a_referenced_function_keeps_its_type() -> None:
    end = CONVERTED.rindex("})")
    text = CONVERTED[:end] + '  "t.export"() {ref = @f} : () -> ()\n' + CONVERTED[end:]
    assert ReplaceByPlainOps().sites(Module.parse(text)) == []


def test_an_op_with_a_body_becomes_one_line() -> None:
    body = """
    %0:2 = "linalg.generic"(%arg0) <{maps = [#map]}> ({
    ^bb0(%in: f32):
      %2 = "math.exp"(%in) : (f32) -> f32
      "linalg.yield"(%2, %2) : (f32, f32) -> ()
    }) : (tensor<?xf32>) -> (tensor<?xf16>, tensor<?xf32>)
    %1 = "t.use"(%0#1) : (tensor<?xf32>) -> tensor<?xf32>
    "func.return"(%1) : (tensor<?xf32>) -> ()
    """
    text = function(body, arguments="%arg0: tensor<?xf32>", results="tensor<?xf32>")
    assert (
        body_of(apply_to(ReplaceByPlainOps(), text, 0))
        == """\
^bb0(%arg0: tensor<?xf32>):
%s0 = "arith.negf"(%arg0) : (tensor<?xf32>) -> tensor<?xf32>
%1 = "t.use"(%s0) : (tensor<?xf32>) -> tensor<?xf32>
"func.return"(%1) : (tensor<?xf32>) -> ()"""
    )


CHAIN = """
%0 = "t.to"(%arg0) : (vector<4xi8>) -> !t.box
%1 = "t.from"(%0) : (!t.box) -> vector<4xi8>
%2 = "t.to"(%1) : (vector<4xi8>) -> !t.box
%3 = "t.from"(%2) : (!t.box) -> vector<4xi8>
"func.return"(%3) : (vector<4xi8>) -> ()
"""


def test_chained_replacements_use_each_others_results() -> None:
    assert (
        plain(CHAIN, "vector<4xi8>")
        == """\
^bb0(%arg0: vector<4xi8>):
%1 = "arith.addi"(%arg0, %arg0) : (vector<4xi8>, vector<4xi8>) -> vector<4xi8>
%3 = "arith.addi"(%1, %1) : (vector<4xi8>, vector<4xi8>) -> vector<4xi8>
"func.return"(%3) : (vector<4xi8>) -> ()"""
    )


def test_ops_that_die_with_a_later_op_are_not_replaced() -> None:
    body = """
    %0 = "t.to"(%arg0) : (f32) -> !t.box
    %1 = "t.from"(%0) : (!t.box) -> f32
    %2 = "t.both"(%arg0, %1) : (f32, f32) -> f32
    "func.return"(%2) : (f32) -> ()
    """
    assert len(sites(body, "f32")) == 2
    assert (
        plain(body, "f32")
        == """\
^bb0(%arg0: f32):
%2 = "arith.negf"(%arg0) : (f32) -> f32
"func.return"(%2) : (f32) -> ()"""
    )


def test_ops_inside_a_replaced_op_are_not_replaced() -> None:
    """Replacing the inner op alone would delete `t.made`, which the outer replacement uses."""
    body = """
    %0 = "t.made"(%arg0) : (i32) -> i32
    %1 = "t.loop"() ({
      %2 = "t.to"(%0, %arg1) : (i32, f32) -> !t.box
      %3 = "t.from"(%2) : (!t.box) -> f32
      "t.use"(%3) : (f32) -> ()
      "t.yield"(%arg0) : (i32) -> ()
    }) : () -> i32
    "func.return"(%1) : (i32) -> ()
    """
    text = function(body, arguments="%arg0: i32, %arg1: f32", results="i32")
    assert len(ReplaceByPlainOps().sites(Module.parse(text))) == 2
    assert (
        body_of(apply_to(ReplaceByPlainOps(), text))
        == """\
^bb0(%arg0: i32, %arg1: f32):
%0 = "t.made"(%arg0) : (i32) -> i32
%1 = "arith.addi"(%0, %0) : (i32, i32) -> i32
"func.return"(%1) : (i32) -> ()"""
    )


@pytest.mark.parametrize("kind", ["tensor<4x?xbf16>", "vector<2xi1>", "f64", "i64", "tensor<f16>"])
def test_numeric_types_have_a_plain_op(kind: str) -> None:
    body = f"""
    %0 = "t.to"(%arg0) : ({kind}) -> !t.box
    %1 = "t.from"(%0) : (!t.box) -> {kind}
    "func.return"(%1) : ({kind}) -> ()
    """
    assert f') -> {kind}\n"func.return"' in plain(body, kind)
    assert len(sites(body, kind)) == 1


@pytest.mark.parametrize(
    "kind", ["memref<4xf32>", "index", "tensor<4xui8>", "complex<f32>", "!t.tensor<[4],f32>"]
)
def test_other_types_have_none(kind: str) -> None:
    body = f"""
    %0 = "t.to"(%arg0) : ({kind}) -> !t.box
    %1 = "t.from"(%0) : (!t.box) -> {kind}
    "func.return"(%1) : ({kind}) -> ()
    """
    assert sites(body, kind) == []


def test_a_single_op_is_not_replaced_with_another() -> None:
    body = f"""
    %0 = "t.op"(%arg0) <{{sizes = array<i64: {"1, " * 20}1>}}> : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%0) : (tensor<4xf32>) -> ()
    """
    assert sites(body, "tensor<4xf32>") == []


def test_ops_that_are_plain_already_stay() -> None:
    body = """
    %0 = "arith.constant"() <{value = 1.0 : f32}> : () -> f32
    %1 = "arith.mulf"(%arg0, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %2 = "math.exp"(%1) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    "func.return"(%2) : (f32) -> ()
    """
    assert sites(body, "f32") == []


def test_plain_ops_are_only_absorbed_if_the_type_changes() -> None:
    body = """
    %0 = "t.to"(%arg0) : (f32) -> !t.box
    %1 = "t.from"(%0) : (!t.box) -> KIND
    %2 = "arith.negf"(%1) : (KIND) -> KIND
    "func.return"(%2) : (KIND) -> ()
    """
    assert sites(body.replace("KIND", "f32"), "f32") == [3]
    assert sites(body.replace("KIND", "f16"), "f32", "f16") == [4]


def test_constants_and_sizes_are_not_data() -> None:
    body = """
    %0 = "arith.constant"() <{value = 0.0 : f32}> : () -> f32
    %1 = "tensor.empty"(%arg0) : (index) -> tensor<?xf32>
    %2 = "t.fill"(%0, %1) : (f32, tensor<?xf32>) -> tensor<?xf32>
    %3 = "t.to"(%2) : (tensor<?xf32>) -> !t.box
    "func.return"(%3) : (!t.box) -> ()
    """
    assert sites(body, "index", "!t.box") == []
