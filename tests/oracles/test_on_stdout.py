"""What counts as the standard error of a program that writes it to standard output."""

import time
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, End, Kind, Limits, ProcessResult
from oracles.run.run_process import run_process
from oracles.signature.diagnostics import parse_diagnostics
from oracles.signature.on_stdout import as_stderr, reading_both
from tests.support.fake_compilers import write_script

ERROR = "a.mlir:1:1: error: no\n"
STACK = """\
Stack dump:
0.\tProgram arguments: t a.mlir
 #0 0x0000000000001000 a::f() /a.cpp:1:1
"""
SHELL = "t.sh: line 3: 26598 Segmentation fault      t a.mlir\n"


PIPE = (
    "t.sh: line 3:   598 Aborted                 (core dumped) t a.mlir 2>&1\n"
    "       599 Done                    | tee log\n"
)
ATTRIBUTE = """\
module {
  cf.assert %a, "a.cpp:1: void f(): Assertion `x' failed."
}
"""
COMMENTS = """\
// t: a.cpp:1: void f(): Assertion `x' failed.
func.func @f() attributes {x = "a: error: b"}
%0 = arith.constant 0 : i1 // a: error: b
"""


def result(stdout: str, stderr: str, code: int = 1) -> ProcessResult:
    return ProcessResult(End.EXITED, code, 0.1, 0.1, 0, stdout, stderr)


@pytest.mark.parametrize(
    ("stdout", "stderr", "code"),
    [
        (ERROR, "", 1),
        (STACK, "", 139),
        (STACK, SHELL, 139),
        (STACK, PIPE, 134),
        (STACK, "t.sh: line 3: 13543 Floating point exceptiont a.mlir 2>&1\n", 136),
        (STACK, "t.sh: line 3: 13543 CPU time limit exceeded t a.mlir 2>&1\n", 152),
        (STACK, "Bad system call\n", 159),
        (STACK, "Segmentation fault (core dumped)\n", 139),
        (STACK, "", 0),
        ('error: "f"("a.mlir":1:1): no\n', "", 1),
        ("t: a.cpp:1: void f(): Assertion `x && \"it's // so\"' failed.\n", "", 134),
    ],
)
def test_only_standard_output_says_why(stdout: str, stderr: str, code: int) -> None:
    assert as_stderr(result(stdout, stderr, code), "").stderr.startswith(stdout)


@pytest.mark.parametrize(
    ("stdout", "stderr", "code"),
    [
        ("", "", 1),
        ("module {\n}\n", "", 1),
        (ERROR, "", 0),  # it may be a part of the IR
        (ERROR, "a.mlir:2:2: error: yes\n", 1),
        (STACK, ERROR, 1),
        (ERROR, "checker: no\n", 1),  # in words of its own
        (STACK, f"{SHELL}checker: no\n", 139),
        (ATTRIBUTE, "", 1),
        (ATTRIBUTE, "", 0),
        (COMMENTS, "", 1),
        ("  LLVM ERROR: no\n", "", 1),  # such a line does not begin with it
        ("a.cpp:1: void f(): Assertion `x' failed.\n", "", 0),  # a program that goes on
        (ERROR, 'Traceback (most recent call last):\n  File "a", line 1\nKeyError: 3\n', 1),
    ],
)
def test_standard_error_is_what_counts(stdout: str, stderr: str, code: int) -> None:
    assert as_stderr(result(stdout, stderr, code), "").stderr == stderr


def test_what_is_in_the_input_says_nothing() -> None:
    assert as_stderr(result(ERROR, ""), f"module {{\n  {ERROR}}}\n").stderr == ""
    assert as_stderr(result(f"{ERROR}{STACK}", ""), ERROR).stderr.endswith(STACK)


def test_what_ir_says_does_not_come_before_what_the_program_says() -> None:
    kept = as_stderr(result(f"{ATTRIBUTE}{COMMENTS}{STACK}", "", 139), "").stderr
    assert kept.endswith(STACK)
    assert "Assertion" not in kept and not parse_diagnostics(kept)


def test_a_script_that_prints_the_input_fails_in_its_own_way(tmp_path: Path) -> None:
    """What the input says in a comment was the failure, which an empty module did not have."""
    script = write_script(tmp_path / "shows", 'cat "$1"; exit 3\n')
    oracle = CompilerOracle(Command.parse([script.name]), script)
    outcome, empty = oracle.run(COMMENTS), oracle.run("module {\n}\n")
    assert outcome.kind is Kind.OTHER_ERROR
    assert outcome.signature == empty.signature


def test_a_script_that_prints_comments_fails_in_its_own_way(tmp_path: Path) -> None:
    script = write_script(tmp_path / "shows", "sed -n 's,.*// ,,p' \"$1\"; exit 3\n")
    oracle = CompilerOracle(Command.parse([script.name]), script)
    outcome, empty = oracle.run(COMMENTS), oracle.run("module {\n}\n")
    assert outcome.signature == empty.signature


@pytest.mark.parametrize("comment", ["LLVM ERROR: no", "a.mlir:1:1: error: no", "yes"])
def test_a_comment_may_say_what_the_compiler_says(tmp_path: Path, comment: str) -> None:
    """A result has the failure in a comment, and may be the input of another reduction."""
    script = write_script(tmp_path / "fails", f"echo '{comment}'; echo LLVM ERROR: no; exit 1\n")
    oracle = CompilerOracle(Command.parse([script.name]), script)
    outcome, plain = (oracle.run(f"{text}module {{}}\n") for text in (f"// {comment}\n", ""))
    assert outcome.kind is Kind.FATAL_ERROR
    assert (outcome.signature, outcome.diagnostics) == (plain.signature, plain.diagnostics)


def test_the_file_is_the_input_again(tmp_path: Path) -> None:
    script = write_script(tmp_path / "a", f'cat "$1" >> {tmp_path}/log; echo error: no; exit 1\n')
    path = tmp_path / "input.mlir"
    text = 'x "// y" // error: no\n// -----\n//\xff\n'.encode("latin-1")
    path.write_bytes(text)
    result = reading_both(run_process, text, path)(
        [str(script), str(path)], cwd=tmp_path, limits=Limits()
    )
    assert result.stderr == "error: no\n"
    assert (tmp_path / "log").read_bytes() == text + b'x "// y" \n// -----\n\n'
    assert path.read_bytes() == text


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


def test_many_comments_and_much_output_take_no_long_time(tmp_path: Path) -> None:
    """Most lines are IR, and none of them has to be looked for in the comments."""
    source = "".join(f"// op {n} of layer/{n}/convolution/kernel\n" for n in range(40_000))
    printed = "".join(f'%{n} = "t.op"() : () -> tensor<4xf32>\n' for n in range(20_000))
    given = result(f"{printed}{ERROR}", "")
    run = reading_both(lambda *_, **__: given, source, tmp_path / "a.mlir")
    started = time.process_time()
    assert ERROR in run([], cwd=tmp_path, limits=Limits()).stderr
    assert time.process_time() - started < 3
