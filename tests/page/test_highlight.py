from hypothesis import given
from hypothesis import strategies as st

from reducer.page.highlight import lines, pieces

LINE = '%0:2 = torch.aten.topk %arg0 {a = "x"} : !torch.vtensor<[?,1],f32>, tensor<2x3xf16> // end'


def test_a_line() -> None:
    found = {text: kind for kind, text in pieces(LINE) if kind}
    assert found["%0"] == found["%arg0"] == "value"
    assert found["torch.aten.topk"] == "op"
    assert found["!torch.vtensor"] == found["tensor"] == found["f32"] == "type"
    assert found['"x"'] == "string"
    assert found["// end"] == "comment"


def test_generic_form_and_symbols() -> None:
    found = {text: kind for kind, text in pieces('"t.call"(%1) {f = @"odd name", n = -4 : i64}')}
    assert found['"t.call"'] == "op"
    assert found['@"odd name"'] == "symbol"
    assert found["-4"] == "number"


@given(st.text())
def test_nothing_is_lost(text: str) -> None:
    assert "".join(piece for _, piece in pieces(text)) == text


def test_lines() -> None:
    assert len(list(lines("a\nb\n"))) == 2


def test_an_op_is_an_op_whatever_its_name_is_made_of() -> None:
    found = dict(piece[::-1] for piece in pieces("torch.aten.add.Tensor index.add : index"))
    assert found["torch.aten.add.Tensor"] == found["index.add"] == "op"
    assert found["index"] == "type"


def classes(text: str) -> dict[str, str]:
    return {text: kind for kind, text in pieces(text) if kind}


def test_shapes() -> None:
    found = list(
        pieces("tensor<2x?xf32>, vector<[4]x8xi1>, memref<*xbf16>, tensor<0x4xcomplex<f32>>")
    )
    sizes = [text for kind, text in found if kind == "number"]
    assert sizes == ["2x?x", "[4]x8x", "*x", "0x4x"]
    types = [text for kind, text in found if kind == "type"]
    assert types == ["tensor", "f32", "vector", "i1", "memref", "bf16", "tensor", "complex", "f32"]


def test_an_op_without_its_dialect_is_known_by_its_place() -> None:
    found = classes("  %0 = call @f(%a) : (i64) -> i64\n  return %0 : i64")
    assert found["call"] == found["return"] == "op"
    assert classes("module attributes {a = 1} {") == {"module": "op", "1": "number"}
    assert "else" not in classes("} else {")
    assert "ins" not in classes("      ins(%a : f32)")


def test_keys_of_attributes_are_no_ops() -> None:
    found = classes('  t.x {iree.gpu.target = #t.x<arch = "g">, test.flag}')
    assert "iree.gpu.target" not in found
    assert found["t.x"] == "op" and found["#t.x"] == "attribute"
