"""The lexer: tokens, and the interaction of brackets, strings and comments."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reducer.ir.lexer import (
    VALUE,
    Outside,
    Token,
    TokenKind,
    brackets,
    brackets_at,
    firm_brackets,
    split_commas,
    symbol,
    symbols,
    tokens,
    unescaped,
)

SIGNS = '"\\/%^@#!<>(){}[],-=: \n.0aé'
mlir_like = st.text(st.sampled_from(SIGNS), max_size=60) | st.text(max_size=40)

# Anything goes between quotes if backslashes escape what would end the string.
insides = st.text(st.sampled_from('"\\/<>(){}[],-%@ a'), max_size=12).map(
    lambda text: text.replace("\\", "\\\\").replace('"', '\\"')
)
strings = insides.map(lambda inside: f'"{inside}"')
comments = st.text(st.sampled_from('"\\/<>(){}[],-%@ a'), max_size=12).map(
    lambda text: f"// {text}\n"
)
opaque = strings | comments
leaves = st.sampled_from(["a", "%0", "#map", "->", ">=", " ", "4 : i64"]) | opaque
nested = st.recursive(
    st.lists(leaves, max_size=3).map(" ".join),
    lambda inner: st.builds(
        lambda pair, parts: pair[0] + ", ".join(parts) + pair[1],
        st.sampled_from(["()", "[]", "{}", "<>"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=12,
)
"""Text in which all brackets match."""


# ---- tokens ---------------------------------------------------------------------------------


def kinds(text: str) -> list[tuple[str, str]]:
    return [
        (str(token.kind), token.text) for token in tokens(text) if token.kind != TokenKind.BLANK
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%0#1 %arg-0", [("value", "%0#1"), ("value", "%arg-0")]),
        ("^bb1(%a", [("block", "^bb1"), ("bracket", "("), ("value", "%a")]),
        ('@f::@"a b"', [("symbol", "@f"), *[("other", ":")] * 2, ("symbol", '@"a b"')]),
        ("#map !t.x<", [("attribute", "#map"), ("type", "!t.x"), ("bracket", "<")]),
        ('"a\\"b" "', [("string", '"a\\"b"'), ("other", '"')]),
        ('"a\nb', [("other", '"'), ("word", "a"), ("word", "b")]),
        ("a // b\nc", [("word", "a"), ("comment", "// b"), ("word", "c")]),
        ("-1 1.5e-3 0x7F", [("number", "-1"), ("number", "1.5e-3"), ("number", "0x7F")]),
        ("d0 -1", [("word", "d0"), ("number", "-1")]),
        ("d0-1", [("word", "d0"), ("other", "-"), ("number", "1")]),
        ("-> >=", [("arrow", "->"), ("comparison", ">=")]),
        ("torch.aten.add.Tensor", [("word", "torch.aten.add.Tensor")]),
    ],
)
def test_tokens(text: str, found: list[tuple[str, str]]) -> None:
    assert kinds(text) == found


@given(mlir_like)
def test_in_any_text_tokens_cover_it_and_brackets_are_nested_or_disjoint(text: str) -> None:
    found = list(tokens(text))
    assert "".join(token.text for token in found) == text
    assert all(text[token.start : token.end] == token.text for token in found)
    assert list(firm_brackets(text)) == [
        token.text for token in found if token.kind is TokenKind.BRACKET and token.text not in "<>"
    ]
    pairs = [(pair.start, pair.end) for pair in brackets(text)]
    for number, (start, end) in enumerate(pairs):
        assert start < end
        for inner_start, inner_end in pairs[:number]:
            assert inner_end < start or (start < inner_start and inner_end < end)


@given(strings)
def test_a_string_is_one_token(string: str) -> None:
    assert kinds(f"a{string}b") == [("word", "a"), ("string", string), ("word", "b")]


@given(insides)
def test_unescaping_reverses_escaping(inside: str) -> None:
    assert unescaped(inside.replace("\\", "\\5C").replace('"', "\\22")) == inside


# ---- outside strings and comments -------------------------------------------------------------


def test_only_text_outside_strings_and_comments_is_replaced() -> None:
    text = '%a "%a \\" // %a" %a // %a "\n%a'
    new = Outside(VALUE).sub(lambda match: match[0].upper(), text)
    assert new == '%A "%a \\" // %a" %A // %a "\n%A'


@given(st.lists(st.just(" %a ") | opaque))
def test_strings_and_comments_are_opaque(parts: list[str]) -> None:
    expected = "".join("(%a)" if part == " %a " else part for part in parts)
    found = Outside(f" (?P<value>{VALUE}) ")
    assert found.sub(lambda match: f"({match['value']})", "".join(parts)) == expected


def test_symbols() -> None:
    assert symbols('callee = @f, to = @"a \\" b"::@g') == ["f", 'a \\" b', "g"]
    assert symbol("@f") == "f" and symbol('@"a b"') == "a b"
    assert symbol("@f::@g") is None and symbol("f") is None


# ---- brackets ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("<(a) -> (b)>", ["(a)", "(b)", "<(a) -> (b)>"]),
        ("(d0 >= 0)", ["(d0 >= 0)"]),
        ("(a < b), (c > d)", ["(a < b)", "(c > d)"]),
        ("[<a, b]", ["[<a, b]"]),
        ('{"}" // }\n}', ['{"}" // }\n}']),
        ("(a", []),
        ("a) (b)", []),
    ],
    ids=["arrow", "comparison", "less", "unclosed", "opaque", "open", "of something else"],
)
def test_pairs(text: str, pairs: list[str]) -> None:
    assert [text[pair.start : pair.end + 1] for pair in brackets(text)] == pairs


@settings(max_examples=60)
@given(nested)
def test_brackets_match(text: str) -> None:
    signs = [token for token in tokens(text) if token.kind is TokenKind.BRACKET]
    stack, expected = list[Token](), list[tuple[int, int]]()
    for sign in signs:
        if sign.text in "([{<":
            stack.append(sign)
        else:
            expected.append((stack.pop().start, sign.start))
    found = list(brackets(text))
    assert [(pair.start, pair.end) for pair in found] == expected
    for pair in found:
        around = [start for start, end in expected if start < pair.start and pair.end < end]
        assert pair.outer == max(around, default=-1)
        alone = brackets_at(text, pair.start)
        assert alone is not None
        assert (alone.end, alone.commas) == (pair.end, pair.commas)


# ---- commas -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("a", ["a"]),
        ("a, ", ["a", ""]),
        ("[0, 1], [2]", ["[0, 1]", "[2]"]),
        ("affine_map<(d0, d1) -> (d0)>, #map", ["affine_map<(d0, d1) -> (d0)>", "#map"]),
        ("affine_set<(d0) : (d0 >= 0)>, 1", ["affine_set<(d0) : (d0 >= 0)>", "1"]),
        ('{t.name = "a, \\"b"}, {}', ['{t.name = "a, \\"b"}', "{}"]),
        ("a < b, c", ["a < b", "c"]),
        (
            "dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, 3 : i8",
            ["dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>", "3 : i8"],
        ),
    ],
)
def test_parts(text: str, parts: list[str]) -> None:
    assert split_commas(text) == parts


@settings(max_examples=30)
@given(st.lists(nested.filter(lambda text: text.strip() and text == text.strip()), min_size=1))
def test_splitting_reverses_joining(parts: list[str]) -> None:
    assert split_commas(", ".join(parts)) == parts
