"""Float ops, their casts, and the math dialect against NumPy and Python."""

import math

import ml_dtypes
import numpy as np
import pytest

from tests.support.evaluating import Functions, f32

pytestmark = pytest.mark.iree

UNARY = {
    "absf": abs, "ceil": math.ceil, "cos": math.cos, "erf": math.erf, "exp": math.exp,
    "exp2": math.exp2, "expm1": math.expm1, "floor": math.floor, "sin": math.sin,
    "tan": math.tan, "tanh": math.tanh, "atan": math.atan, "trunc": math.trunc, "cbrt": math.cbrt,
    "roundeven": round, "asinh": math.asinh, "sinh": math.sinh, "cosh": math.cosh,
}  # fmt: skip
POSITIVE = {
    "log": math.log, "log2": math.log2, "log10": math.log10, "log1p": math.log1p,
    "sqrt": math.sqrt, "rsqrt": lambda x: 1 / math.sqrt(x),
}  # fmt: skip
SMALL = ("f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f6E2M3FN", "f4E2M1FN")


def program() -> str:
    kind = "tensor<?xf32>"
    text = [
        f"func.func @{name}(%a: {kind}) -> {kind} {{\n"
        f"  %r = math.{name} %a : {kind}\n  return %r : {kind}\n}}"
        for name in [*UNARY, *POSITIVE, "round"]
    ]
    for small in SMALL:
        text.append(
            f"func.func @to_{small}(%a: {kind}) -> {kind} {{\n"
            f"  %r = arith.truncf %a : {kind} to tensor<?x{small}>\n"
            f"  %s = arith.extf %r : tensor<?x{small}> to {kind}\n  return %s : {kind}\n}}"
        )
    binary = ("maximumf", "maxnumf", "minimumf", "minnumf", "remf", "divf")
    for op in (*(f"arith.{name}" for name in binary), "math.copysign"):
        text.append(
            f"func.func @{op.partition('.')[2]}(%a: {kind}, %b: {kind}) -> {kind} {{\n"
            f"  %r = {op} %a, %b : {kind}\n  return %r : {kind}\n}}"
        )
    for name, op in (("largest", "maximumf"), ("smallest", "minimumf")):
        text.append(
            f"func.func @{name}(%a: {kind}) -> tensor<1xf32> {{\n"
            "  %i = arith.constant dense<-0.0> : tensor<f32>\n"
            f"  %r = linalg.reduce {{ arith.{op} }} ins(%a : {kind}) outs(%i : tensor<f32>)"
            " dimensions = [0]\n  %v = tensor.extract %r[] : tensor<f32>\n"
            "  %s = tensor.from_elements %v : tensor<1xf32>\n  return %s : tensor<1xf32>\n}"
        )
    for name in ("oeq", "one", "ord", "ueq", "ult", "une", "uno", "oge"):
        text.append(
            f"func.func @{name}(%a: {kind}, %b: {kind}) -> tensor<?xi1> {{\n"
            f"  %r = arith.cmpf {name}, %a, %b : {kind}\n  return %r : tensor<?xi1>\n}}"
        )
    return (
        "\n".join(text)
        + """
    @powf(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
      %r = math.powf %a, %b : tensor<?xf32>
    @long_fpowi(%a: tensor<?xf32>, %b: tensor<?xi64>) -> tensor<?xf32>:
      %r = math.fpowi %a, %b : tensor<?xf32>, tensor<?xi64>
    @fpowi(%a: tensor<?xf32>, %b: tensor<?xi32>) -> tensor<?xf32>:
      %r = math.fpowi %a, %b : tensor<?xf32>, tensor<?xi32>
    @ipowi(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32>:
      %r = math.ipowi %a, %b : tensor<?xi32>
    func.func @bits(%a: tensor<?xi5>) -> (tensor<?xi5>, tensor<?xi5>, tensor<?xi5>) {
      %l = math.ctlz %a : tensor<?xi5>
      %t = math.cttz %a : tensor<?xi5>
      %p = math.ctpop %a : tensor<?xi5>
      return %l, %t, %p : tensor<?xi5>, tensor<?xi5>, tensor<?xi5>
    }
    @to_i8(%a: tensor<?xf32>) -> tensor<?xi8>:
      %r = arith.fptosi %a : tensor<?xf32> to tensor<?xi8>
    @to_ui8(%a: tensor<?xf32>) -> tensor<?xi8>:
      %r = arith.fptoui %a : tensor<?xf32> to tensor<?xi8>
    @from_ui8(%a: tensor<?xi8>) -> tensor<?xbf16>:
      %r = arith.uitofp %a : tensor<?xi8> to tensor<?xbf16>
    @bitcast(%a: tensor<?xf32>) -> tensor<?xi32>:
      %r = arith.bitcast %a : tensor<?xf32> to tensor<?xi32>
    @promised(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
      %r = arith.addf %a, %b fastmath<nnan> : tensor<?xf32>
    @finite(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32>:
      %r = arith.mulf %a, %b fastmath<ninf> : tensor<?xf32>
    @half(%a: tensor<?xf16>, %b: tensor<?xf16>) -> tensor<?xf16>:
      %r = arith.addf %a, %b : tensor<?xf16>
    @quotient(%a: tensor<?xcomplex<f32>>, %b: tensor<?xcomplex<f32>>)
        -> tensor<?xcomplex<f32>>:
      %r = linalg.map { complex.div } ins(%a, %b : tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>)
          outs(%a : tensor<?xcomplex<f32>>)
    @root(%a: tensor<?xcomplex<f32>>, %b: tensor<?xcomplex<f32>>)
        -> tensor<?xcomplex<f32>>:
      %r = linalg.map { complex.sqrt } ins(%a : tensor<?xcomplex<f32>>)
          outs(%a : tensor<?xcomplex<f32>>)
    func.func @complex(%a: f32, %b: f32) -> (f32, f32, f32) {
      %c = complex.create %a, %b : complex<f32>
      %d = complex.mul %c, %c : complex<f32>
      %re = complex.re %d : complex<f32>
      %im = complex.im %d : complex<f32>
      %abs = complex.abs %c : complex<f32>
      return %re, %im, %abs : f32, f32, f32
    }
    """
    )


TEXT = program()


def test_a_huge_angle_has_no_phase(module: Functions) -> None:
    """The next f32 is many turns away, so libraries differ and none of them is wrong."""
    assert module.poison("sin", f32(-3, 1e30, -1e30, np.inf)).tolist() == [False, True, True, False]
    assert module.poison("cos", f32(1e4, 1e6)).tolist() == [False, True]


def test_a_tangent_next_to_a_pole_is_not_known(module: Functions) -> None:
    """The next angle may be beyond the pole, and a cosine there may be zero."""
    pole = 1.5 * math.pi
    assert module.poison("tan", f32(1.5, pole, -pole)).tolist() == [False, True, True]


def test_a_function_whose_formula_overflows_may_be_infinite(module: Functions) -> None:
    """`log(x + sqrt(x * x + 1))` does so long before its value, `(exp(x) - exp(-x)) / 2` just."""
    poison = module.poison("asinh", f32(1e30, -1e30, 1e18, np.inf))
    assert poison.tolist() == [True, True, False, False]
    assert module.poison("sinh", f32(89, 88, -89, 1e30)).tolist() == [True, False, True, False]


def test_a_remainder_is_known_if_the_quotient_has_digits_after_the_point(module: Functions) -> None:
    """Beyond, and for an infinite divisor, `a - trunc(a / b) * b` is none."""
    divisors = f32(2, 2, np.inf, 0.375)
    assert module.poison("remf", f32(5, 1e30, 5, 96), divisors).tolist() == [
        False, True, True, False,
    ]  # fmt: skip
    assert module("remf", f32(5, -96), f32(2, 0.375)).tolist() == [1, 0]


@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
def test_functions(module: Functions, name: str) -> None:
    numbers = f32(0.25, 0.5, 1, 1.5, 2.5, 3.75)
    if name in UNARY:
        numbers = np.concatenate([numbers, -numbers])
    function = {**UNARY, **POSITIVE}[name]
    expected = [function(float(number)) for number in numbers]
    np.testing.assert_allclose(module(name, numbers), expected, rtol=1e-5)


def test_rounding_halves(module: Functions) -> None:
    numbers = f32(0.5, 1.5, -0.5, -2.5, 0.49999997)
    assert module("round", numbers).tolist() == [1, 2, -1, -3, 0]
    assert np.signbit(module("round", np.float32([-0.25, 0.25]))).tolist() == [True, False]
    assert module("roundeven", numbers).tolist() == [0, 2, 0, -2, 0]


def test_powers(module: Functions) -> None:
    assert module("powf", f32(-1, -2, 3, -7), f32(3, 2, 2, 3)).tolist() == [-1, 4, 9, -343]
    powers = np.array([3, -1, 0], np.int32)
    assert module("fpowi", f32(2, 4, 5), powers).tolist() == [8, 0.25, 1]
    odd = np.array([2**63 - 1, 2**53 + 1, -3], np.int64)  # no float is odd that is so large
    assert module("long_fpowi", f32(-1, -np.inf, -2), odd).tolist() == [-1, -np.inf, -0.125]
    base, exponent = np.array([3, -1, 2, -3], np.int32), np.array([4, -3, -1, 3], np.int32)
    assert module("ipowi", base, exponent).tolist() == [81, -1, 0, -27]
    assert module.poison("ipowi", np.int32([0]), np.int32([-1])).all()


def test_counting_bits(module: Functions) -> None:
    leading, trailing, set_ = module.all("bits", np.int8([0, 1, 6, -1]))
    assert leading.tolist() == [5, 4, 2, 0]
    assert trailing.tolist() == [5, 0, 1, 0]
    assert set_.tolist() == [0, 1, 2, 5]


@pytest.mark.parametrize("name", SMALL)
def test_small_floats_round_to_nearest_even(module: Functions, name: str) -> None:
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}.get(name)
    if dtype is None:
        bits, rest = name[1], name[2:].lower()
        dtype = getattr(ml_dtypes, f"float{bits}_{rest}")
    numbers = np.linspace(-6, 6, 97, dtype=np.float32)
    expected = numbers.astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(module(f"to_{name}", numbers), expected)


def test_half_precision_is_rounded_after_each_op(module: Functions) -> None:
    out = module("half", np.float16([2048, 65504]), np.float16([1, 65504]))
    assert out.tolist() == [2048, math.inf]


def test_nan_and_zero(module: Functions) -> None:
    a, b = f32(1, math.nan, 2, -5), f32(math.nan, 1, 3, 3)
    np.testing.assert_array_equal(module("maximumf", a, b), f32(math.nan, math.nan, 3, 3))
    np.testing.assert_array_equal(module("maxnumf", a, b), f32(1, 1, 3, 3))
    np.testing.assert_array_equal(module("minimumf", a, b), f32(math.nan, math.nan, 2, -5))
    np.testing.assert_array_equal(module("minnumf", a, b), f32(1, 1, 2, -5))
    assert module("remf", f32(-5, 5), f32(3, -3)).tolist() == [-2, 2]
    np.testing.assert_array_equal(
        module("divf", f32(1, -1, 0), f32(0, 0, 0)), f32(math.inf, -math.inf, math.nan)
    )


def test_signed_zeros(module: Functions) -> None:
    """-0 is less than +0; NumPy gives whichever comes last."""
    zeros = f32(0, -0.0, 0, -0.0), f32(-0.0, 0, 0, -0.0)
    assert np.signbit(module("maximumf", *zeros)).tolist() == [False, False, False, True]
    assert np.signbit(module("minimumf", *zeros)).tolist() == [True, True, False, True]
    assert np.signbit(module("largest", zeros[0])).tolist() == [False]
    assert np.signbit(module("smallest", zeros[0])).tolist() == [True]


def test_comparisons_with_nan(module: Functions) -> None:
    a, b = f32(1, 1, math.nan), f32(1, 2, 1)
    found = {
        name: module(name, a, b).astype(int).tolist()
        for name in ("oeq", "one", "ord", "ueq", "ult", "une", "uno", "oge")
    }
    assert found == {
        "oeq": [1, 0, 0], "one": [0, 1, 0], "ord": [1, 1, 0], "ueq": [1, 0, 1],
        "ult": [0, 1, 1], "une": [0, 1, 1], "uno": [0, 0, 1], "oge": [1, 0, 0],
    }  # fmt: skip


def test_casts_to_integers(module: Functions) -> None:
    numbers = f32(-1.9, 127.5, 128, math.nan, -129)
    (out,) = module.arrays("to_i8", numbers)
    assert out.data.tolist()[:2] == [-1, 127]
    assert out.mask().tolist() == [False, False, True, True, True]
    (out,) = module.arrays("to_ui8", f32(255.9, -0.5, 256, -1))
    assert out.data.tolist()[:2] == [-1, 0]
    assert out.mask().tolist() == [False, False, True, True]
    assert module("from_ui8", np.int8([-1, 5])).astype(float).tolist() == [255, 5]
    assert module("bitcast", f32(1, -0.0)).tolist() == [0x3F800000, -(1 << 31)]


def test_the_bits_of_a_nan_are_not_defined(module: Functions) -> None:
    """Ops may make any NaN, of either sign."""
    (found,) = module.arrays("bitcast", f32(1, math.nan))
    assert found.mask().tolist() == [False, True]
    (found,) = module.arrays("copysign", f32(2, 2, math.nan), f32(-1, math.nan, -1))
    assert found.mask().tolist() == [False, True, False]
    assert found.data[0] == -2


def test_promises_of_fast_math(module: Functions) -> None:
    a, b = f32(1, math.nan, math.inf), f32(1, 1, -math.inf)
    assert module.poison("promised", a, b).tolist() == [False, True, True]
    assert module.poison("finite", f32(1e30, 1), f32(1e30, 1)).tolist() == [True, False]


def test_complex_numbers(module: Functions) -> None:
    assert [float(n) for n in module.all("complex", np.float32(3), np.float32(4))] == [-7, 24, 5]


def test_what_complex_functions_leave_open(module: Functions) -> None:
    """Division by zero, overflow on the way, and the sides of a branch cut."""
    a = np.array([1, 1, 1, 0, -4, -4, np.inf, 1e30], np.complex64)
    b = np.array([2, 0, 1e30, 1, 1, 1j, 1, 1], np.complex64)
    assert module.poison("quotient", a, b).tolist() == [0, 1, 1, 0, 0, 0, 1, 0]
    assert module.poison("root", a, b).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]


def test_what_a_type_without_infinities_makes_of_one_is_open() -> None:
    """https://github.com/llvm/llvm-project/issues/185351: a fold makes -0.0 of it, or crashes."""
    functions = Functions("""
      "func.func"() ({
      ^bb0(%a: tensor<4xf32>):
        %0 = "arith.truncf"(%a) : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
        %1 = "arith.truncf"(%a) : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
        "func.return"(%0, %1) : (tensor<4xf4E2M1FN>, tensor<4xf8E4M3FN>) -> ()
      }) {sym_name = "f"} : () -> ()
    """)
    found = functions.arrays("f", np.array([np.inf, np.nan, -np.inf, 1.5], np.float32))
    assert found[0].mask().tolist() == [True, True, True, False]
    assert not found[1].mask().any(), "it has a NaN"
