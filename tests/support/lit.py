"""Tests for LLVM's lit, run by lit with FileCheck."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = 'func.func @f() { "x.y"() : () -> () }\n'


def lit(
    folder: Path,
    test: str | None,
    body: str,
    runtime: str = "exit 1",
    compiler: str = "iree-compile",
) -> "subprocess.CompletedProcess[str]":
    """Run one test as a project's test suite would, with scripts as compiler and runtime."""
    assert test is not None
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    for name, text in {
        compiler: f"#!/bin/sh\n{body}\n",
        "iree-run-module": f"#!/bin/sh\n{runtime}\n",
        "FileCheck": f'#!/bin/sh\nexec {sys.executable} -m filecheck "$@"\n',
        "not": '#!/bin/sh\n[ "$1" = --crash ] && shift\n"$@"\n[ $? -gt 128 ]\n',
    }.items():
        (tools / name).unlink(missing_ok=True)  # a link would be written through
        if real := next(Path("/usr/lib").glob(f"llvm-*/bin/{name}"), None):  # LLVM's own
            (tools / name).symlink_to(real)
        else:
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
    suite = folder / "suite"
    suite.mkdir(exist_ok=True)
    (suite / "repro.lit.mlir").write_text(test)
    (suite / "repro.mlir").write_text(PROGRAM)
    (suite / "lit.cfg.py").write_text(
        "import lit.formats\n"
        "config.name = 'x'\nconfig.suffixes = ['.lit.mlir']\n"
        "config.test_format = lit.formats.ShTest(execute_external=False)\n"
        f"config.test_exec_root = {str(folder / 'elsewhere')!r}\n"
        f"config.environment['PATH'] = {f'{tools}:{os.defpath}'!r}\n"
    )
    runner = Path(sys.executable).with_name("lit")
    return subprocess.run([runner, "-v", suite], capture_output=True, text=True, timeout=60)
