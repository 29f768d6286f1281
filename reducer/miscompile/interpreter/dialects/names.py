"""Names of dialects and ops that matter before a module is evaluated. Imports no NumPy."""

import re

CORE_DIALECTS = frozenset(
    (
        "affine", "arith", "builtin", "cf", "complex", "flow", "func", "hal", "index",
        "iree_linalg_ext", "iree_tensor_ext", "linalg", "math", "memref", "ml_program", "scf",
        "shape", "tensor", "util", "vector",
    )
)  # fmt: skip
"""Dialects that need no front end."""

STABLEHLO_OPS = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs", "add", "and", "atan2", "batch_norm_inference", "batch_norm_training",
        "bitcast_convert", "broadcast", "broadcast_in_dim", "case", "cbrt", "ceil", "clamp",
        "compare", "complex", "composite", "concatenate", "constant", "convert", "convolution",
        "cosine", "count_leading_zeros", "divide", "dot", "dot_general", "dynamic_iota",
        "dynamic_slice", "dynamic_update_slice", "einsum", "exponential", "exponential_minus_one",
        "fft", "floor", "gather", "get_dimension_size", "if", "imag", "iota", "is_finite", "log",
        "log_plus_one", "logistic", "map", "maximum", "minimum", "multiply", "negate", "not",
        "optimization_barrier", "or", "pad", "popcnt", "power", "real", "real_dynamic_slice",
        "reduce", "reduce_precision", "reduce_window", "remainder", "reshape", "return", "reverse",
        "round_nearest_afz", "round_nearest_even", "rsqrt", "scatter", "select",
        "select_and_scatter", "shift_left", "shift_right_arithmetic", "shift_right_logical", "sign",
        "sine", "slice", "sort", "sqrt", "subtract", "tan", "tanh", "torch_index_select",
        "transpose", "while", "xor",
    )
)  # fmt: skip
"""The ops of StableHLO that are evaluated as they are, so that the front end is judged too."""

CHLO_OPS = frozenset(
    f"chlo.{name}"
    for name in (
        "acos", "acosh", "asin", "asinh", "atan", "atanh", "broadcast_add", "broadcast_and",
        "broadcast_atan2", "broadcast_compare", "broadcast_complex", "broadcast_divide",
        "broadcast_maximum", "broadcast_minimum", "broadcast_multiply", "broadcast_next_after",
        "broadcast_or", "broadcast_power", "broadcast_remainder", "broadcast_select",
        "broadcast_shift_left", "broadcast_shift_right_arithmetic", "broadcast_shift_right_logical",
        "broadcast_subtract", "broadcast_xor", "conj", "cosh", "erf", "erfc", "is_inf",
        "is_neg_inf", "is_pos_inf", "next_after", "sinh", "square", "tan", "top_k",
    )
)  # fmt: skip
"""The ops of CHLO of which the same is true."""

DIRECT_OPS = STABLEHLO_OPS | CHLO_OPS


ONNX_OPS = frozenset(("torch.constant.none", "torch.operator"))
"""The ops of ONNX operators in the torch dialect, which the package `onnx` evaluates."""


def needs_front_end(op: str, *, has_onnx: bool = False) -> bool:
    """Whether a module with this op has to be lowered before it is evaluated.

    >>> [needs_front_end("torch.operator", has_onnx=has) for has in (True, False)]
    [False, True]
    """
    if has_onnx and op in ONNX_OPS:
        return False
    return is_above_core(op) and op not in DIRECT_OPS


def is_above_core(op: str) -> bool:
    """Whether a name is that of an op of a dialect that only a front end takes."""
    dialect, dot, _ = op.partition(".")
    return bool(dot) and dialect not in CORE_DIALECTS


INITIALIZER = "util.initializer"
"""The op whose body runs when a module is loaded."""


_UNTOLD = re.compile(
    r'"(?:torch\.|iree_linalg_ext\.quantize_affine|stablehlo\.batch_norm'
    r"|vector\.(?:contract|fma|multi_reduction|outerproduct|reduction))"
)


def tells_rounding(text: str) -> bool:
    """Whether all ops of a module in generic form tell when they round (see `noise`)."""
    return not _UNTOLD.search(text)
