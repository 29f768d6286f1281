"""Ops of StableHLO that other ops could express: `einsum`, `fft` and batch normalization.

Source: the StableHLO specification (https://openxla.org/stablehlo/spec), and NumPy's notation.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from reducer.miscompile.interpreter.attributes import string
from reducer.miscompile.interpreter.dialects.stablehlo_regions import product
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.noise import (
    APPROXIMATION,
    is_disturbing,
    moved,
    moved_by,
    other_way,
)
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array, has_poison, merged
from reducer.miscompile.values.elements import Numbers

_TERMS = re.compile(r"(\w*),(\w*)->(\w*)")
_KIND = re.compile(r"\b(I?R?FFT)\b")


@op("stablehlo.einsum")
def einsum(frame: Frame, op: Op, left: Array, right: Array) -> Array:
    """Letters that are not in the result are summed over.

    Raises:
        Unsupported: one side alone is summed over a letter, or has it twice.
    """
    config = string(op.text("einsum_config")).replace(" ", "")
    match = _TERMS.fullmatch(config)
    if match is None:
        raise Unsupported([f"{op.name} {config}"])
    ours, theirs, out = match.groups()
    batch = [one for one in out if one in ours and one in theirs]
    rows = [one for one in ours if one in out and one not in theirs]
    columns = [one for one in theirs if one in out and one not in ours]
    sums = [one for one in ours if one not in out and one in theirs]
    if {len(ours) - len(rows), len(theirs) - len(columns)} != {len(batch) + len(sums)} or any(
        len(set(one)) < len(one) for one in match.groups()
    ):
        raise Unsupported([f"{op.name} {config}"])

    def places(word: str, letters: list[str]) -> list[int]:
        return [word.index(one) for one in letters]

    products = product(
        op,
        left,
        right,
        (places(ours, batch), places(ours, rows), places(ours, sums)),
        (places(theirs, batch), places(theirs, columns), places(theirs, sums)),
    )
    order = [*batch, *rows, *columns]
    return products.transpose([order.index(one) for one in out])


_TRANSFORMS: dict[str, Callable[..., Any]] = {
    "FFT": np.fft.fftn, "IFFT": np.fft.ifftn, "RFFT": np.fft.rfftn, "IRFFT": np.fft.irfftn,
}  # fmt: skip


@op("stablehlo.fft")
def fft(frame: Frame, op: Op, tensor: Array) -> Array:
    """Along the last dimensions. Each number depends on all, with the digits of the largest.

    A transform of a number that is not finite is poison.
    """
    match = _KIND.search(op.text("fft_type"))
    if match is None:
        raise Unsupported([f"{op.name} {op.text('fft_type')}"])
    lengths = op.integers("fft_length")
    axes = tuple(range(len(tensor.shape) - len(lengths), len(tensor.shape)))
    exact = tensor.data.astype(np.complex128 if tensor.data.dtype.kind == "c" else np.float64)
    out = _TRANSFORMS[match[1]](exact, s=lengths, axes=axes)
    size = np.abs(exact).sum(axis=axes, keepdims=True)
    if match[1].startswith("I"):
        size = size * (2 if match[1] == "IRFFT" else 1) / np.prod(lengths)
    bad = tensor.mask().any(axis=axes, keepdims=True) | ~np.isfinite(size)
    kind = op.result.dtype
    return Array(moved_by(out, _spread(size, out)).astype(kind), np.broadcast_to(bad, out.shape))


def _spread(size: Numbers, out: Numbers) -> Any:
    return np.broadcast_to(size, out.shape) * float(np.finfo(np.float32).eps)


@op("stablehlo.batch_norm_inference")
def batch_norm_inference(
    frame: Frame, op: Op, tensor: Array, scale: Array, offset: Array, mean: Array, variance: Array
) -> Array:
    """Each feature has a scale, an offset, a mean and a variance of its own."""
    element, axis = op.result, op.integer("feature_index")
    shape = [-1 if n == axis else 1 for n in range(len(tensor.shape))]
    given = tensor, *(one.reshape(shape) for one in (scale, offset, mean, variance))
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
