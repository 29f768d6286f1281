"""Simpler attribute values."""

import pytest

from reducer.ir import Module
from reducer.transformations.attribute_values import SimplifyAttributes
from tests.support.sides import apply_to, function


def with_value(value: str) -> str:
    return function(f'"t.op"() <{{value = {value}}}> : () -> ()\n"func.return"() : () -> ()')


@pytest.mark.parametrize(
    ("value", "simpler"),
    [
        ("256 : i64", ["0 : i64", "1 : i64"]),
        ("0.125 : f16", ["1.0 : f16", "0.0 : f16"]),
        ("-1.000000e-06 : f64", ["1.0 : f64", "0.0 : f64"]),
        ("0xFF800000 : f32", ["1.0 : f32", "0.0 : f32"]),
        ("dense<11> : tensor<1xi8>", ["dense<0> : tensor<1xi8>", "dense<1> : tensor<1xi8>"]),
        ("dense<-3> : tensor<i64>", ["dense<0> : tensor<i64>", "dense<1> : tensor<i64>"]),
        (
            "dense<9.6> : tensor<4xf32>",
            ["dense<1.0> : tensor<4xf32>", "dense<0.0> : tensor<4xf32>"],
        ),
        (
            "dense<0xFF80> : tensor<2xbf16>",
            ["dense<1.0> : tensor<2xbf16>", "dense<0.0> : tensor<2xbf16>"],
        ),
        ('"torch.aten.diff"', ['"x"']),
        ("[1, 2]", ["[]"]),
        ('#t.file<"a\\"b.bin">', ['#t.file<"x">']),
        (
            '#t.named<"model"::"weight">',
            ['#t.named<"x"::"weight">', '#t.named<"model"::"x">', '#t.named<"x"::"x">'],
        ),
    ],
)
def test_values_in_order(value: str, simpler: list[str]) -> None:
    text = with_value(value)
    assert len(SimplifyAttributes().sites(Module.parse(text))) == len(simpler)
    for number, result in enumerate(simpler):
        assert f"<{{value = {result}}}>" in apply_to(SimplifyAttributes(), text, number)


@pytest.mark.parametrize(
    "value",
    [
        "dense<1> : tensor<i8>",
        "dense<0.000000e+00> : tensor<2xf32>",
        "dense<true> : tensor<2xi1>",
        "7 : i32",
        '""',
        '"a"',
        '#t.named<""::"w">',
        "1.000000e+00 : f32",
        "@f",
        "[]",
        "true",
    ],
)
def test_values_that_are_already_simple(value: str) -> None:
    assert SimplifyAttributes().sites(Module.parse(with_value(value))) == []


def test_symbol_names_stay() -> None:
    module = Module.parse(with_value("1"))
    assert all(site.name == "value" for site in SimplifyAttributes().sites(module))


def test_a_string_that_the_message_contains_stays() -> None:
    text = function(
        """
        "q.gate"() {name = "RX"} : () -> ()
        "q.gate"() {name = "Hadamard"} : () -> ()
        "func.return"() : () -> ()
        """
    )
    found = SimplifyAttributes(lambda module: "no rule for operator 'RX[w:1]'")
    after = apply_to(found, text)
    assert '"q.gate"() {name = "RX"}' in after
    assert '"q.gate"() {name = "x"}' in after
