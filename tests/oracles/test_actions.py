"""Logs of actions, and what they say about a crash."""

import sys
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits
from oracles.run.run_process import run_process
from oracles.signature.actions import Culprit, logging_actions
from tests.support.opt_tools import find_opt

BEGINS = "[thread mlir-opt] begins (no breakpoint) Action"
LOG = f"""{BEGINS} `pass-execution` running `A` on Operation `m`
[thread mlir-opt] completed `pass-execution`
{BEGINS} `pass-execution` running `x::(anonymous namespace)::B` on Operation `m` (module {{...}})`
{BEGINS} apply-conversion (module {{...}})`
{BEGINS} `apply-pattern pattern: P (%0 = a.b %1 : i32)`
[thread mlir-opt] completed `apply-pattern`
{BEGINS} `apply-pattern pattern: (anonymous namespace)::Q<c::D> ("c.d"(%1) : (i32) -> ())`
"""


def test_output_before_a_crash_is_kept(tmp_path: Path) -> None:
    """A program that buffers what is no terminal, and dies."""
    program = "import os, sys; sys.stdout.write('said\\n'); os.kill(os.getpid(), 11)"
    argv = [sys.executable, "-E", "-c", program]
    plain = run_process(argv, cwd=tmp_path, limits=Limits())
    shown = run_process(logging_actions(argv), cwd=tmp_path, limits=Limits())
    assert (plain.exit_code, plain.stdout) == (-11, "")
    assert (shown.exit_code, shown.stdout) == (128 + 11, "said\n")


def test_a_stripped_release_build_names_the_pattern() -> None:
    text = (Path(__file__).parents[2] / "corpus/opt" / "mlir-205233.mlir").read_text()
    command = Command.parse(["mlir-opt-22", "--convert-arith-to-spirv"])
    oracle = CompilerOracle(command, find_opt())
    found = oracle.culprit(text, oracle.run(text))
    assert found == Culprit("ConvertArithToSPIRVPass", "ExtUIPattern", "arith.extui")


def test_two_passes_that_leave_invalid_ir_are_two_bugs() -> None:
    """Either leaves a destroyed op with users, where the verifier crashes."""
    found = []
    for name, flag in (
        ("mlir-205231", "--scf-parallel-loop-specialization"),
        ("mlir-216218", "--test-scf-parallel-loop-collapsing=collapsed-indices-0=0,1"),
    ):
        text = (Path(__file__).parents[2] / "corpus/opt" / f"{name}.mlir").read_text()
        oracle = CompilerOracle(Command.parse(["mlir-opt-22", flag]), find_opt())
        found.append(oracle.run(text).signature.pass_name)
    assert found == ["SCFParallelLoopSpecialization", "TestSCFParallelLoopCollapsing"]


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("mlir-205231", "--scf-parallel-loop-specialization"),
        ("mlir-205706", "--sparsification=sparse-emit-strategy=sparse-iterator"),
        ("mlir-216218", "--test-scf-parallel-loop-collapsing=collapsed-indices-0=0,1"),
    ],
)
def test_the_verifier_of_several_functions_crashes_like_that_of_one(name: str, flag: str) -> None:
    """With several functions each is verified on a worker, whose stack does not show the pass."""
    text = (Path(__file__).parents[2] / "corpus/opt" / f"{name}.mlir").read_text()
    oracle = CompilerOracle(Command.parse(["mlir-opt-22", flag]), find_opt())
    alone = oracle.run(text).signature
    beside = oracle.run(f"{text}\nfunc.func @other() {{\n  return\n}}\n").signature
    assert alone.pass_name
    assert beside == alone


def test_the_pass_is_known_if_what_it_left_cannot_be_printed(tmp_path: Path) -> None:
    """The verifier crashes on it, and so does the logger, which prints the next op."""
    verifying = ["mlir::Type::getContext()", "mlir::verify(mlir::Operation*, bool)"]
    verifying.append("mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*)")
    logging = ["mlir::Operation::print()", "mlir::tracing::ActionLogger::beforeExecute()"]
    for name, functions in (("plain", verifying), ("logged", logging)):
        lines = [
            f" #{at} 0x00007fcb2287236{at} {one} A.cpp:0:0" for at, one in enumerate(functions)
        ]
        (tmp_path / name).write_text("\n".join(("Stack dump:", *lines, "")))
    (tmp_path / "log").write_text(LOG)
    script = tmp_path / "fake-opt"
    script.write_text(
        "#!/bin/sh\n"
        f"case $* in *log-actions*) cat {tmp_path}/log; cat {tmp_path}/logged >&2 ;; "
        f"*) cat {tmp_path}/plain >&2 ;; esac\nkill -SEGV $$\n"
    )
    script.chmod(0o755)
    oracle = CompilerOracle(Command.parse([str(script)]), script)
    assert oracle.run("module {}").signature.pass_name == "B"


def test_endless_recursion_is_known_by_its_pass() -> None:
    """The stack is full, so the signal handler cannot print it."""
    text = """
    func.func @f(%a: f8E5M2) -> f8E5M2 {
      %0 = math.log2 %a : f8E5M2
      return %0 : f8E5M2
    }
    """
    command = Command.parse(["mlir-opt-22", "--canonicalize", "--convert-math-to-spirv"])
    outcome = CompilerOracle(command, find_opt()).run(text)
    assert not outcome.stack
    assert outcome.signature.pass_name == "ConvertMathToSPIRVPass"
