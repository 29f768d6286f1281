"""On the way to which results nothing was rounded, in whatever order they are computed."""

from collections.abc import Callable

import numpy as np
import pytest

from reducer.miscompile.interpreter.dialects.names import tells_rounding
from reducer.miscompile.interpreter.noise import disturbed
from reducer.miscompile.interpreter.sums import AnyOrder
from reducer.miscompile.values.elements import parse_element
from reducer.toolchain import Toolchain
from tests.support.evaluating import answers

SUM = """
func.func @sum_{element}(%a: tensor<?x{element}>) -> tensor<{element}> {{
  %z = arith.constant dense<0.0> : tensor<{element}>
  %r = linalg.reduce {{arith.addf}} ins(%a : tensor<?x{element}>) outs(%z : tensor<{element}>)
       dimensions = [0]
  return %r : tensor<{element}>
}}
func.func @total_{element}(%a: tensor<?x{element}>) -> tensor<{element}> {{
  %z = stablehlo.constant dense<0.0> : tensor<{element}>
  %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0]
     : (tensor<?x{element}>, tensor<{element}>) -> tensor<{element}>
  return %r : tensor<{element}>
}}
"""
TEXT = "".join(SUM.format(element=one) for one in ("f32", "bf16", "f8E5M2")) + """
@product(%a: tensor<2x4xf8E5M2>, %b: tensor<4x2xf8E5M2>) -> tensor<2x2xf8E5M2>:
  %r = stablehlo.dot %a, %b
     : (tensor<2x4xf8E5M2>, tensor<4x2xf8E5M2>) -> tensor<2x2xf8E5M2>
func.func @both(%a: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %e = math.exp %a : tensor<2xf32>
  %s = arith.addf %a, %a : tensor<2xf32>
  return %e, %s : tensor<2xf32>, tensor<2xf32>
}
func.func @powers_of_two(%a: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
  %e = math.exp2 %a : tensor<2xf16>
  %s = math.sqrt %a : tensor<2xf16>
  return %e, %s : tensor<2xf16>, tensor<2xf16>
}
@whole_powers(%a: tensor<2xf16>) -> tensor<2xf16>:
  %e = math.exp2 %a : tensor<2xf16>
  %r = math.roundeven %e : tensor<2xf16>
func.func @narrowed(%a: tensor<2xf32>) -> tensor<2xf32> {
  %n = arith.truncf %a : tensor<2xf32> to tensor<2xbf16>
  %w = arith.extf %n : tensor<2xbf16> to tensor<2xf32>
  return %w : tensor<2xf32>
}
@counted(%a: tensor<1xi32>) -> tensor<1xbf16>:
  %r = arith.sitofp %a : tensor<1xi32> to tensor<1xbf16>
@moved(%a: tensor<2xf32>) -> tensor<2xf32>:
  %r = tensor.extract_slice %a[0] [2] [1] : tensor<2xf32> to tensor<2xf32>
"""  # fmt: skip


@pytest.fixture(scope="module")
def exact(
    iree_toolchain: Callable[..., Toolchain], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., list[bool]]:
    """Call a function; for each result, whether all of its elements are exact."""
    call = answers(iree_toolchain(), TEXT)

    def run(name: str, *inputs: str) -> list[bool]:
        return [one.exact is not None and bool(one.exact.all()) for one in call(name, *inputs)]

    return run


@pytest.mark.iree
@pytest.mark.parametrize("kind", ["sum", "total"])
@pytest.mark.parametrize(
    ("element", "numbers", "is_exact"),
    [
        ("f32", "1 2 3 4", True),
        ("f32", "0.1 0.7 -0.6 -0.2", False),
        ("bf16", "101 100 -100 100", False),  # 301 is too much for 8 bits
        ("bf16", "100 100 1", True),
        ("f8E5M2", "1 -1 1 1", True),
        ("f8E5M2", "3 3 -3 -3", False),
    ],
)
def test_a_sum_is_exact_if_it_is_in_any_order(
    exact: Callable[..., list[bool]], kind: str, element: str, numbers: str, is_exact: bool
) -> None:
    count = len(numbers.split())
    assert exact(f"{kind}_{element}", f"{count}x{element}={numbers}") == [is_exact]


@pytest.mark.iree
def test_what_else_rounds(exact: Callable[..., list[bool]]) -> None:
    assert exact("both", "2xf32=1 2") == [False, True]
    assert exact("narrowed", "2xf32=1 2") == [True]
    assert exact("narrowed", "2xf32=1 257") == [False], "a compiler may leave both out"
    assert exact("counted", "1xi32=256") == [True]
    assert exact("counted", "1xi32=257") == [False]
    assert exact("moved", "2xf32=0.1 0.3") == [True]
    assert exact("product", "2x4xf8E5M2=1 0 0 1 0 0 0 1", "4x2xf8E5M2=2 1 1 1 1 1 -1 1") == [True]
    assert exact("product", "2x4xf8E5M2=3 3 3 1 0 0 0 1", "4x2xf8E5M2=2 1 1 1 1 1 -1 1") == [False]


@pytest.mark.iree
def test_the_value_of_a_function_is_not_exact_in_any_type(
    exact: Callable[..., list[bool]],
) -> None:
    """`exp2` of 9 is `exp(9 * ln 2)` in some compilers, which need not be 512 in f16."""
    assert exact("powers_of_two", "2xf16=9 4") == [False, True]
    assert exact("whole_powers", "2xf16=7 6") == [True], "it is off by two digits at most"
    assert exact("whole_powers", "2xf16=9 6") == [False]


def test_ops_that_do_not_tell() -> None:
    assert tells_rounding('"linalg.generic" "arith.addf"')
    assert not tells_rounding('"vector.contract"(%0)')


@pytest.mark.parametrize(
    ("numbers", "is_exact"),
    [([4, 4], True), ([0.25, 1], True), ([8, 1], False), ([0, 0], True), ([np.inf, 1], False)],
)
def test_the_digits_of_all_numbers_count(numbers: list[float], is_exact: bool) -> None:
    element = parse_element("f8E5M2")
    assert element is not None
    with disturbed(0) as noise:
        ways = AnyOrder.start(element, np.zeros([1]))
        assert ways is not None
        ways.fold((...,), np.array(numbers), (0,))
        ways.note()
    assert noise.has_rounded is not is_exact
    assert AnyOrder.start(element, np.zeros([1])) is None, "nobody asks"
