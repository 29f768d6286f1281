"""A short soak; `python -m benchmarks.soak` does a long one."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def soak(*words: str) -> str:
    """In a process of its own, since it forks: this one may have threads."""
    argv = [sys.executable, "-m", "benchmarks.soak", *words]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_killed_reductions_resume_to_identical_bytes() -> None:
    """With a real compiler, tests/test_end_to_end.py kills them."""
    assert "1 with identical bytes" in soak("--fake", "1", "--real", "0")
