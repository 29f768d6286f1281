"""The types of values in MLIR's syntax."""

from reducer.miscompile.values.programs import ValueType


def mlir_type(type_: ValueType) -> str:
    """The type of a value: a number, a tensor or a vector."""
    if type_.shape is None:
        return element_type(type_)
    return f"{'vector' if type_.is_vector else 'tensor'}<{_shaped(type_)}>"


def memref_type(type_: ValueType) -> str:
    """The type of memory for such a value."""
    return f"memref<{_shaped(type_)}>"


def element_type(type_: ValueType) -> str:
    """The type of an element."""
    part = {"cf64": "f32", "cf128": "f64"}.get(type_.element)
    return f"complex<{part}>" if part else type_.element


def _shaped(type_: ValueType) -> str:
    return f"{str(type_).removesuffix(type_.element)}{element_type(type_)}"
