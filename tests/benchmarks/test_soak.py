"""A short soak; `python -m benchmarks.soak` does a long one."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def soak(*words: str) -> str:
    """In a process of its own, since it forks: this one may have threads."""
    argv = [sys.executable, "-m", "benchmarks.soak", *words]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_killed_reductions_resume_to_identical_bytes() -> None:
    assert "2 with identical bytes" in soak("--fake", "2", "--real", "0")


@pytest.mark.iree
@pytest.mark.slow
def test_killed_reductions_with_a_real_compiler_do_so_too(iree_compile: Path) -> None:
    assert "1 with identical bytes" in soak("--fake", "0", "--real", "1")
