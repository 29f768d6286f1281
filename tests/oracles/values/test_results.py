"""Reading what iree-run-module prints."""

import math

from oracles.values.abi import ValueType
from oracles.values.results import read_results

PRINTED = """\
EXEC @f
result[0]: hal.buffer_view
2x2xf32=[1 -INF][NAN 2.5E-03]
result[1]: hal.buffer_view
f16=7
result[2]: i64=9007199254740993
result[3]: hal.buffer_view
0x2xi8=
result[4]: hal.buffer_view
2xi1=01 00
result[5]: vm.list
"""


def test_results() -> None:
    matrix, scalar_tensor, number, nothing, truths, unknown = read_results(PRINTED)
    assert matrix.type == ValueType("f32", (2, 2))
    assert matrix.elements is not None
    assert matrix.elements[:2] == (1.0, -math.inf) and math.isnan(matrix.elements[2])
    assert scalar_tensor.type == ValueType("f16", ()) and scalar_tensor.elements == (7,)
    assert number.elements == (9007199254740993,)  # exact, as no float is
    assert nothing.elements == ()
    assert truths.elements == (1, 0)
    assert unknown.elements is None


def test_no_results() -> None:
    assert read_results("EXEC @f\n") == []
