"""The bits of vectors.

Source: MLIR language reference, 'vector' dialect. The first element has the lowest bits.
"""

import numpy as np

from reducer.miscompile.interpreter.dialects.vectors import sizes_of
from reducer.miscompile.interpreter.elements import Element, Numbers, from_bits, to_bits
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op
from reducer.miscompile.interpreter.values import Array


@op("vector.bitcast")
def bitcast(frame: Frame, op: Op, source: Array) -> Array:
    """The same bits along the last dimension. Those of a NaN are undefined, as any op may make it.

    An element is poison if it has a bit of one that is.
    """
    old, new = op.operand, op.result
    if "c" in (old.dtype.kind, new.dtype.kind):
        raise Unsupported([f"{op.name} of {op.result_types[0].text}"])
    sizes = sizes_of(op)
    poison = source.mask()
    if old.is_float and (new.is_integer or old.width != new.width):
        poison = poison | np.isnan(source.data)
    bits = _regrouped(_bits(source.data, old), new.width)
    lost = _regrouped(np.repeat(np.atleast_1d(poison)[..., None], old.width, axis=-1), new.width)
    weights = np.uint64(1) << np.arange(new.width, dtype=np.uint64)
    numbers = from_bits((bits * weights).sum(axis=-1, dtype=np.uint64), new)
    return Array(numbers.reshape(sizes), lost.any(axis=-1).reshape(sizes))


def _bits(data: Numbers, element: Element) -> Numbers:
    """The single bits of numbers, the lowest first, in a new last dimension."""
    patterns = np.atleast_1d(to_bits(data, element)).astype(np.uint64)
    return patterns[..., None] >> np.arange(element.width, dtype=np.uint64) & np.uint64(1)


def _regrouped(bits: Numbers, width: int) -> Numbers:
    """Groups of bits along the last two dimensions, as groups of another size."""
    return bits.reshape(*bits.shape[:-2], -1, width)
