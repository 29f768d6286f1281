"""ONNX operators are judged by the ONNX project's reference, not by what the front end makes."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from reducer.miscompile.interpreter import reference
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.evaluate import Calls
from reducer.miscompile.interpreter.reference import has_onnx_only
from tests.support.evaluating import Functions, assert_gives, f32
from tests.support.onnx_programs import program, tensor

pytest.importorskip("onnx")

_ROW = re.compile(
    r"^(?:(\d+) )?(\w+)(?: \{(.*?)\})? \[(.*?)\] -> (\S+(?: \w+)?) \((.*)\) (=|~|fails:) (.*)$",
    re.M,
)
ROWS = _ROW.findall(Path(__file__).with_name("operators.txt").read_text(encoding="utf-8"))


def spelled(text: str) -> str:
    """A type: its sizes, of which `.` are none, and what its elements are if not f32."""
    dims, _, element = text.partition(" ")
    return tensor(dims.strip("."), element or "f32")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[1]}: {row[5]} {row[7]}")
def test_a_call_gives_what_is_written(row: Sequence[str]) -> None:
    opset, name, flags, operands, result, given, how, wanted = row
    types = [spelled(one) for one in operands.split("; ") if one]
    attributes = re.sub(r"(^|, )(?=\w+ = )", r"\1torch.onnx.", flags)
    text = program(name, types, spelled(result), attributes, opset=opset or "21")
    elements = [one.rpartition(",")[2].strip(">") for one in types]
    assert_gives(Functions(text), "f", elements, given, how, wanted)


def test_an_integer_that_depends_on_the_precision_is_open() -> None:
    """3 / (6 / 255) is half of an odd number or a little less."""
    results = [tensor("3", "ui8"), tensor(""), tensor("", "ui8")]
    text = program("DynamicQuantizeLinear", [tensor("3")], f"({', '.join(results)})")
    text = text.replace("%r = ", "%r:3 = ").replace("(%r) : ((", "(%r#0, %r#1, %r#2) : (")
    text = text.replace(")) -> ()", ") -> ()")
    quantized, *_ = Functions(text).arrays("f", f32(0, 3, 6))
    assert quantized.mask().tolist() == [False, True, False]


def test_only_modules_of_onnx_operators_need_no_front_end(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program("Det", [tensor("2,2")], tensor(""))
    assert has_onnx_only(text)
    assert not has_onnx_only(text.replace("onnx.Det", "aten.det"))
    monkeypatch.setattr(reference, "find_spec", lambda name: None)
    assert not has_onnx_only(text), "the package is an extra"


@pytest.mark.parametrize(("divisor", "is_exact"), [(3.0, False), (0.5, True)])
def test_operators_are_rounded(divisor: float, is_exact: bool) -> None:
    """A quotient that is not exact may come out below a whole number when it is multiplied back."""
    kind = tensor("1")
    text = program("Div", [kind, kind], kind).replace(
        '    "func.return"(%r)',
        f'    %s = "torch.operator"(%r, %1) <{{name = "onnx.Mul"}}> : ({kind}, {kind}) -> {kind}\n'
        f'    %t = "torch.operator"(%s) <{{name = "onnx.Floor"}}> : ({kind}) -> {kind}\n'
        '    "func.return"(%t)',
    )
    (value,) = Calls(text, "f").answer(["1xf32=5", f"1xf32={divisor}"]).results
    assert (value.slack is None or value.slack[0] == 0) == is_exact


def test_what_is_no_operator_of_onnx_is_named() -> None:
    text = program("Det", [tensor("2")], tensor("")).replace("onnx.Det", "aten.det")
    with pytest.raises(Unsupported, match=r"aten\.det"):
        Functions(text)("f", f32(1, 2))


def test_nobody_counts_the_indices_of_a_maximum_as_the_reference_does() -> None:
    shape = "torch.onnx.kernel_shape = [3 : si64]"
    text = program("MaxPool", [tensor("1,1,7")], tensor("1,1,5"), shape)
    both = text.replace("%r = ", "%r, %i = ").replace(
        "-> !torch.vtensor<[1,1,5],f32>\n",
        "-> (!torch.vtensor<[1,1,5],f32>, !torch.vtensor<[1,1,5],si64>)\n",
    )
    with pytest.raises(Unsupported, match="with indices"):
        Functions(both)("f", np.zeros((1, 1, 7), np.float32))
