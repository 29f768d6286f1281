"""A program is called wrong only by somebody who can be believed, and by others than its compiler.

Who judges is decided once, on the input. What nobody can tell is undecided, never wrong.

This file: real wrong results of real compilers, each with a suitable reference.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Command, Kind, Limits
from reducer.miscompile.oracle import (
    Comparison,
    CompilerConfig,
    Poisoned,
    PythonReference,
    ValuesOracle,
    with_backend,
)
from reducer.toolchain import Toolchain, install
from tests.support.corpus import load_case

pytestmark = [pytest.mark.iree, pytest.mark.timeout(900)]

OTHER_RELEASE = "3.8.0"
STABLE = """
import numpy as np

def stable_sort(keys: "8xf32", values: "8xi32"):
    order = np.argsort(keys, kind="stable")
    return keys[order], values[order]
"""

LEADING_ZEROS = """
func.func @f(%a: tensor<4xi8>) -> tensor<4xi8> {
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<4xi8>) outs(%a : tensor<4xi8>) {
  ^bb0(%x: i8, %o: i8):
    %n = math.ctlz %x : i8
    linalg.yield %n : i8
  } -> tensor<4xi8>
  return %r : tensor<4xi8>
}
"""
"""As in `mis-ctlz-i8-vmvx`, but with no argument that is not used: on those 3.8.0 crashes."""

UNDEFINED = """
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
"""


def side(toolchain: Toolchain, *flags: str, name: str = "side") -> CompilerConfig:
    command = Command.parse(["iree-compile", *flags])
    return CompilerConfig(name, command, toolchain.compile, toolchain.run_module)


def expert(name: str) -> str:
    return (load_case(name).folder / "expert.mlir").read_text()


def judge(comparison: Comparison, text: str) -> Kind:
    return ValuesOracle(comparison, text, limits=Limits(300)).run(text).kind


@pytest.mark.parametrize(
    ("case", "backend", "other"),
    [("mis-ctlz-i8-vmvx", "vmvx", "llvm-cpu"), ("mis-powf-negative-base", "llvm-cpu", "vmvx")],
)
def test_backends_disagree_if_nobody_else_is_asked(
    case: str, backend: str, other: str, iree_toolchain: Callable[..., Toolchain]
) -> None:
    wrong = side(install(iree_toolchain().version, runtime=True))
    wrong = replace(wrong, command=with_backend(wrong.command, backend))
    right = replace(wrong, command=with_backend(wrong.command, other), name="right")
    assert judge(Comparison(wrong, right, witnesses=(Poisoned(right),)), expert(case)) is (
        Kind.DISAGREEMENT
    )
    named = Comparison(wrong, right, witnesses=(Poisoned(right),), named=True)
    assert judge(named, expert(case)) is Kind.MISCOMPILE
    assert judge(Comparison(right, right), expert(case)) is Kind.SUCCESS


def test_a_function_in_python_judges_the_input_only(
    tmp_path: Path, iree_toolchain: Callable[..., Toolchain]
) -> None:
    """Both backends share the defect, so nothing that moves with the program can judge it."""
    pytest.importorskip("numpy")
    file = tmp_path / "reference.py"
    file.write_text(STABLE)
    wrong = side(
        install(iree_toolchain().version, runtime=True), "--iree-hal-target-backends=llvm-cpu"
    )
    vmvx = replace(wrong, name="vmvx", command=with_backend(wrong.command, "vmvx"))
    stable = PythonReference(file, "stable_sort", sys.executable)
    text = expert("mis-stable-sort")
    oracle = ValuesOracle(Comparison(wrong, vmvx, fixed=(stable,)), text, limits=Limits(300))
    assert oracle.run(text).kind is Kind.MISCOMPILE
    assert oracle.objection() == "wrong as well, with the same wrong results: vmvx"
    candidate = text.replace("@f", "@f_again")
    assert oracle.run(candidate).kind is Kind.UNDECIDED, "the function says nothing about it"


def test_a_module_that_reads_uninitialised_memory_is_not_wrong(
    iree_toolchain: Callable[..., Toolchain],
) -> None:
    toolchain = install(iree_toolchain().version, runtime=True)
    cpu = side(toolchain, "--iree-hal-target-backends=llvm-cpu")
    vmvx = side(toolchain, "--iree-hal-target-backends=vmvx", name="vmvx")
    comparison = Comparison(cpu, vmvx, witnesses=(Poisoned(vmvx),))
    assert judge(comparison, UNDEFINED) is Kind.UNDECIDED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("backend", "kind"), [("vmvx", Kind.MISCOMPILE), ("llvm-cpu", Kind.SUCCESS)]
)
def test_another_release_is_right(
    backend: str, kind: Kind, iree_toolchain: Callable[..., Toolchain]
) -> None:
    """The benchmark of the corpus also uses a later one, for a failure that no new release has."""
    flag = "--iree-hal-target-backends=llvm-cpu"
    asked = side(install(iree_toolchain().version, runtime=True), flag)
    asked = replace(asked, command=with_backend(asked.command, backend))
    right = side(install(OTHER_RELEASE, runtime=True), flag, name=OTHER_RELEASE)
    comparison = Comparison(asked, right, witnesses=(Poisoned(right),), named=True)
    assert judge(comparison, LEADING_ZEROS) is kind
