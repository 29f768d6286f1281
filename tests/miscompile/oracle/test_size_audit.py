"""Auditing the sizes of a text for the inputs of a function."""

from pathlib import Path

import pytest

from oracles import Limits
from reducer.conversions import OptPrinter
from reducer.miscompile.oracle.size_audit import SizeAudit, argument_of
from reducer.toolchain import install
from tests.miscompile.oracle.test_known_sizes import ADD

PRETTY = """\
func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""


def nothing(text: str) -> str | None:
    return None


@pytest.mark.parametrize(
    ("value", "argument"),
    [
        ("2x3xf32=1 2 3 4 5 6", (2, 3)),
        ("2x0xi64=", (2, 0)),
        ("f8E4M3FNUZ=1", ()),
        ("7", 7),
        ("-7", -7),
        ("1.5", None),
    ],
)
def test_inputs_as_the_runtime_takes_them(value: str, argument: object) -> None:
    assert argument_of(value) == argument


def test_only_the_function_that_is_called_counts() -> None:
    inputs = ["10xf32=1", "9xf32=1", "5"]
    assert "10 and 9" in SizeAudit(nothing)(ADD, "f", inputs)
    assert SizeAudit(nothing)(ADD, "g", inputs) == ""
    assert SizeAudit(nothing)("no module", "f", inputs) == ""


@pytest.mark.iree
def test_pretty_text_is_read_by_the_compilers_tool() -> None:
    audit = SizeAudit(OptPrinter(install("3.13.0").opt, Limits(60.0)).generic)
    assert audit(PRETTY, "f", ["4xf32=1", "4xf32=1"]) == ""
    assert "4 and 5" in audit(PRETTY, "f", ["4xf32=1", "5xf32=1"])


@pytest.mark.iree
@pytest.mark.slow
def test_a_real_input_passes(corpus: object) -> None:
    from tests.support.corpus import load_case

    case = load_case("seed-21028-collapse-store-miscompile")
    audit = SizeAudit(OptPrinter(install("3.4.0").opt, Limits(60.0)).generic)
    text = Path(case.folder / "expert.mlir").read_text()
    assert audit(text, "col", ["2x3xf32=1 2 3 4 5 6"]) == ""
    assert "must be equal" in audit(
        text.replace("sizes=[%o1,1]", "sizes=[%o0,1]"), "col", ["2x3xf32=1"]
    )
