"""Ops that the evaluator does not know are lowered by themselves, and called."""

import re

import pytest

from reducer.ir import Module
from reducer.miscompile.interpreter.lowering import with_lowered_ops

LOWERED = """\
#map = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  "util.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "front_end_0"}> ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "test.lowered"(%arg0) <{indexing_maps = [#map]}> : (tensor<4xf32>) -> tensor<4xf32>
    "util.return"(%0) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""


def in_function(*ops: str, result: str = "%r") -> str:
    lines = "".join(f"    {op}\n" for op in ops)
    return (
        '"builtin.module"() ({\n'
        '  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f"}> ({\n'
        f"  ^bb0(%a: tensor<4xf32>):\n{lines}"
        f'    "func.return"({result}) : (tensor<4xf32>) -> ()\n'
        "  }) {torch.onnx_meta.opset_version = 17 : si64, other} : () -> ()\n"
        "}) : () -> ()\n"
    )


class FrontEnd:
    """Gives the same for anything, and remembers what it was given."""

    def __init__(self, lowered: str | None = LOWERED) -> None:
        self.lowered = lowered
        self.given = ""

    def __call__(self, ops: str) -> str | None:
        self.given = ops
        return self.lowered


def is_unknown(op: str) -> bool:
    return op.startswith("test.") or op == "onnx.Odd"


def calls(text: str) -> int:
    return text.count('"func.call"')


def test_the_same_op_is_lowered_once_and_called_wherever_it_is() -> None:
    odd = '"test.odd"({}) : (tensor<4xf32>) -> tensor<4xf32>'
    known = '%1 = "arith.negf"(%0) : (tensor<4xf32>) -> tensor<4xf32>'
    front_end = FrontEnd()
    made = with_lowered_ops(
        in_function(f"%0 = {odd.format('%a')}", known, f"%r = {odd.format('%1')}"),
        is_unknown,
        front_end,
    )
    assert made is not None and made.ops == ("test.odd",)
    assert front_end.given.count('"test.odd"(%a0)') == front_end.given.count("func.func") == 1
    assert "other" not in front_end.given and "opset_version = 17" in front_end.given
    assert calls(made.text) == 2 and "test.odd" not in made.text and known in made.text
    assert "affine_map<(d0) -> (d0)>" in made.text and "#map" not in made.text
    names = Module.parse(made.text).t.name
    assert names.count("util.func") == names.count("arith.negf") == 1


@pytest.mark.parametrize(
    ("ops", "told", "inside"),
    [
        pytest.param(
            (
                '%n = "test.size"() <{value = 4 : i64}> : () -> !test.int',
                '%l = "test.list"(%n) : (!test.int) -> !test.list',
                '%r = "test.odd"(%a, %l) : (tensor<4xf32>, !test.list) -> tensor<4xf32>',
            ),
            ("test.list", "test.odd", "test.size"),
            ('%c1 = "test.list"(%c0)', '"test.odd"(%a0, %c1)'),
            id="what is no number",
        ),
        pytest.param(
            (
                '%c = "stablehlo.constant"() <{value = dense<4> : tensor<1xi64>}> : () -> '
                "tensor<1xi64>",
                '%r = "test.odd"(%a, %c) : (tensor<4xf32>, tensor<1xi64>) -> tensor<4xf32>',
            ),
            ("test.odd",),
            ('%c0 = "stablehlo.constant"()', '"test.odd"(%a0, %c0)'),
            id="a constant",
        ),
        pytest.param(
            ('%r = "torch.operator"(%a) <{name = "onnx.Odd"}> : (tensor<4xf32>) -> tensor<4xf32>',),
            ("onnx.Odd",),
            ('name = "onnx.Odd"',),
            id="the name of an operator",
        ),
        pytest.param(
            (
                '%r = "known.if"(%a) ({',
                '  "test.yield"(%a) : (tensor<4xf32>) -> ()',
                "}) : (tensor<4xf32>) -> tensor<4xf32>",
            ),
            ("known.if",),
            ('"known.if"(%a0)', '"test.yield"(%a0)'),
            id="the end of a region",
        ),
    ],
)
def test_what_comes_along(ops: tuple[str, ...], told: tuple[str, ...], inside: str) -> None:
    front_end = FrontEnd()
    made = with_lowered_ops(in_function(*ops), is_unknown, front_end)
    assert made is not None and made.ops == told
    assert all(part in front_end.given for part in inside)
    assert calls(made.text) == 1
    assert not re.search(r"test\.(?:odd|list|size|yield)", made.text)


@pytest.mark.parametrize(
    ("ops", "lowered"),
    [
        pytest.param(
            ('%r = "test.odd"(%a) : (tensor<4xf32>) -> tensor<4xf32>',), None, id="not lowered"
        ),
        pytest.param(
            ('%r = "test.odd"(%a) : (tensor<4xf32>) -> tensor<4xf32>',),
            LOWERED.replace("front_end_0", "f"),
            id="another function",
        ),
        pytest.param(
            (
                '%l = "test.list"(%a) : (tensor<4xf32>) -> !test.list',
                '%r = "known.first"(%l) : (!test.list) -> tensor<4xf32>',
            ),
            LOWERED,
            id="no number for a known op",
        ),
        pytest.param(
            ('"test.effect"(%a) : (tensor<4xf32>) -> ()', '%r = "k.n"() : () -> tensor<4xf32>'),
            LOWERED,
            id="no result",
        ),
    ],
)
def test_what_has_to_stay(ops: tuple[str, ...], lowered: str | None) -> None:
    assert with_lowered_ops(in_function(*ops), is_unknown, FrontEnd(lowered)) is None


def test_a_name_that_the_program_has_is_not_taken() -> None:
    taken = in_function('%r = "test.odd"(%a) : (tensor<4xf32>) -> tensor<4xf32>').replace(
        'sym_name = "f"', 'sym_name = "front_end_0"'
    )
    front_end = FrontEnd(LOWERED.replace("front_end_0", "front_end__0"))
    made = with_lowered_ops(taken, is_unknown, front_end)
    assert 'sym_name = "front_end__0"' in front_end.given
    assert made is not None and "callee = @front_end__0" in made.text
