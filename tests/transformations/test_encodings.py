"""Dropping encodings, layouts and memory spaces from types."""

from reducer.ir import Module
from reducer.transformations.encodings import DropEncodings
from tests.support.sides import apply_to, body_of, function

TEXT = function(
    """
    %0 = "t.a"(%arg0) {s = "tensor<4xf32, #b>"} : (tensor<4xf32, #enc>) -> memref<2xf32, \
strided<[1], offset: ?>, #t.space<workgroup>>
    "func.return"() : () -> ()
    """,
    arguments="%arg0: tensor<4xf32, #enc>",
    head="#enc = #t.encoding<{map = affine_map<(d0) -> (d0)>}>",
)


def test_all_encodings() -> None:
    after = apply_to(DropEncodings(), TEXT)
    assert (
        body_of(after)
        == """\
^bb0(%arg0: tensor<4xf32>):
%0 = "t.a"(%arg0) {s = "tensor<4xf32, #b>"} : (tensor<4xf32>) -> memref<2xf32>
"func.return"() : () -> ()"""
    )
    assert "#enc" not in after
    assert "function_type = (tensor<4xf32>) -> ()" in after


def test_one_kind_of_encoding() -> None:
    names = [site.name for site in DropEncodings().sites(Module.parse(TEXT))]
    assert names == ["#enc", "strided<[1], offset: ?>", "#t.space<workgroup>"]
    assert "memref<2xf32, strided<[1], offset: ?>>" in apply_to(DropEncodings(), TEXT, 2)


def test_plain_types_are_unchanged() -> None:
    text = TEXT.replace(", #enc>", ">").replace(
        ", strided<[1], offset: ?>, #t.space<workgroup>", ""
    )
    assert DropEncodings().sites(Module.parse(text)) == []


def test_brackets_and_commas_in_the_strings_of_an_encoding() -> None:
    text = function(
        """
        "t.a"(%arg0) : (tensor<4xf32, #t.enc<">, ">>) -> ()
        "func.return"() : () -> ()
        """,
        arguments='%arg0: tensor<4xf32, #t.enc<">, ">>',
    )
    assert '"t.a"(%arg0) : (tensor<4xf32>) -> ()' in apply_to(DropEncodings(), text)
