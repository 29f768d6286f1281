"""What a program prints, as values."""

import pytest

from oracles.values.printed import printed_values, prints

MEMREF = """\
Unranked Memref base@ = 0x55d5c0a3f0c0 rank = 2 offset = 0 sizes = [1, 2] strides = [2, 1] data =
[[1,   2.5]]
"""


@pytest.mark.parametrize(
    ("text", "integers", "floats"),
    [
        ("52\n", (52,), ()),
        ("18446744073709551615\n-3\n", (18446744073709551615, -3), ()),
        ("( 1, 2.5 )\n", (), (1.0, 2.5)),
        ("x = 4\n1e-05\n", (4,), (1e-05,)),
        ("nan\ninf\n", (), pytest.approx((float("nan"), float("inf")), nan_ok=True)),
        (MEMREF, (), (1.0, 2.5)),
        ("0x7f3a\nabc1\n", (), ()),
    ],
)
def test_lines_of_integers_are_told_from_floats(
    text: str, integers: object, floats: object
) -> None:
    assert [value.elements for value in printed_values(text)] == [integers, floats]


def test_a_program_that_prints() -> None:
    assert prints("vector.print %a : i32") and prints("call @printMemrefF32(%a)")
    assert not prints("func.func @printer() { return }")
