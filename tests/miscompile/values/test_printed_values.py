"""What a program prints, as values."""

import pytest

from reducer.miscompile.values.compare import MismatchKind, compare
from reducer.miscompile.values.printed_values import printed_values, printing

MEMREF = """\
Unranked Memref base@ = 0x55d5c0a3f0c0 rank = 2 offset = 0 sizes = [1, 2] strides = [2, 1] data =
[[1,   2.5]]
"""


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("52\n", (52,)),
        ("18446744073709551615\n-3\n", (18446744073709551615, -3)),
        ("( 1, 2.5 )\n", (1, 2.5)),
        ("x = 4\n1e-05\n", (4, 1e-05)),
        ("nan\ninf\n", pytest.approx((float("nan"), float("inf")), nan_ok=True)),
        (MEMREF, (1, 2.5)),
        ("0x7f3a\nabc1\n", ()),
    ],
)
def test_numbers(text: str, numbers: object) -> None:
    assert tuple(printed_values(text).elements) == numbers


@pytest.mark.parametrize(
    ("ours", "theirs", "kind"),
    [
        ("2.99999", "3", None),  # whole floats look like integers
        ("( 0, 1000 )", "( 0.0001, 1000.01 )", None),
        ("100000", "100001", MismatchKind.VALUES),
        ("2.5", "3", MismatchKind.VALUES),
        ("7", "nan", MismatchKind.NOT_FINITE),
        ("1\n2", "1", MismatchKind.TYPE),
    ],
)
def test_what_is_compared(ours: str, theirs: str, kind: MismatchKind | None) -> None:
    for pair in ((ours, theirs), (theirs, ours)):
        found = compare(*([printed_values(text)] for text in pair))
        assert [one.kind for one in found] == ([kind] if kind else [])


def test_large_integers_are_told_in_full() -> None:
    texts = ("9223372036854775807", "9223372036854775806")
    (found,) = compare(*([printed_values(text)] for text in texts))
    assert found.text.endswith("9223372036854775807, expected 9223372036854775806 (wrong values)")


def test_a_program_that_prints() -> None:
    assert printing("vector.print %a : i32") == 1e-5
    assert printing("vector.print %a : vector<4xf32>\nvector.print %b : f64") == 1e-3
    assert printing("func.func @printer() { return }") == 0
