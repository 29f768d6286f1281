"""Operators of ONNX in the torch dialect, by the reference implementation of the ONNX project.

Needs the package `onnx`, an optional extra. Source: the ONNX operator specification
(https://onnx.ai/onnx/operators) and `onnx.reference`.

The specification hardly ever says what becomes of NaN and infinities, and the reference multiplies
them by zero where an implementation selects: to resize an image, for example. So nothing that is
computed from a NaN, and nothing that the reference finds not to be finite, counts as defined. An
implementation that finds such a value where the reference finds a number is still wrong.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from reducer.ir.lexer import split_commas
from reducer.miscompile.interpreter.attributes import string
from reducer.miscompile.interpreter.constants import constant
from reducer.miscompile.interpreter.dialects.arith_floats import has_no_remainder, overflows
from reducer.miscompile.interpreter.dialects.maths import DETOURS, has_no_phase
from reducer.miscompile.interpreter.dialects.onnx_limits import (
    COERCED,
    FIRST_UNCOERCED,
    between_integers,
    between_pixels,
    coerced,
    fits_no_integer,
    has_shorter_sequences,
    is_astray,
    is_misread,
    is_mistaken,
    is_no_integral_power,
    overwritten,
    redone,
)
from reducer.miscompile.interpreter.dialects.tensors import fits
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.noise import is_active
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, OpaqueValue, has_poison
from reducer.miscompile.values.elements import Element, Numbers, unsigned, wrapped

ATTRIBUTE = "torch.onnx."
"""The prefix of attributes that are those of the operator."""

_VERSION = "torch.onnx_meta.opset_version"
_OLD_DEFAULTS = {"RoiAlign": (16, {"coordinate_transformation_mode": "output_half_pixel"})}
"""What operators did before a version that gave them an attribute with another default, which the
reference takes for all versions.
"""
_RANDOM = frozenset(
    ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
     "RandomUniformLike")
)  # fmt: skip
_TRAINS = 2
"""The operand of a dropout that says whether the model is being trained."""
_ELEMENTWISE = frozenset(
    ("Abs", "Acos", "Acosh", "Add", "Asin", "Asinh", "Atan", "Atanh", "Cast", "Ceil",
     "Celu", "Clip", "Cos", "Cosh", "Div", "Elu", "Equal", "Erf", "Exp", "Floor", "Gelu",
     "Greater", "GreaterOrEqual", "HardSigmoid", "HardSwish", "LeakyRelu", "Less",
     "LessOrEqual", "Log", "Max", "Mean", "Min", "Mish", "Mod", "Mul", "Neg", "PRelu",
     "Pow", "Reciprocal", "Relu", "Round", "Selu", "Shrink", "Sigmoid", "Sign", "Sin",
     "Sinh", "Softplus", "Softsign", "Sqrt", "Sub", "Sum", "Swish", "Tan", "Tanh",
     "ThresholdedRelu")
)  # fmt: skip
"""Operators of which each element is computed from the elements at its own place."""
_EXACT = frozenset(
    ("Concat", "Constant", "DepthToSpace", "Expand", "Flatten", "Gather", "GatherElements",
     "GatherND", "Identity", "IsInf", "IsNaN", "Reshape", "ReverseSequence", "Shape", "Size",
     "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze", "Where")
)  # fmt: skip
"""Operators that move elements, or say what they are: NaN and infinities are like any others."""
_PERIODIC = frozenset(("Cos", "Sin", "Tan"))
"""Operators that have no meaning for numbers too large to tell the phase."""


_ROUNDING = 1e-4  # of a number, a tenth of what results may differ
_ULPS = 16  # the same for short floats


@op("torch.constant.none")
def none(frame: Frame, op: Op) -> OpaqueValue:
    return OpaqueValue()


@op("torch.operator")
def operator(frame: Frame, op: Op, *operands: Any) -> tuple[Array | OpaqueValue, ...]:
    """Raises Unsupported for what is no operator of ONNX, or unknown to its reference."""
    dialect, _, name = string(op.text("name")).partition(".")
    if dialect != "onnx" or op.regions:
        raise Unsupported([string(op.text("name"))])
    arrays = [one for one in operands if isinstance(one, Array)]
    _require_known(name, arrays)
    feeds = {
        f"x{number}": _outside(one, op.operand_types[number].number)
        for number, one in enumerate(operands)
        if isinstance(one, Array)
    }
    unfit = fits_no_integer(name, feeds.get("x0"), op.result_types[0].element)
    if unfit.any():
        feeds["x0"] = np.where(unfit, feeds["x0"].dtype.type(0), feeds["x0"])
    given = [feeds.get(f"x{number}") for number in range(len(operands))]
    if is_astray(name, given, _attributes(op)):
        raise UndefinedBehavior(f"onnx.{name} of an index out of bounds")
    if has_shorter_sequences(name, given, _attributes(op)):
        raise Unsupported([f"onnx.{name} of shorter sequences"])
    declared = [kind for kind in op.result_types if kind.element]
    if name == "MaxPool" and declared[1:]:
        raise Unsupported([f"onnx.{name} with indices"])
    if is_misread(name, given, _attributes(op)):
        raise Unsupported([f"onnx.{name} with these attributes"])
    results, precise = _computed(op, name, len(operands), feeds)
    if is_mistaken(name, given, _attributes(op), np.shape(results[0])):
        raise Unsupported([f"onnx.{name} with these attributes"])
    doubts = iter(_imprecise(results, precise))
    if is_active() and name not in _EXACT:
        exact = precise if precise is not None and len(precise) == len(results) else results
        results = [
            redone(name, np.asarray(data), np.asarray(other), kind.element)
            for data, other, kind in zip(results, exact, declared, strict=True)
        ]
    left, unclear = iter(results), _unclear(name, arrays, op.result_types[0].element)
    unclear = unclear | between_pixels(name, given, _attributes(op), np.shape(results[0]))
    unclear = (
        unclear | unfit | overwritten(name, given, _attributes(op)) | _is_random(name, operands)
    )
    unclear = unclear | between_integers(
        name, feeds, np.asarray(results[0]), lambda near: _run(op, name, len(operands), near)
    )
    return tuple(
        _inside(next(left), kind.element, unclear | next(doubts), exact=name in _EXACT)
        if kind.element
        else OpaqueValue()
        for kind in op.result_types
    )


def _computed(
    op: Op, name: str, operands: int, feeds: dict[str, Numbers]
) -> tuple[Sequence[Any], Sequence[Any] | None]:
    """The results by the reference, and those in floats of 64 bits, if that makes a difference."""
    try:
        with np.errstate(**_raised(op, feeds)):
            results = _run(op, name, operands, feeds)
            precise = _precise(op, name, operands, feeds)
    except FloatingPointError as error:
        raise UndefinedBehavior(f"{error} (onnx.{name})") from error
    except Exception as error:  # the reference raises whatever NumPy does
        raise Unsupported([f"onnx.{name} ({error})"]) from error
    declared = [kind for kind in op.result_types if kind.element]
    for data, kind in zip(results, declared, strict=True):
        if not fits(np.shape(data), kind.dims or ()):
            # `CenterCropPad` and `Resize`, for example, take the sizes as a tensor.
            raise UndefinedBehavior(f"onnx.{name} of operands that give it another shape")
    return results, precise


def _require_known(name: str, operands: Sequence[Array]) -> None:
    """Raises an error for operands with which the reference has no authority."""
    if has_poison(operands) and name not in _ELEMENTWISE:
        if any(one.mask().all() for one in operands):
            raise Unsupported([f"onnx.{name} of poison"])
        raise UndefinedBehavior(f"onnx.{name} of poison")
    if name not in _ELEMENTWISE | _EXACT and not all(
        np.isfinite(_floats(one)).all() for one in operands
    ):
        raise UndefinedBehavior(f"onnx.{name} of a NaN or an infinity")


def _is_random(name: str, operands: Sequence[Any]) -> bool:
    """Whether an operator draws numbers; a dropout does so only while a model is trained."""
    if name == "Dropout" and len(operands) > _TRAINS:
        return isinstance(operands[_TRAINS], Array) and bool(operands[_TRAINS].data.any())
    return name in _RANDOM


def _unclear(name: str, operands: Sequence[Array], element: Element | None) -> Numbers:
    """Which elements of the results may be anything, to be broadcast to their shapes."""
    if name == "BitShift" and element is not None:  # as in C, which implementations are written in
        return unsigned(operands[1].data, element) >= element.width
    if name not in _ELEMENTWISE:
        return np.array(False)
    masks = [np.isnan(_floats(one)) | one.mask() for one in operands]
    if name in _PERIODIC:
        angle = operands[0].data
        with np.errstate(all="ignore"):
            tangent = np.tan(angle.astype(np.float64)) if name == "Tan" else None
            masks.append(has_no_phase(angle, tangent))
    if name == "Mod" and operands[0].data.dtype.kind == "f":
        masks.append(has_no_remainder(operands[0].data, operands[1].data))
    if name == "Pow" and element is not None and element.is_integer:
        base, exponent = (one.data for one in operands)
        masks.append(is_no_integral_power(base, exponent, element))
    if detour := DETOURS.get(name.lower()):
        masks.append(overflows(detour, operands[0].data))
    return reduce(np.logical_or, masks, np.array(False))


def _floats(array: Array) -> Numbers:
    """The elements if they are floats, else one that is finite."""
    return array.data.astype(np.float64) if array.data.dtype.kind not in "biu" else np.zeros(())


def _raised(op: Op, feeds: Mapping[str, Numbers]) -> dict[str, Any]:
    """What NumPy must not do silently: no operator says what integer is the quotient by zero, or
    what a NaN is as an integer."""
    if any(kind.element and kind.number.is_float for kind in op.result_types):
        return {}
    if any(data.dtype.kind not in "iu" for data in feeds.values()):
        return {"invalid": "raise"}
    return {"invalid": "raise", "divide": "raise", "over": "raise"}


def _run(op: Op, name: str, operands: int, feeds: dict[str, Numbers]) -> Sequence[Any]:
    attributes = _attributes(op)
    if name in COERCED and _opset(op) < FIRST_UNCOERCED:
        shape = feeds["x0"].shape
        data, attributes = coerced(feeds["x0"], attributes)
        return [_referred(op, name, ["x0"], {"x0": data}, attributes)[0].reshape(shape)]
    inputs = [f"x{number}" if f"x{number}" in feeds else "" for number in range(operands)]
    while inputs and not inputs[-1]:
        inputs.pop()
    return _referred(op, name, inputs, feeds, attributes)


def _referred(
    op: Op,
    name: str,
    inputs: Sequence[str],
    feeds: Mapping[str, Numbers],
    attributes: Mapping[str, Any],
) -> Sequence[Any]:
    """The results by the reference."""
    from onnx import helper
    from onnx.reference import ReferenceEvaluator

    outputs = [f"y{n}" if kind.element else "" for n, kind in enumerate(op.result_types)]
    node = helper.make_node(name, inputs, outputs, **attributes)
    graph = helper.make_graph(
        [node],
        name,
        [_declared(name, data) for name, data in feeds.items()],
        [helper.make_empty_tensor_value_info(key) for key in outputs if key],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _opset(op))])
    found: Sequence[Any] = ReferenceEvaluator(model).run(None, feeds)
    return found


def _precise(op: Op, name: str, operands: int, feeds: dict[str, Numbers]) -> Sequence[Any] | None:
    """The results with floats of 64 bits throughout; None if that makes no difference."""
    short = {key for key, data in feeds.items() if data.dtype.kind == "f" and data.itemsize < 8}
    if not short or name in _EXACT:
        return None
    try:
        longer = {
            key: data.astype(np.float64) if key in short else data for key, data in feeds.items()
        }
        return _run(op, name, operands, longer)
    except Exception:  # not every operator of the reference takes them
        return None


def _imprecise(results: Sequence[Any], precise: Sequence[Any] | None) -> Sequence[Numbers]:
    """Which elements the reference gets wrong by more than rounding.

    It computes as the specification is written, and in the precision of the operands: the logarithm
    of a softmax, for one, is lost in numbers next to zero.
    """
    if precise is None or len(precise) != len(results):
        return [np.array(False)] * len(results)
    return [
        _far(np.asarray(one), np.asarray(other))
        for one, other in zip(results, precise, strict=True)
    ]


def _far(data: Numbers, precise: Numbers) -> Numbers:
    if data.shape != precise.shape:
        return np.array(False)
    if data.dtype.kind in "iu":
        return np.asarray(data != precise)
    if data.dtype.kind != "f":
        return np.array(False)
    share = max(_ROUNDING, _ULPS * float(np.finfo(data.dtype).eps))
    with np.errstate(all="ignore"):
        far = np.abs(data.astype(np.float64) - precise) > share * np.abs(precise) + _ROUNDING**2
    return np.asarray(far)


def _declared(name: str, data: Numbers) -> Any:
    from onnx import helper

    kind = helper.np_dtype_to_tensor_dtype(data.dtype)
    return helper.make_tensor_value_info(name, kind, data.shape)


def _opset(op: Op) -> int:
    """The version of the operators that the function around an op was written for."""
    from onnx import defs

    t = op.program.module.t
    around = t.region_op[t.block_region[t.block[op.number]]]
    text = op.program.op(around).text(_VERSION)
    return int(constant(text, op.program) if text else defs.onnx_opset_version())


def _attributes(op: Op) -> dict[str, Any]:
    first, defaults = _OLD_DEFAULTS.get(string(op.text("name")).partition(".")[2], (0, {}))
    return (defaults if _opset(op) < first else {}) | {
        name.removeprefix(ATTRIBUTE): _value(op, op.text(name))
        for name in op.attribute_names
        if name.startswith(ATTRIBUTE)
    }


def _value(op: Op, text: str) -> Any:
    text = text.strip()
    if text.startswith('"'):
        return string(text)
    if text.startswith("["):
        return [_value(op, part) for part in split_commas(text[1:-1])]
    data = constant(text, op.program)
    if data.ndim or text.startswith("dense"):
        from onnx import numpy_helper

        return numpy_helper.from_array(np.asarray(data))
    return float(data) if data.dtype.kind == "f" else int(data)


def _outside(array: Array, element: Element) -> Numbers:
    data = unsigned(array.data, element) if element.unsigned else array.data
    return np.array(data)  # `ascontiguousarray` makes a vector of a scalar


def _inside(data: Any, element: Element, unclear: Numbers, *, exact: bool) -> Array:
    numbers = np.asarray(data)
    poison = np.broadcast_to(unclear, numbers.shape)
    if element.is_integer:
        numbers = wrapped(numbers.astype(np.int64), element)
    elif not exact:
        poison = poison | ~np.isfinite(numbers.astype(np.float64))
    return Array(numbers.astype(element.dtype), poison if poison.any() else None)
