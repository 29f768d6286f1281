"""A small injection of faults; `python -m benchmarks.faults` does a large one."""

from pathlib import Path

import pytest

from benchmarks.faults import Tally, inject

needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


@needs_proc
def test_faults_break_nothing() -> None:
    tally = Tally()
    inject("test 0", tally)
    assert tally.broken == []
    assert tally.injected > 10
    assert tally.looks > 2
