"""Failures that depend on the source locations of ops."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reducer.driver.stages import finishing
from reducer.ir import Module
from reducer.toolchain import Toolchain
from tests.driver.test_table import context_of
from tests.support.in_process import Programs, output_of, passing_on
from tests.support.predicate import PredicateOracle
from tests.support.stages import search

LAYERS = """\
func.func @main(%a: f32 loc("weight")) -> f32 {
  %0 = "t.first"(%a) : (f32) -> f32 loc("layer 1 (of 3)")
  %1 = "t.other"(%0) : (f32) -> f32 loc(callsite("layer 2" at "model"))
  %2 = "t.last"(%1) {number = 3 : i32} : (f32) -> f32 loc("layer 3")
  return %2 : f32
}
"""


@pytest.mark.iree
def test_what_fails_only_with_locations_keeps_those_that_it_needs(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    opt = iree_toolchain().opt

    def fails(text: str) -> bool:
        return re.search(r'"t\.last"[^\n]* loc\("layer 3"\)', _located(opt, text)) is not None

    context, notes = context_of(PredicateOracle(fails), tmp_path, text=LAYERS, opt=opt)
    search(context)
    finishing.print_for_people(context)
    context.judging.full.close()
    assert "the failure needs source locations, so they are kept" in notes
    assert isinstance(context.program.document, Module)
    assert context.found.printed.readable.count("loc(") == 1
    assert (
        "t.other" not in context.found.printed.readable
        and "number" not in context.found.printed.readable
    )
    assert (
        '"t.last"' in context.found.printed.readable
        and 'loc("layer 3")' in context.found.printed.readable
    )
    assert fails(context.found.printed.readable)


@pytest.mark.iree
def test_what_fails_without_locations_loses_them(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with a tool that prints them unasked, behind the ops and in labels."""
    located = passing_on(iree_toolchain().opt, "--mlir-print-debuginfo")
    tool = Programs(monkeypatch).add(tmp_path / "always-located-opt", located)
    context, _ = context_of(
        PredicateOracle(lambda text: "t.last" in text and bool(_located(tool, text))),
        tmp_path,
        text=LAYERS,
        opt=tool,
    )
    search(context)
    finishing.print_for_people(context)
    context.judging.full.close()
    assert isinstance(context.program.document, Module)
    assert context.program.document.op_count <= 3
    assert "loc(" not in context.found.printed.readable


def _located(opt: Path, text: str) -> str:
    """The program in generic form with a location after each op; '' if it is not valid."""
    flags = ["--allow-unregistered-dialect", "--mlir-print-op-generic", "--mlir-print-local-scope"]
    if opt.name == "iree-opt":
        flags.append("--mlir-print-debuginfo")
    return output_of(opt, text, *flags)
