"""The arguments that the evaluator reads are spelled as for the runtime."""

import numpy as np
import pytest

from reducer.evaluator.inputs import parse_input


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2x2xi1=00 01 01 00", [[0, 1], [1, 0]]),  # bytes, as the runtime reads and prints them
        ("3xi1=true,false,1", [1, 0, 1]),
        ("2xi16=-7 0x10", [-7, 16]),
        ("2xi8=08 09", [8, 9]),
        ("3xf32=2", [2.0, 2.0, 2.0]),
    ],
)
def test_numbers(text: str, numbers: object) -> None:
    assert np.array_equal(parse_input(text).data, np.array(numbers))
