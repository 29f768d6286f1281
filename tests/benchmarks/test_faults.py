"""A small injection of faults; `python -m benchmarks.faults` does a large one."""

from pathlib import Path

import pytest

from benchmarks.faults import Tally, inject

needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


@needs_proc
@pytest.mark.parametrize(
    "seed", ["test 0", pytest.param("test 7", marks=pytest.mark.slow)], ids=["open", "hidden"]
)
def test_faults_break_nothing(seed: str) -> None:
    """With the second seed some failures do not show, and the result may be another."""
    tally = Tally()
    inject(seed, tally)
    assert tally.broken == []
    assert tally.injected > 10
    assert tally.looks > 2
