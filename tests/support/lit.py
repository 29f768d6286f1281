"""Tests for LLVM's lit, run by lit with FileCheck."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROGRAM = 'func.func @f() { "x.y"() : () -> () }\n'


@dataclass(frozen=True)
class Run:
    """A test, and the scripts that are its compiler and its runtime."""

    test: str | None
    body: str
    passes: bool
    runtime: str = "exit 1"
    compiler: str = "iree-compile"
    files: tuple[str, ...] = ()
    """Empty files that lie next to the test."""


def check_lit(folder: Path, runs: Mapping[str, Run]) -> None:
    """Have lit run all these tests, each as a project's test suite would, and compare."""
    suites = [_suite(folder / f"run-{number}", run) for number, run in enumerate(runs.values())]
    told = folder / "told.json"
    done = _lit("-o", told, *suites)
    found = {one["name"].partition(" ")[0]: one for one in json.loads(told.read_text())["tests"]}
    codes = [found.get(suite.parent.name, {}).get("code") for suite in suites]
    wanted = {name: "PASS" if run.passes else "FAIL" for name, run in runs.items()}
    assert dict(zip(runs, codes, strict=True)) == wanted, done.stdout
    assert not list(folder.rglob("owned")), "no word of a program was run"


def lit(
    folder: Path, test: str, body: str, runtime: str = "exit 1"
) -> "subprocess.CompletedProcess[str]":
    """Have lit run one test, and return what it says."""
    place = Path(tempfile.mkdtemp(dir=folder))
    return _lit(_suite(place, Run(test, body, True, runtime)))


def _lit(*words: "str | Path") -> "subprocess.CompletedProcess[str]":
    runner = Path(sys.executable).with_name("lit")
    return subprocess.run([runner, "-v", *words], capture_output=True, text=True, timeout=100)


def _suite(folder: Path, run: Run) -> Path:
    """A test suite of one test, with tools of its own."""
    assert run.test is not None
    tools, suite = folder / "tools", folder / "suite"
    tools.mkdir(parents=True)
    suite.mkdir()
    for name, text in {
        run.compiler: f"#!/bin/sh\n{run.body}\n",
        "iree-run-module": f"#!/bin/sh\n{run.runtime}\n",
        "FileCheck": f'#!/bin/sh\nexec {sys.executable} -m filecheck "$@"\n',
        "not": '#!/bin/sh\n[ "$1" = --crash ] && shift\n"$@"\n[ $? -gt 128 ]\n',
    }.items():
        if real := next(Path("/usr/lib").glob(f"llvm-*/bin/{name}"), None):  # LLVM's own
            (tools / name).symlink_to(real)
        else:
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
    (suite / "repro.lit.mlir").write_text(run.test)
    (suite / "repro.mlir").write_text(PROGRAM)
    for name in run.files:
        (suite / name).parent.mkdir(exist_ok=True)
        (suite / name).touch()
    (suite / "lit.cfg.py").write_text(
        "import lit.formats\n"
        f"config.name = {folder.name!r}\nconfig.suffixes = ['.lit.mlir']\n"
        "config.test_format = lit.formats.ShTest(execute_external=False)\n"
        f"config.test_exec_root = {str(folder / 'elsewhere')!r}\n"
        f"config.environment['PATH'] = {f'{tools}:' + os.environ['PATH']!r}\n"
    )
    return suite
