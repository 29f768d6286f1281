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
    write_script(tmp_path / "bin" / "fake", FAIL)
    write_script(tmp_path / "here", FAIL)
    return Reducer(tmp_path)


@pytest.mark.parametrize("path", [":.:./:..:bin:{}:", ""])
@pytest.mark.parametrize(
    "words",
    [
        ("toolchain", "install", "3.5.0"),
        ("check", "in.mlir", "--iree", "3.5.0"),
        ("check", "issue.md", "--yes"),
        ("check", "in.mlir", "--", "mlir-opt"),
        ("--version",),
    ],
)
def test_nothing_here_runs_by_its_name(reducer: Reducer, words: tuple[str, ...], path: str) -> None:
    start(reducer, path, *words)
    assert not (reducer.home / "RAN").exists(), (reducer.home / "RAN").read_text()


def test_a_whole_reduction_runs_nothing_from_here(reducer: Reducer) -> None:
    done = start(reducer, ".:{}:", "reduce", "in.mlir", "--", f"{reducer.home}/bin/fake")
    assert done.returncode == 0, done.stderr
    assert not (reducer.home / "RAN").exists(), (reducer.home / "RAN").read_text()


def test_what_is_typed_with_a_slash_runs(reducer: Reducer) -> None:
    assert start(reducer, ".:{}", "check", "in.mlir", "--", "./here").returncode == 0
    refused = start(reducer, ".:{}", "check", "in.mlir", "--", "here")
    assert refused.returncode == 127 or refused.returncode == 69
    assert "'here' is not on PATH" in refused.stderr


def start(reducer: Reducer, path: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Start the program as its installed script does: with its own folder first, not this one."""
    root = Path(__file__).parents[2]
    main = f"import sys; sys.path[0] = {str(root)!r}; from reducer.__main__ import main; main()"
    environment = {
        **reducer.environment,
        "PATH": path.format(os.defpath),
        "PIP_NO_INDEX": "1",
        "PYTHONPATH": "",
    }
    environment.pop("PYTHONSAFEPATH", None)
    return subprocess.run(
        [sys.executable, "-P", "-c", main, *words],
        cwd=reducer.home,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
