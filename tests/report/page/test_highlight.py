import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducer.report.page.highlight import lines, pieces

LINE = '%0:2 = torch.aten.topk %arg0 {a = "x"} : !torch.vtensor<[?,1],f32>, tensor<2x3xf16> // end'


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (
            LINE,
            {
                **{"%0": "value", "%arg0": "value", "torch.aten.topk": "op", '"x"': "string"},
                **{"!torch.vtensor": "type", "tensor": "type", "f32": "type", "// end": "comment"},
            },
        ),
        (
            '"t.call"(%1) {f = @"odd name", n = -4 : i64}',
            {'"t.call"': "op", '@"odd name"': "symbol", "-4": "number"},
        ),
        # An op is one whatever its name is made of, or if its dialect is left out,
        (
            "torch.aten.add.Tensor index.add : index",
            {"torch.aten.add.Tensor": "op", "index.add": "op", "index": "type"},
        ),
        ("  %0 = call @f(%a) : (i64) -> i64\n  return %0 : i64", {"call": "op", "return": "op"}),
        ("module attributes {a = 1} {", {"module": "op", "1": "number", "attributes": ""}),
        # but not a keyword or the key of an attribute.
        ("} else {", {"else": ""}),
        ("      ins(%a : f32)", {"ins": ""}),
        (
            '  t.x {iree.gpu.target = #t.x<arch = "g">, test.flag}',
            {"iree.gpu.target": "", "t.x": "op", "#t.x": "attribute"},
        ),
    ],
)
def test_what_each_piece_is(text: str, kinds: dict[str, str]) -> None:
    found = {piece: kind for kind, piece in pieces(text) if kind}
    assert {piece: found.get(piece, "") for piece in kinds} == kinds


@given(st.text())
def test_nothing_is_lost(text: str) -> None:
    assert "".join(piece for _, piece in pieces(text)) == text


def test_lines() -> None:
    assert len(list(lines("a\nb\n"))) == 2


def test_shapes() -> None:
    found = list(
        pieces("tensor<2x?xf32>, vector<[4]x8xi1>, memref<*xbf16>, tensor<0x4xcomplex<f32>>")
    )
    sizes = [text for kind, text in found if kind == "number"]
    assert sizes == ["2x?x", "[4]x8x", "*x", "0x4x"]
    types = [text for kind, text in found if kind == "type"]
    assert types == ["tensor", "f32", "vector", "i1", "memref", "bf16", "tensor", "complex", "f32"]
