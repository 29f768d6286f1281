"""Constant folding of integer ops."""

import pytest

from reducer.miscompile.oracle.size_audit import result_of


@pytest.mark.parametrize(
    ("name", "operands", "result"),
    [
        ("arith.addi", [3, 4], 7),
        ("arith.divsi", [-7, 2], -3),
        ("arith.remsi", [-7, 2], -1),
        ("arith.floordivsi", [-7, 2], -4),
        ("arith.ceildivsi", [7, 2], 4),
        ("index.maxs", [7, 2], 7),
        ("arith.index_cast", [7], 7),
        ("arith.divui", [7, 0], None),
        ("arith.remui", [7, 0], None),
        ("arith.addi", [3, None], None),
        ("arith.negf", [3], None),
        ("math.ctlz", [3], None),
        ("foo.addi", [3, 4], None),
    ],
)
def test_results(name: str, operands: list[int | None], result: int | None) -> None:
    assert result_of(name, operands) == result
