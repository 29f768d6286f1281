"""Tools of MLIR's older releases, which `make tools` does not install."""

import threading
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits
from reducer.conversions import OptPrinter
from reducer.ir import Module
from reducer.locate.opt_tool import OptTool
from reducer.locate.pipeline import parse_pipeline
from tests.support.opt_tools import find_opt
from tests.support.pass_level import reduce_pass_level
from tests.support.silent import Silent

LIMITS = Limits(seconds=60, memory=8 << 30)
RELEASES = ("13", "14", "15", "16", "19", "22")
DEAD = {"13": "func private @f()\n", "14": "func private @f()\n"}
FUNC = {"13": "func", "14": "builtin.func"}


def opt_of(release: str) -> Path:
    return find_opt(f"mlir-opt-{release}")


def dead(release: str) -> str:
    """A module with a function that `symbol-dce` deletes."""
    return DEAD.get(release, "func.func private @f()\n")


@pytest.mark.parametrize("release", RELEASES)
def test_conversions(release: str) -> None:
    printer = OptPrinter(opt_of(release), LIMITS)
    generic = printer.generic(dead(release))
    assert generic is not None
    module = Module.parse(generic)
    assert module.op_count == 1
    assert printer.pretty(generic) is not None
    cleaned = printer.after_passes("builtin.module(symbol-dce)", generic)
    assert cleaned is not None
    assert Module.parse(cleaned).op_count == 0


@pytest.mark.parametrize("release", RELEASES)
def test_a_pipeline_runs_on_what_it_names(release: str) -> None:
    tool = OptTool(opt_of(release), limits=LIMITS, calls=10, seconds=60)
    name = FUNC.get(release, "func.func")
    nested = parse_pipeline(f"builtin.module({name}(cse))")
    assert tool.accepts(nested)
    assert tool.passes_of(tool.oracle(nested)) == ("cse",)
    assert not tool.accepts(parse_pipeline("builtin.module(no-such-pass)"))


def test_the_pass_of_an_old_release_is_named(tmp_path: Path) -> None:
    """`mlir-opt-14` prints no prefix, no numbers, and no resource in its crash reproducer."""
    opt = opt_of("14")
    text = (
        "func @f(%t: tensor<?x?xf32>) {\n"
        "  linalg.matmul ins(%t, %t : tensor<?x?xf32>, tensor<?x?xf32>) "
        "outs(%t : tensor<?x?xf32>) -> tensor<?x?xf32>\n  return\n}\n"
    )
    words = ["mlir-opt-14", "-symbol-dce", "-convert-linalg-to-llvm"]
    oracle = CompilerOracle(Command.parse(words), opt, limits=LIMITS)
    target = oracle.run(text).signature
    assert target.kind is Kind.VERIFIER
    found = reduce_pass_level(
        text,
        oracle=oracle,
        target=target,
        opt=opt,
        output=tmp_path / "out.mlir",
        listener=Silent(),
        stop=threading.Event(),
    )
    assert found is not None
    assert found.pass_name == "convert-linalg-to-llvm"
