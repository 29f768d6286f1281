"""Messages as written."""

import pytest

from oracles.exact import exact_of


@pytest.mark.parametrize(
    ("message", "exact"),
    [
        ("'a.b' op got tensor<4x?xf32>, expected 12", "'a.b' op got tensor<4x?xf32>, expected 12"),
        ("use of value '%arg0' in @f", "use of value '%' in @f"),
        ("see /tmp/x-1/in.mlir:3:4", "see <path>"),
        ("failed to x 'a.b': %0:2 = \"a.b\"(%1) : (i32) -> (i32, i32)", "failed to x 'a.b'"),
        (
            "Cannot select: 0x12ab: ch = store<(store (s80) into %ir.59, !noalias !84)> 0x34cd, t9",
            "Cannot select: <addr>: ch = store<(store (s80) into %, !noalias !)> <addr>, <addr>",
        ),
        ("Cannot select: intrinsic %llvm.amdgcn.if", "Cannot select: intrinsic %llvm.amdgcn.if"),
    ],
)
def test_what_stays_and_what_goes(message: str, exact: str) -> None:
    assert exact_of(message) == exact
