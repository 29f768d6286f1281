from hypothesis import given
from hypothesis import strategies as st

from reducer.page.render import lines, pieces

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
