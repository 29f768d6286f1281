"""What a program prints while it runs, as values that can be compared.

Programs for MLIR's own runner often return nothing and print what they compute, by `vector.print`
or by the functions of its support library. Each line of numbers is taken as integers, which must be
exact, or as floats, which are printed with six digits. Addresses are left out.

Source: `mlir/lib/ExecutionEngine/CRunnerUtils.cpp` and `RunnerUtils.cpp` of LLVM.
"""

import re

from oracles.values.programs import Value, ValueType, number

_PRINTING = re.compile(r"\bvector\.print\b|@print[A-Z]\w*|@print_memref_\w+")
_HEADER = re.compile(r"Unranked Memref base@ = .*? data =", re.S)
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan)(?![\w.])", re.I)
_INTEGER = re.compile(r"[-+]?\d+$")


def prints(text: str) -> bool:
    """Whether the program of a module may print something."""
    return _PRINTING.search(text) is not None


def printed_values(text: str) -> tuple[Value, Value]:
    """The integers and the floats that a program has printed.

    >>> [value.elements for value in printed_values("7\\n( 1, 2.5 )\\n")]
    [(7,), (1.0, 2.5)]
    """
    integers: list[float] = []
    floats: list[float] = []
    for line in _ADDRESS.sub("", _HEADER.sub("", text)).splitlines():
        words = _NUMBER.findall(line)
        if all(map(_INTEGER.match, words)):
            integers += map(int, words)
        else:
            floats += (float(number(word)) for word in words)
    return _value("i64", integers), _value("f64", floats)


def _value(element: str, elements: list[float]) -> Value:
    return Value(ValueType(element, (len(elements),)), tuple(elements))
