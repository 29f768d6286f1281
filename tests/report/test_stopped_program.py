"""Which program a report is about."""

import os
from pathlib import Path

import pytest

from reducer.report.gathering import program_that_stopped

SHELL = Path("/bin/sh")
PIPE = ["sh", "-c", "mlir-opt {} | a-tool -o /dev/null"]
DUMP = (
    "LLVM ERROR: x\nStack dump:\n0.\tProgram arguments: {} -o /dev/null\n #0 0x1 (/lib/a.so+0x1)\n"
)


@pytest.fixture(autouse=True)
def _tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a-tool").write_text("#!/bin/sh\n")
    (tmp_path / "a-tool").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


def test_it_is_the_one_with_the_stack_and_not_the_shell_that_ran_it(tmp_path: Path) -> None:
    assert program_that_stopped(DUMP.format("a-tool"), SHELL, PIPE) == tmp_path / "a-tool"


def test_a_program_that_only_the_output_names_is_not_run(tmp_path: Path) -> None:
    """What a compiler prints may be a part of its input."""
    other = ["sh", "-c", "mlir-opt {} | not-a-tool"]
    assert program_that_stopped(DUMP.format("a-tool"), SHELL, other) == SHELL
    assert program_that_stopped(DUMP.format(tmp_path / "a-tool"), SHELL, PIPE) == SHELL


def test_it_is_the_program_of_the_command_if_no_other_is_named() -> None:
    assert program_that_stopped("a.mlir:1:1: error: bad\n", SHELL, PIPE) == SHELL
    assert program_that_stopped(DUMP.format("/other/build/sh"), SHELL, PIPE) == SHELL
    missing = ["sh", "-c", "mlir-opt {} | no-such-tool"]
    assert program_that_stopped(DUMP.format("no-such-tool"), SHELL, missing) == SHELL
