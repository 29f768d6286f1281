"""ONNX operators are judged by the ONNX project's reference, not by what the front end makes."""

from typing import Any

import numpy as np
import pytest

from reducer.miscompile.interpreter import reference
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.evaluate import Calls
from reducer.miscompile.interpreter.reference import has_onnx_only
from tests.support.evaluating import Functions, f32, i32
from tests.support.onnx_programs import apply, program, tensor

pytest.importorskip("onnx")


def test_a_determinant_that_needs_rows_exchanged() -> None:
    text = program("Det", [tensor("2,2")], tensor(""))
    assert apply(text, f32(0, 1, 2, 3).reshape(2, 2)) == pytest.approx(-2)


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("LeakyRelu", "torch.onnx.alpha = 5.000000e-01 : f32", [-1, 0, 4]),
        ("CumSum", "torch.onnx.reverse = 1 : si64", [2, 4, 4]),
        ("Transpose", "torch.onnx.perm = [0 : si64]", [-2, 0, 4]),
    ],
)
def test_attributes(name: str, attributes: str, expected: list[float]) -> None:
    operands, more = [tensor("3")], []
    if name == "CumSum":
        operands.append(tensor("", "si64"))
        more = [np.int64(0)]
    text = program(name, operands, tensor("3"), attributes)
    assert apply(text, f32(-2, 0, 4), *more).tolist() == expected


def test_constants() -> None:
    text = program(
        "Constant", [], tensor("2"), "torch.onnx.value = dense<[1.5, 2.5]> : tensor<2xf32>"
    )
    assert apply(text).tolist() == [1.5, 2.5]


def test_unsigned_numbers_and_truth_values() -> None:
    both = [tensor("2", "ui8")] * 2
    larger = program("Greater", both, tensor("2", "i1"))
    a, b = np.array([200, 3], np.uint8).view(np.int8), np.array([3, 200], np.uint8).view(np.int8)
    assert apply(larger, a, b).tolist() == [True, False]
    total = program("Add", both, tensor("2", "ui8"))
    assert apply(total, a, b).view(np.uint8).tolist() == [203, 203]


@pytest.mark.parametrize("name", ["Div", "Mod"])
def test_no_integer_is_a_quotient_by_zero(name: str) -> None:
    text = program(name, [tensor("2", "si32")] * 2, tensor("2", "si32"))
    assert apply(text, i32(7, 8), i32(4, 3)).tolist() == ([1, 2] if name == "Div" else [3, 2])
    with pytest.raises(UndefinedBehavior, match="divide by zero"):
        apply(text, i32(7, 8), i32(4, 0))
    halves = program("Div", [tensor("2")] * 2, tensor("2"))
    assert apply(halves, f32(1, 8), f32(2, 4)).tolist() == [0.5, 2]


def test_no_integer_is_a_nan() -> None:
    text = program("Cast", [tensor("2")], tensor("2", "si32"), "torch.onnx.to = 6 : si64")
    assert apply(text, f32(1.5, -7)).tolist() == [1, -7]
    assert Functions(text).poison("f", f32(1.5, np.nan)).tolist() == [False, True]


@pytest.mark.parametrize(
    ("kind", "code", "numbers", "is_open"),
    [
        ("si8", 3, (127.5, 443), [False, True]),  # the reference makes -69
        ("si8", 3, (-128.5, -129), [False, True]),
        ("ui8", 2, (255.5, -1), [False, True]),
        ("si32", 6, (2147483520, 2147483648), [False, True]),
        ("i1", 9, (443, np.inf), [False, False]),
    ],
)
def test_what_fits_no_integer_is_undefined(
    kind: str, code: int, numbers: tuple[float, float], is_open: list[bool]
) -> None:
    text = program("Cast", [tensor("2")], tensor("2", kind), f"torch.onnx.to = {code} : si64")
    assert Functions(text).poison("f", f32(*numbers)).tolist() == is_open


@pytest.mark.parametrize(
    ("numbers", "scale", "is_open"),
    [
        ([0.75, 4.5, 12], 0.5, [False, False, False]),
        ([0.25, 1.5, 4], 3, [False, True, False]),
    ],
)
def test_a_quotient_between_two_integers_may_become_either(
    numbers: list[float], scale: float, is_open: list[bool]
) -> None:
    """Not if a power of two makes it exact: then it is rounded to even."""
    operands = [tensor("3"), tensor(""), tensor("", "si8")]
    text = program("QuantizeLinear", operands, tensor("3", "si8"))
    (out,) = Functions(text).arrays("f", f32(*numbers), np.float32(scale), np.int8(1))
    assert out.mask().tolist() == is_open


def test_the_reference_rounds_a_quantized_product_at_the_wrong_time() -> None:
    """Half an odd number is rounded to even before the zero point is added, not after."""
    scalars = [tensor(""), tensor("", "si8")]
    operands = [tensor("1,1", "si8"), *scalars, tensor("1,3", "si8"), *scalars, *scalars]
    text = program("QLinearMatMul", operands, tensor("1,3", "si8"))
    plain = [np.float32(0.5), np.int8(0)]
    left, right = np.ones((1, 1), np.int8), np.array([[1, 3, 8]], np.int8)
    (out,) = Functions(text).arrays("f", left, *plain, right, *plain, np.float32(0.5), np.int8(1))
    assert out.mask().tolist() == [[True, True, False]]
    assert out.data[0, 2] == 5


def test_an_integer_that_depends_on_the_precision_is_open() -> None:
    """3 / (6 / 255) is half of an odd number or a little less."""
    results = [tensor("3", "ui8"), tensor(""), tensor("", "ui8")]
    text = program("DynamicQuantizeLinear", [tensor("3")], f"({', '.join(results)})")
    text = text.replace("%r = ", "%r:3 = ").replace("(%r) : ((", "(%r#0, %r#1, %r#2) : (")
    text = text.replace(")) -> ()", ") -> ()")
    quantized, *_ = Functions(text).arrays("f", f32(0, 3, 6))
    assert quantized.mask().tolist() == [False, True, False]


def test_what_the_reference_makes_of_nan_and_infinities_is_undefined() -> None:
    clip = Functions(program("Clip", [tensor("3")], tensor("3")))
    (clipped,) = clip.arrays("f", f32(np.nan, np.inf, 1))
    assert clipped.mask().tolist() == [True, True, False]
    less = Functions(program("Less", [tensor("3")] * 2, tensor("3", "i1")))
    (known,) = less.arrays("f", f32(np.nan, -np.inf, 1), f32(2, 2, 2))
    assert known.mask().tolist() == [True, False, False] and known.data[1:].all()
    moved = program("Transpose", [tensor("2")], tensor("2"), "torch.onnx.perm = [0 : si64]")
    np.testing.assert_array_equal(apply(moved, f32(np.nan, np.inf)), f32(np.nan, np.inf))
    with pytest.raises(UndefinedBehavior, match="infinity"):
        apply(program("Hardmax", [tensor("3")], tensor("3")), f32(np.nan, 1, 2))


def test_a_shift_by_the_width_is_undefined() -> None:
    both, right = [tensor("3", "ui8")] * 2, 'torch.onnx.direction = "RIGHT"'
    shift = Functions(program("BitShift", both, tensor("3", "ui8"), right))
    amounts = np.array([1, 8, 200], np.uint8).view(np.int8)
    (shifted,) = shift.arrays("f", np.array([-92, 4, 4], np.int8), amounts)
    assert shifted.mask().tolist() == [False, True, True]
    assert shifted.data.view(np.uint8)[0] == 82


def test_random_numbers_may_be_any() -> None:
    text = program("RandomNormal", [], tensor("2"), "torch.onnx.shape = [2 : si64]")
    assert Functions(text).poison("f").all()


def test_a_dropout_draws_numbers_only_while_a_model_is_trained() -> None:
    types = [tensor("2"), tensor("", "f32"), tensor("", "i1")]
    text = program("Dropout", types, tensor("2"))
    ratio, trains = np.float32(0.5), np.array(True)
    values = f32(1, 2)
    assert Functions(text).poison("f", values, ratio, trains).tolist() == [True, True]
    assert apply(text, values, ratio, ~trains).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (program("NoSuchThing", [tensor("2")], tensor("2")), "onnx.NoSuchThing"),
        (program("Det", [tensor("2")], tensor("")), "onnx.Det"),
        (program("Det", [tensor("2")], tensor("")).replace("onnx.Det", "aten.det"), "aten.det"),
    ],
    ids=["unknown", "operands that do not fit", "no operator of ONNX"],
)
def test_what_the_reference_cannot_do_is_named(text: str, why: str) -> None:
    with pytest.raises(Unsupported, match=why):
        apply(text, f32(1, 2))


def test_only_modules_of_onnx_operators_need_no_front_end(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program("Det", [tensor("2,2")], tensor(""))
    assert has_onnx_only(text)
    assert not has_onnx_only(text.replace("onnx.Det", "aten.det"))
    monkeypatch.setattr(reference, "find_spec", lambda name: None)
    assert not has_onnx_only(text), "the package is an extra"


def test_operands_that_give_another_shape_than_promised_are_undefined() -> None:
    """The program says that there are ten numbers, whatever the operand is."""
    text = program("Expand", [tensor("1"), tensor("1", "si64")], tensor("10"))
    assert apply(text, f32(7), np.array([10])).tolist() == [7] * 10
    with pytest.raises(UndefinedBehavior, match="give it another shape"):
        apply(text, f32(7), np.array([3]))


def test_what_the_reference_itself_gets_wrong_by_more_than_rounding_is_open() -> None:
    """It takes the logarithm of a softmax that is next to zero."""
    text = program("LogSoftmax", [tensor("3")], tensor("3"), "torch.onnx.axis = 0 : si64")
    values = f32(0, -50, -102.375)
    assert apply(text, values)[:2].tolist() == [0, -50]
    assert Functions(text).poison("f", values).tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("name", "angle", "is_open"),
    [("Sin", 2.0**100, True), ("Sin", 3.0, False), ("Tan", 1.5707963, True), ("Tan", 1.0, False)],
)
def test_angles_without_a_phase_and_tangents_at_a_pole_are_open(
    name: str, angle: float, is_open: bool
) -> None:
    """As for `math.sin` and `math.tan`: implementations reduce them in different ways."""
    text = program(name, [tensor("1")], tensor("1"))
    assert Functions(text).poison("f", f32(angle)).tolist() == [is_open]


def test_a_function_whose_formula_overflows_may_be_infinite() -> None:
    """As for `math.acosh`: the square of the number is on the way."""
    text = program("Acosh", [tensor("2")], tensor("2"))
    assert Functions(text).poison("f", f32(2.0**100, 2.0**60)).tolist() == [True, False]


def test_a_remainder_is_known_if_the_quotient_has_digits_after_the_point() -> None:
    """As for `arith.remf`."""
    text = program("Mod", [tensor("2")] * 2, tensor("2"), "torch.onnx.fmod = 1 : si64")
    assert Functions(text).poison("f", f32(5, 5), f32(np.inf, 2)).tolist() == [True, False]


@pytest.mark.parametrize(
    ("name", "operands", "attributes", "given"),
    [
        ("GatherElements", ["3", "2"], "axis = 0", ([1, 2, 3], [0, 3])),
        ("GatherND", ["2,2", "1,1"], "batch_dims = 0", ([[1, 2], [3, 4]], [[-3]])),
        ("ScatterElements", ["3", "1", "1"], "axis = 0", ([1, 2, 3], [3], [9])),
        ("NegativeLogLikelihoodLoss", ["2,2", "2"], "ignore_index = -9", (np.eye(2), [-9, -1])),
        ("ReverseSequence", ["2,1", "1"], "time_axis = 0", ([[1], [2]], [3])),
    ],
)
def test_an_index_out_of_bounds_is_undefined(
    name: str, operands: list[str], attributes: str, given: tuple[Any, ...]
) -> None:
    """The reference wraps some of them, and takes a negative class from the end."""
    types = [tensor(dims, "si64" if n == 1 else "f32") for n, dims in enumerate(operands)]
    text = program(name, types, tensor("?"), f"torch.onnx.{attributes} : si64")
    values = [np.array(one, np.int64 if n == 1 else np.float32) for n, one in enumerate(given)]
    with pytest.raises(UndefinedBehavior, match="index out of bounds"):
        apply(text, *values)


def test_shorter_sequences_are_not_left_to_the_reference() -> None:
    """It takes all for as long as the longest."""
    kinds = [tensor("2,1,1"), tensor("1,1,1"), tensor("1,1,1"), tensor("1,2"), tensor("1", "si32")]
    text = program("RNN", kinds, tensor("2,1,1,1"), "torch.onnx.hidden_size = 1 : si64")
    values = [np.ones(shape, np.float32) for shape in ((2, 1, 1), (1, 1, 1), (1, 1, 1), (1, 2))]
    with pytest.raises(Unsupported, match="shorter sequences"):
        apply(text, *values, i32(1))
    assert apply(text, *values, i32(2)).shape == (2, 1, 1, 1)


def test_which_of_two_updates_of_an_element_wins_is_not_specified() -> None:
    elements = [tensor("3"), tensor("3", "si64"), tensor("3")]
    text = program("ScatterElements", elements, tensor("3"), "torch.onnx.axis = 0 : si64")
    values = f32(1, 2, 3), np.array([0, 1, -2]), f32(7, 8, 9)
    assert Functions(text).poison("f", *values).tolist() == [False, True, False]
    slices = [tensor("3"), tensor("3,1", "si64"), tensor("3")]
    text = program("ScatterND", slices, tensor("3"), 'torch.onnx.reduction = "none"')
    values = f32(1, 2, 3), np.array([[2], [1], [2]]), f32(7, 8, 9)
    assert Functions(text).poison("f", *values).tolist() == [False, False, True]
    text = text.replace('"none"', '"add"')
    assert apply(text, *values).tolist() == [1, 10, 19]


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


def test_an_integer_is_the_power_only_if_the_power_is_an_integer() -> None:
    """Of the square root of 3, the reference makes 1, and others make 2."""
    kinds = [tensor("2", "si32"), tensor("2")]
    text = program("Pow", kinds, tensor("2", "si32"))
    assert Functions(text).poison("f", i32(3, 4), f32(0.5, 0.5)).tolist() == [True, False]
    whole = program("Pow", [tensor("2", "si32")] * 2, tensor("2", "si32"))
    assert Functions(whole).poison("f", i32(7, 7), i32(3, 30)).tolist() == [False, True]


def test_what_an_old_version_had_no_attribute_for() -> None:
    """The center of the region from 0 to 3 was at 1.5 then."""
    operands = [tensor("1,1,4,4"), tensor("1,4"), tensor("1", "si64")]
    sizes = "torch.onnx.output_height = 1 : si64, torch.onnx.output_width = 1 : si64"
    flags = f"{sizes}, torch.onnx.sampling_ratio = 1 : si64"
    image = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    for opset, expected in (("10", 7.5), ("16", 5.0)):
        text = program("RoiAlign", operands, tensor("1,1,1,1"), flags, opset=opset)
        assert apply(text, image, f32(0, 0, 3, 3).reshape(1, 4), np.array([0])) == expected
