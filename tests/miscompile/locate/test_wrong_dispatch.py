"""What a dispatch has read, as far as it is printed."""

import pytest

from reducer.miscompile.locate.wrong_dispatch import printed_in_full


@pytest.mark.parametrize(
    ("word", "is_so"),
    [
        ("2xf32=1.5 -3", True),
        ("2xf32=nan -inf", True),
        ("2x2xf32=[0.125 1][2 3]", True),
        ("2xf32=1 0.333333", False),
        ("1xf32=1.26765e+30", False),
        ("1xf32=7.88861e-31", False),
        ("3xi8=1 -2 3", True),
        ("7", True),
    ],
)
def test_numbers_with_few_digits_are_printed_in_full(word: str, is_so: bool) -> None:
    assert printed_in_full(["4xi32=1", word]) == is_so
