"""Nothing in the folder where somebody works runs because it has the name of something else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.fake_compilers import FAIL, Reducer, program, write_script

PROGRAMS = (
    *("python", "python3", "pip", "git", "sh", "bash", "env", "setarch", "timeout", "gh", "grep"),
    *("nm", "gdb", "addr2line", "c++filt", "llvm-symbolizer", "iree-compile", "iree-opt"),
    *("iree-run-module", "mlir-opt", "mlir-runner", "opt", "cat"),
)
MODULES = ("pip", "reducer", "oracles", "sitecustomize", "click", "rich", "json", "tree")
ISSUE = f"```\niree-opt --canonicalize x.mlir\n```\n```mlir\n{program(2)}```\n"


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    for name in PROGRAMS:
        write_script(tmp_path / name, f"echo {name} >> '{tmp_path}/RAN'\n")
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(f"open('{tmp_path}/RAN', 'a').write('{name}.py\\n')\n")
    (tmp_path / "in.mlir").write_text(program(4))
    (tmp_path / "issue.md").write_text(ISSUE)
    (tmp_path / "bin").mkdir()
    write_script(tmp_path / "bin" / "fake", f"PATH={os.environ['PATH']}\n{FAIL}")
    write_script(tmp_path / "here", FAIL)
    made = Reducer(tmp_path)
    made.environment["PIP_NO_INDEX"] = "1"
    return made


@pytest.mark.parametrize("path", [".:./:..:bin:{}:", ""])
def test_nothing_here_runs_by_its_name(reducer: Reducer, path: str) -> None:
    reducer.environment["PATH"] = path.format(os.environ["PATH"])
    for words in (
        ("toolchain", "install", "3.5.0"),
        ("check", "in.mlir", "--iree", "3.5.0"),
        ("check", "issue.md", "--yes"),
        ("check", "in.mlir", "--", "mlir-opt"),
        ("reduce", "in.mlir", "--", f"{reducer.home}/bin/fake"),
    ):
        reducer(*words)
        ran = reducer.home / "RAN"
        assert not ran.exists(), (words, ran.read_text())
    assert (reducer.home / "in.reduced.mlir").exists()


def test_what_is_typed_with_a_slash_runs(reducer: Reducer) -> None:
    reducer.environment["PATH"] = f".:{os.environ['PATH']}"
    assert reducer("check", "in.mlir", "--", "./here").returncode == 0
    refused = reducer("check", "in.mlir", "--", "here")
    assert refused.returncode == 127
    assert "'here' is not on PATH" in refused.stderr


def test_no_module_here_is_imported(reducer: Reducer) -> None:
    """Started as its installed script does, with its own folder first and not this one."""
    root = Path(__file__).parents[2]
    main = f"import sys; sys.path[0] = {str(root)!r}; from reducer.__main__ import main; main()"
    environment = {**reducer.environment, "PYTHONPATH": ""}
    environment.pop("PYTHONSAFEPATH", None)
    words = [sys.executable, "-P", "-c", main, "check", "in.mlir", "--", "bin/fake"]
    done = subprocess.run(
        words, cwd=reducer.home, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert not (reducer.home / "RAN").exists(), (reducer.home / "RAN").read_text()
