"""Filling the uninitialized tensors of a program with poison."""

from reducer.miscompile.oracle.execution import poisoned

PRETTY = """\
func.func @f(%n: index) -> tensor<?x3xf32> {
  %e = tensor.empty(%n) : tensor<?x3xf32>
  return %e : tensor<?x3xf32>
}
"""
PRETTY_TWIN = """\
func.func @f(%n: index) -> tensor<?x3xf32> {
  %poison_raw_1 = tensor.empty(%n) : tensor<?x3xf32>
  %poison_value_1 = arith.constant 96.0 : f32
  %e = linalg.fill ins(%poison_value_1 : f32) outs(%poison_raw_1 : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %e : tensor<?x3xf32>
}
"""  # noqa: E501
GENERIC = '  %3 = "tensor.empty"() : () -> tensor<4xi8>'
GENERIC_TWIN = """\
  %poison_raw_1 = "tensor.empty"() : () -> tensor<4xi8>
  %poison_value_1 = arith.constant 85 : i8
  %3 = linalg.fill ins(%poison_value_1 : i8) outs(%poison_raw_1 : tensor<4xi8>) -> tensor<4xi8>"""


def test_pretty_form() -> None:
    assert poisoned(PRETTY) == PRETTY_TWIN


def test_generic_form() -> None:
    assert poisoned(GENERIC) == GENERIC_TWIN


def test_each_has_names_of_its_own() -> None:
    twin = poisoned(f"{GENERIC}\n{GENERIC.replace('%3', '%4')}")
    assert twin is not None and "%poison_raw_2" in twin


def test_nothing_to_fill() -> None:
    assert poisoned("func.func @f() { return }") is None
    assert poisoned('%0 = "tensor.empty"() : () -> tensor<4x!torch.int>') is None
