"""What healthy programs compute, written in Python with NumPy.

Where a program is undefined, such as for a division by zero, a function gives just some number.
"""

import re

_EXPRESSIONS = {
    "addf": "a + b",
    "subf": "a - b",
    "mulf": "a * b",
    "divf": "a / b",
    "maximumf": "np.maximum(a, b)",
    "minimumf": "np.minimum(a, b)",
    "maxnumf": "np.fmax(a, b)",
    "addi": "a + b",
    "subi": "a - b",
    "muli": "a * b",
    "xori": "a ^ b",
    "maxsi": "np.maximum(a, b)",
    "minui": "np.minimum(a.view(np.uint32), b.view(np.uint32)).view(np.int32)",
    "divsi": "np.trunc(a / np.where(b == 0, 1, b).astype(float)).astype(np.int64).astype(np.int32)",
    "remui": "(a.view(np.uint32) % np.maximum(b.view(np.uint32), 1)).view(np.int32)",
    "shli": "a << (b & 31)",
    "shrsi": "a >> (b & 31)",
    "absf": "np.abs(a)",
    "ceil": "np.ceil(a)",
    "floor": "np.floor(a)",
    "roundeven": "np.rint(a)",
    "sqrt": "np.sqrt(a)",
    "exp": "np.exp(a)",
    "tanh": "np.tanh(a)",
    "erf": "np.vectorize(math.erf)(a).astype(np.float32)",
    "rsqrt": "1 / np.sqrt(a)",
}
"""By op; the others by program."""

_PROGRAMS = {
    "cmpf-oeq": "np.where(a == b, a, b)",
    "cmpf-olt": "np.where(a < b, a, b)",
    "cmpf-ueq": "np.where((a == b) | np.isnan(a) | np.isnan(b), a, b)",
    "cmpf-uno": "np.where(np.isnan(a) | np.isnan(b), a, b)",
    "sitofp-i16": "a.astype(np.float32)",
    "fptosi-f32": "a.astype(np.int32)",
    "fptosi-i8": "a.astype(np.int8)",
    "extf-bf16": "a",
    "fast-addf": "a + b",
    "fast-divf": "a / b",
    "no-wrap": "a + b",
    "shift-too-far": "(a.view(np.uint32) >> (b.view(np.uint32) & 31)).view(np.int32)",
    "reduce-addf": "np.sum(a, axis=1)",
    "reduce-maximumf": "np.maximum(np.max(a, axis=1), np.float32(0))",
    "reduce-mulf": "np.prod(a * np.float32(0), axis=1)",
    "matmul-f32": "a @ b",
    "matmul-i8": "a.astype(np.int32) @ b.astype(np.int32)",
    "matmul-f16": "a.astype(np.float32) @ b.astype(np.float32)",
    "pad-slice": "np.pad(a, ((1, 2), (2, 0)), constant_values=1.5)[1:5, 0:6:2]",
    "insert-into-empty": "np.pad(a, 1)",
    "add-empty": "a",
    "return-empty": "a",
}


def in_python(name: str) -> str:
    """A file with a function `f` that computes what a program does; '' if there is none."""
    op = name.partition("-")[0]
    expression = _PROGRAMS.get(name) or _EXPRESSIONS.get(op, "")
    if not expression:
        return ""
    arguments = "a, b" if re.search(r"\bb\b", expression) else "a"
    return f"import math\n\nimport numpy as np\n\n\ndef f({arguments}):\n    return {expression}\n"
