"""What counts as the standard error of a program that writes it to standard output."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, End, Kind, ProcessResult
from oracles.on_stdout import as_stderr
from tests.support.fake_compilers import write_script

ERROR = "a.mlir:1:1: error: no\n"
STACK = """\
Stack dump:
0.\tProgram arguments: t a.mlir
 #0 0x0000000000001000 a::f() /a.cpp:1:1
"""
SHELL = "t.sh: line 3: 26598 Segmentation fault      t a.mlir\n"


def result(stdout: str, stderr: str, code: int = 1) -> ProcessResult:
    return ProcessResult(End.EXITED, code, 0.1, 0.1, 0, stdout, stderr)


@pytest.mark.parametrize(
    ("stdout", "stderr", "code"),
    [(ERROR, "", 1), (STACK, "", 139), (STACK, SHELL, 139), (STACK, "", 0), (ERROR, "done\n", 1)],
)
def test_only_standard_output_says_why(stdout: str, stderr: str, code: int) -> None:
    assert as_stderr(result(stdout, stderr, code)).stderr.startswith(stdout)


@pytest.mark.parametrize(
    ("stdout", "stderr", "code"),
    [
        ("", "", 1),
        ("module {\n}\n", "", 1),
        (ERROR, "", 0),  # it may be a part of the IR
        (ERROR, "a.mlir:2:2: error: yes\n", 1),
        (STACK, ERROR, 1),
        (ERROR, 'Traceback (most recent call last):\n  File "a", line 1\nKeyError: 3\n', 1),
    ],
)
def test_standard_error_is_what_counts(stdout: str, stderr: str, code: int) -> None:
    assert as_stderr(result(stdout, stderr, code)).stderr == stderr


def test_a_script_that_keeps_a_log_fails_as_the_compiler_does(
    iree_compile: Path, tmp_path: Path
) -> None:
    opt = iree_compile.with_name("iree-opt")
    words = f'"{opt}" "$@" 2>&1 | tee log.txt\n'
    script = write_script(tmp_path / "logged", f"{words}")
    script.write_text(f"#!/bin/bash\nset -o pipefail\n{words}")
    text = '%0 = "arith.constant"() <{value = 1 : i32}> : () -> i64\n'
    alone, logged = (
        CompilerOracle(Command.parse([path.name]), path).run(text) for path in (opt, script)
    )
    assert logged.kind is alone.kind is Kind.VERIFIER
    assert logged.signature.template == alone.signature.template
