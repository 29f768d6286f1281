"""A few faults of the storage; `python -m benchmarks.storage_faults` causes many."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_faults_of_the_storage_break_nothing() -> None:
    """In a process of its own, since it forks: this one may have threads."""
    argv = [sys.executable, "-m", "benchmarks.storage_faults", "--pairs", "1", "--flips", "2"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == 4
