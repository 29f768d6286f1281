"""Reshapes, and computations on sizes and indices.

Source: MLIR language reference, 'tensor', 'affine', 'index' and 'shape' dialects.
"""

from typing import Any

import numpy as np

from reducer.miscompile.interpreter.affine import evaluate, parse_affine_map
from reducer.miscompile.interpreter.attributes import nested_integers
from reducer.miscompile.interpreter.dialects.tensors import fits, sized
from reducer.miscompile.interpreter.errors import UndefinedBehavior, Unsupported
from reducer.miscompile.interpreter.interpreter import Frame
from reducer.miscompile.interpreter.program import Op
from reducer.miscompile.interpreter.registry import op, rows
from reducer.miscompile.interpreter.values import Array, merged
from reducer.miscompile.values.elements import from_bits, to_bits


def _reshaped(tensor: Array, shape: Any) -> Array:
    if int(np.prod(shape)) != tensor.data.size:
        raise UndefinedBehavior(
            f"a reshape of {list(tensor.shape)} to {list(shape)}, which has another size"
        )
    return tensor.reshape(shape)


@op("tensor.collapse_shape")
def collapse_shape(frame: Frame, op: Op, tensor: Array) -> Array:
    groups = nested_integers(op.text("reassociation"))
    shape = [int(np.prod([tensor.shape[axis] for axis in group])) for group in groups]
    return _reshaped(tensor, shape)


@op("tensor.expand_shape")
def expand_shape(frame: Frame, op: Op, tensor: Array, *dynamic: Array) -> Array:
    if op.has("static_output_shape"):
        shape = frame.sizes(op, "static_output_shape", dynamic)
    else:
        shape = _inferred(op, tensor)
    if not fits(shape, op.result_types[0].dims or ()):
        raise UndefinedBehavior(f"a reshape to {shape}, which is not {op.result_types[0].text}")
    groups = nested_integers(op.text("reassociation"))
    for axis, group in enumerate(groups):
        if int(np.prod([shape[n] for n in group])) != tensor.shape[axis]:
            raise UndefinedBehavior(f"a reshape of {list(tensor.shape)} to {shape}")
    return _reshaped(tensor, shape)


def _inferred(op: Op, tensor: Array) -> list[int]:
    """Older releases do not say the dynamic sizes: each group has one at most."""
    dims = list(op.result_types[0].dims or ())
    for axis, group in enumerate(nested_integers(op.text("reassociation"))):
        known = int(np.prod([dims[n] or 1 for n in group]))
        for n in group:
            if dims[n] is None:
                dims[n] = tensor.shape[axis] // max(known, 1)
    return [size or 0 for size in dims]


@op("tensor.reshape")
def reshape(frame: Frame, op: Op, tensor: Array, shape: Array) -> Array:
    sizes = [int(size) for size in frame.known(shape, "a shape")]
    if not fits(sizes, op.result_types[0].dims or ()):
        raise UndefinedBehavior(f"a reshape to {sizes}, which is not {op.result_types[0].text}")
    return _reshaped(tensor, sizes)


@op("flow.tensor.reshape")
def flow_reshape(frame: Frame, op: Op, tensor: Array, *dims: Array) -> Array:
    sizes = dims[op.segments[2].start - 1 :] if len(op.segments) > 2 else dims
    return _reshaped(tensor, sized(frame, op.result_types[0], sizes))


@op("tensor.bitcast", "flow.tensor.bitcast", "iree_tensor_ext.bitcast")
def bitcast(frame: Frame, op: Op, tensor: Array, *dims: Array) -> Array:
    before, after = op.operand, op.result
    if before.width != after.width:
        raise Unsupported([f"{op.name} between widths"])
    out = from_bits(to_bits(tensor.data, before), after)
    if not (before.is_float and after.is_integer and np.isnan(tensor.data).any()):
        return Array(out, tensor.poison)
    return Array(out, tensor.mask() | np.isnan(tensor.data))  # the bits of a NaN are not defined


# ---- sizes and indices --------------------------------------------------------------------------


def _extremum(ufunc: Any) -> Any:
    return lambda op, *operands: Array(
        ufunc.reduce(np.broadcast_arrays(*_mapped(op, operands))), merged(*operands)
    )


rows(
    {
        "affine.apply": lambda op, *operands: Array(_mapped(op, operands)[0], merged(*operands)),
        "affine.min": _extremum(np.minimum),
        "affine.max": _extremum(np.maximum),
    },
    batched=True,
)


def _mapped(op: Op, operands: tuple[Array, ...]) -> list[Any]:
    map_ = parse_affine_map(op.text("map"))
    return [np.asarray(one, np.int64) for one in evaluate(map_, [a.data for a in operands])]


@op("affine.linearize_index", batched=True)
def linearize_index(frame: Frame, op: Op, *operands: Array) -> Array:
    indices = operands[op.segments[0]]
    basis = frame.sizes(op, "static_basis", operands[op.segments[1]])
    if len(basis) == len(indices):
        basis = basis[1:]
    out = indices[0].data
    for index, size in zip(indices[1:], basis, strict=True):
        out = out * size + index.data
    return Array(out, merged(*indices))


@op("affine.delinearize_index", batched=True)
def delinearize_index(frame: Frame, op: Op, index: Array, *dynamic: Array) -> tuple[Array, ...]:
    basis = frame.sizes(op, "static_basis", dynamic)
    if len(basis) == len(op.results):
        basis = basis[1:]
    left, out = index.data, []
    for size in reversed(basis):
        out.append(Array(left % size, index.poison))
        left = left // size
    return (Array(left, index.poison), *reversed(out))
