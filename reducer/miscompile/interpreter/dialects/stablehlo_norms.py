"""Batch normalization of StableHLO.

Source: the StableHLO specification (https://openxla.org/stablehlo/spec).
"""

from typing import Any

import numpy as np

from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.noise import APPROXIMATION, is_disturbing, moved, other_way
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, has_poison, merged
from reducer.miscompile.values.elements import Numbers


@op("stablehlo.batch_norm_inference")
def batch_norm_inference(
    frame: Frame, op: Op, tensor: Array, scale: Array, offset: Array, mean: Array, variance: Array
) -> Array:
    """Each feature has a scale, an offset, a mean and a variance of its own."""
    element, axis = op.result, op.integer("feature_index")
    shape = [-1 if n == axis else 1 for n in range(len(tensor.shape))]
    given = (tensor, *(one.map(lambda data: data.reshape(shape)) for one in
                       (scale, offset, mean, variance)))  # fmt: skip
    epsilon = float(op.text("epsilon").partition(" : ")[0])
    a, s, o, m, v = (one.data.astype(element.wide) for one in given)
    scaled = s * (a - m) / np.sqrt(v + np.asarray(epsilon, element.wide))
    if is_disturbing(element):
        scaled = moved(scaled, np.isfinite(scaled), element, APPROXIMATION)
    out = np.asarray(scaled + o).astype(element.dtype)
    return Array(out, merged(*given))


@op("stablehlo.batch_norm_training")
def batch_norm_training(
    frame: Frame, op: Op, tensor: Array, scale: Array, offset: Array
) -> tuple[Array, Array, Array]:
    """By the mean and the variance of each feature, which are results as well.

    The variance may be computed from the sum of squares, so it is poison if that overflows.

    Raises:
        Unsupported: floats of 16 bits, which each step of a sum may round.
    """
    if op.result.is_small_float or has_poison([tensor]):
        raise Unsupported([f"{op.name} of {op.result.text}"])
    axis = op.integer("feature_index")
    rows = np.moveaxis(tensor.data, axis, 0).reshape(tensor.shape[axis], -1)
    mean = _either(op, rows.mean(axis=1), _exact(rows).mean(axis=1))
    apart = rows - mean[:, np.newaxis]
    squares = np.square(rows).mean(axis=1)
    variance = _either(
        op,
        np.square(apart).mean(axis=1),
        np.square(_exact(apart)).mean(axis=1),
        squares - np.square(mean),
    )
    sums = Array(mean), Array(variance, ~np.isfinite(squares))
    return batch_norm_inference(frame, op, tensor, scale, offset, *sums), *sums


def _exact(data: Numbers) -> Any:
    return data.astype(np.longdouble)


def _either(op: Op, usual: Numbers, *others: Any) -> Numbers:
    """What is computed in one of several ways, if a compiler may do so."""
    if not is_disturbing(op.result):
        return usual
    ways = [usual, *(one.astype(usual.dtype) for one in others)]
    found = other_way(ways, usual)
    return moved(found, found != np.rint(found), op.result, APPROXIMATION)
