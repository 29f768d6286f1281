"""What iterations that run in any order disagree about is poison."""

import numpy as np
import pytest

from reducer.miscompile.interpreter.loops import Races
from tests.support.evaluating import f32

pytestmark = pytest.mark.iree


def test_writers_that_agree() -> None:
    races, nan = Races((2,)), f32(1, np.nan)
    none = np.zeros(2, np.bool_)
    for _ in range(2):
        races.note(..., (nan, none), (nan, none))
    assert not races.lost.any()
    races.note(..., (nan, none), (nan, ~none), np.array([True, False]))
    assert races.lost.tolist() == [True, False]
