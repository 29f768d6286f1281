"""Benchmarks measure what they say they measure.

What is right and what fails in their corpora is known beforehand, and what they break is drawn by a
seed. Their tables say what was measured and what was not.

This file: the right results of a case as a reference for `bisect`.
"""

from typing import Any

import numpy as np

from benchmarks.bisect_corpus import _reference_in_python
from tests.support.corpus import Execution


def test_right_results_in_every_form() -> None:
    names: dict[str, Any] = {}
    exec(
        _reference_in_python(Execution((), ("4xf32=2 INF -NAN -1.5E-05", "2xi8=[7][-8]", "f32=3"))),
        names,
    )
    reals, integers, number = names["expected"]()
    np.testing.assert_array_equal(reals, np.float32([2, np.inf, np.nan, -1.5e-5]))
    np.testing.assert_array_equal(integers, np.int8([7, -8]))
    assert number.shape == ()
