"""Looking at the IR after a pass."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits
from oracles.ir_after import ir_after
from reducer.toolchain import Toolchain

ADD = """
func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {
  %c = arith.constant dense<0> : tensor<4xi32>
  %r = arith.addi %a, %c : tensor<4xi32>
  %s = arith.muli %r, %r : tensor<4xi32>
  return %s : tensor<4xi32>
}
"""


@pytest.fixture
def opt(iree_toolchain: Callable[..., Toolchain]) -> CompilerOracle:
    command = Command.parse(["iree-opt", "--cse", "--canonicalize"])
    return CompilerOracle(command, iree_toolchain().opt, limits=Limits(120))


@pytest.mark.iree
def test_only_the_ir_after_that_pass_counts(opt: CompilerOracle) -> None:
    found = ir_after(opt, "cse", r"arith\.addi").run(ADD)
    assert found.kind is Kind.MATCH
    assert found.signature.template == r"/arith\.addi/ after cse"
    assert ir_after(opt, "canonicalize", r"arith\.addi").run(ADD).kind is Kind.SUCCESS
    assert ir_after(opt, "canonicalize", r"arith\.muli").run(ADD).kind is Kind.MATCH


@pytest.mark.iree
def test_a_name_that_is_none_is_told(opt: CompilerOracle) -> None:
    (*_, unknown) = ir_after(opt, "nonsense", "x").run(ADD).diagnostics
    assert unknown.message == "nonsense: there is no pass with this argument name"
    (*_, unused) = ir_after(opt, "inline", "x").run(ADD).diagnostics
    assert unused.message == "inline: this pass did not run"


@pytest.mark.iree
def test_code_for_a_device_that_is_not_here(iree_toolchain: Callable[..., Toolchain]) -> None:
    flags = ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"]
    inner = CompilerOracle(
        Command.parse(["iree-compile", *flags]), iree_toolchain().compile, limits=Limits(280)
    )
    oracle = ir_after(inner, "iree-convert-to-rocdl", r"llvm\.mul %\w+, %\w+\s+: (?:vector|i32)")
    assert oracle.run(ADD).kind is Kind.MATCH
    assert oracle.display("x.mlir")[-5:-2] == [
        "--mlir-disable-threading",
        "--mlir-elide-elementsattrs-if-larger=64",
        "x.mlir",
    ]


def test_what_the_user_says_of_threads_stays(tmp_path: Path) -> None:
    command = Command.parse(["x-opt", "--mlir-disable-threading=false", "{}"])
    oracle = ir_after(CompilerOracle(command, tmp_path / "x-opt"), "cse", "x")
    assert oracle.display("a.mlir")[1:4] == [
        "--mlir-disable-threading=false",
        "--mlir-print-ir-after=cse",
        "--mlir-elide-elementsattrs-if-larger=64",
    ]
