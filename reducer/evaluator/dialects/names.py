"""Names of dialects and ops that matter before a module is evaluated. Imports no NumPy."""

CORE_DIALECTS = frozenset(
    (
        "affine", "arith", "builtin", "cf", "complex", "flow", "func", "hal", "index",
        "iree_linalg_ext", "iree_tensor_ext", "linalg", "math", "memref", "ml_program", "scf",
        "shape", "tensor", "util", "vector",
    )
)  # fmt: skip
"""Dialects that need no front end."""

INITIALIZER = "util.initializer"
"""The op whose body runs when a module is loaded."""
