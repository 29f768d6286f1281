"""Real hangs, reduced from end to end."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Limits
from tests.support.corpus import Case

LIMIT = 8.0
LAYERS = 4


@pytest.mark.iree
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["canonicalizer-loop-hang", "matmul-i4-dyn-hang"])
def test_a_hang_reduces_in_a_few_times_its_limit(
    name: str, corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    case = corpus(name)
    run = case.runs[0]
    expert = case.text("expert.mlir", run)
    (tmp_path / "in.mlir").write_text(plant(expert, LAYERS))
    words = replace(run, timeout=LIMIT).words()
    only = ("--no-elsewhere", "--no-pass-level", "--no-report", "--json", "out.json")
    done = subprocess.run(
        [sys.executable, "-m", "reducer", "reduce", "in.mlir", *only, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out.json").read_text())
    target = run.oracle(Limits(LIMIT)).run(expert).signature
    assert report["bucket"] == target.bucket and target.pass_name
    assert report["verified"] and report["one_minimal"]
    spent, calls = report["oracle"]["compiler_seconds"], report["oracle"]["calls"]
    assert calls > 20 and spent / calls < LIMIT / 2, "most hanging candidates end early"
