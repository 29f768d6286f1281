"""Crashes of a stripped compiler: MLIR's own `mlir-opt` as Debian builds it, with a shared libMLIR.

The programs are from public issues of llvm-project.
"""

import subprocess
from pathlib import Path

from oracles.compilers.command import Command
from oracles.compilers.compiler import CompilerOracle
from oracles.stacks.frames import is_offset
from reducer.report.facts import ReproCheck
from reducer.report.gathering import gather
from reducer.report.patterns import crash_trace_of
from reducer.report.repro_script import repro_script
from reducer.report.writing import make_bundle
from tests.support.opt_tools import find_opt

WIDER = """
func.func @f(%x: tensor<8xi8>) {
  %0 = arith.extui %x : tensor<8xi8> to tensor<8xi32>
  return
}
"""
NARROWER = """
func.func @f(%x: tensor<8xi32>) {
  %0 = arith.trunci %x : tensor<8xi32> to tensor<8xi8>
  return
}
"""
LIVENESS = """
func.func @f(%c: i1, %x: memref<2xf32>, %y: memref<2xf32>) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%x : memref<2xf32>)
^bb2:
  %alloc = memref.alloc() : memref<2xf32>
  memref.copy %x, %alloc : memref<2xf32> to memref<2xf32>
  memref.dealloc %alloc : memref<2xf32>
  cf.br ^bb3(%alloc : memref<2xf32>)
^bb3(%0: memref<2xf32>):
  memref.copy %0, %y : memref<2xf32> to memref<2xf32>
  return
}
"""
EMPTY = "func.func @empty() { return }"


def oracle(*flags: str) -> CompilerOracle:
    tool = find_opt()
    return CompilerOracle(Command.parse([str(tool), *flags]), tool)


def test_a_function_without_a_name_identifies_a_crash() -> None:
    """`Operation::isProperAncestor` is called from everywhere; only the pass tells the bug."""
    signature = oracle("-optimize-allocation-liveness").run(LIVENESS).signature
    assert signature.frames[0] == "mlir::Operation::isProperAncestor"
    assert list(map(is_offset, signature.frames)) == [False, True]
    assert "libMLIR" in signature.frames[1]


def test_a_worker_crashes_like_the_main_thread() -> None:
    """With two functions, MLIR uses workers."""
    alone = oracle("-optimize-allocation-liveness", "--mlir-disable-threading").run(LIVENESS)
    two = oracle("-optimize-allocation-liveness").run(LIVENESS + EMPTY)
    assert alone.signature == two.signature


def test_two_patterns_that_crash_in_the_same_named_functions_are_two_bugs() -> None:
    """Both build an op (`BitwiseAndOp::create`). No name is made up for what lies between two
    exported functions.
    """
    wider = oracle("-convert-arith-to-spirv").run(WIDER).signature
    narrower = oracle("-convert-arith-to-spirv").run(NARROWER).signature
    assert [*map(is_offset, wider.frames)] == [*map(is_offset, narrower.frames)] == [True]
    assert wider.bucket != narrower.bucket


def test_a_script_of_one_does_not_accept_the_other(tmp_path: Path) -> None:
    run = oracle("-convert-arith-to-spirv").run(WIDER)
    check = ReproCheck(
        (str(find_opt()), "-convert-arith-to-spirv", "repro.mlir"),
        run.exit_code or 0,
        crash_trace=crash_trace_of(run.stderr, run.signature.frames),
    )
    (tmp_path / "repro.sh").write_text(repro_script(check, run.signature.text))
    found = []
    for program in (WIDER, NARROWER):
        (tmp_path / "repro.mlir").write_text(program)
        done = subprocess.run(["sh", "repro.sh"], cwd=tmp_path, capture_output=True, check=False)
        found.append(done.returncode)
    assert found == [0, 2]


def test_a_launcher_before_the_compiler_leaves_it_known(tmp_path: Path) -> None:
    words = ["setarch", "-R", "env", "A=b", "timeout", "60", str(find_opt())]
    command = Command.parse([*words, "-convert-arith-to-spirv"])
    assert command.launcher == tuple(words[:-1])
    launched = CompilerOracle(command, find_opt())
    plain = oracle("-convert-arith-to-spirv")
    assert launched.run(WIDER).signature == plain.run(WIDER).signature
    assert launched.verifying_command() == plain.verifying_command()
    facts = gather(WIDER, launched, opt=find_opt())
    make_bundle(facts, tmp_path / "report", executable=find_opt())
    done = subprocess.run(["sh", "repro.sh"], cwd=tmp_path / "report", check=False)
    assert done.returncode == 0
    assert facts.command[:4] == ("setarch", "-R", "env", "A=b")
