"""A little of what disturbs reductions; the benchmarks of the same names do it for hours."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.faults import Tally, inject

ROOT = Path(__file__).parents[2]
needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
pytestmark = pytest.mark.slow


def run(*words: str) -> str:
    """In a process of its own, since it forks: this one may have threads."""
    argv = [sys.executable, "-m", *words]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_proc
def test_faults_break_nothing() -> None:
    tally = Tally()
    inject("test 0", tally)
    assert tally.broken == []
    assert tally.injected > 10
    assert tally.looks > 2


def test_faults_of_the_storage_break_nothing() -> None:
    said = run("benchmarks.storage_faults", "--pairs", "1", "--flips", "2")
    assert len(said.splitlines()) == 4


def test_killed_reductions_resume_to_identical_bytes() -> None:
    """With a real compiler, tests/test_end_to_end.py kills them."""
    assert "1 with identical bytes" in run("benchmarks.soak", "--fake", "1", "--real", "0")
