"""What a program prints while it runs, as values that can be compared.

Programs for MLIR's own runner often return nothing and print what they compute, by `vector.print`
or by the functions of its support library. Where both sides print an integer, it must be the same.
But a whole float is printed like one, so a number is a float if either side prints it as one: then
it may be off as far as any result of its type. No integer is printed as `-0`. Addresses are left
out.

Source: `mlir/lib/ExecutionEngine/CRunnerUtils.cpp` and `RunnerUtils.cpp` of LLVM.
"""

import math
import re

from reducer.miscompile.values.compare import SCALE, TOLERANCES
from reducer.miscompile.values.programs import Value, ValueType
from reducer.printed_results import number

_PRINTING = re.compile(r"\bvector\.print\b|@print[A-Z]\w*|@print_memref_\w+")
_HEADER = re.compile(r"Unranked Memref base@ = .*? data =", re.S)
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan)(?![\w.])", re.I)
_INTEGER = re.compile(r"[-+]?\d+$")
_FLOAT = re.compile("|".join(sorted(TOLERANCES)))
_LEAST = min(TOLERANCES.values())


def printing(text: str) -> float:
    """How far printed floats may be off, relative to their size; 0 if the module prints nothing.

    It is the tolerance of the least exact type that the module mentions.
    """
    if not _PRINTING.search(text):
        return 0.0
    return max((TOLERANCES[one] for one in _FLOAT.findall(text)), default=_LEAST)


def printed_values(text: str, tolerance: float = _LEAST) -> Value:
    """The numbers that a program has printed; floats may be off by a relative `tolerance`.

    >>> printed_values("7\\n( 1, 2.5 )\\n").elements.tolist()
    [7, 1, 2.5]
    """
    words = [
        word
        for line in _ADDRESS.sub("", _HEADER.sub("", text)).splitlines()
        for word in _NUMBER.findall(line)
    ]
    numbers = [number(one) if _INTEGER.match(one) else float(one) for one in words]
    sizes = [abs(one) if isinstance(one, float) and math.isfinite(one) else 0.0 for one in numbers]
    least = SCALE * max(sizes, default=0.0)
    slack = tuple(
        tolerance * max(size, least) if isinstance(one, float) else 0.0
        for one, size in zip(numbers, sizes, strict=True)
    )
    return Value(ValueType("i64", (len(numbers),)), tuple(numbers), slack=slack)
