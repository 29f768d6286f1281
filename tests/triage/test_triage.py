from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from reducer.toolchain import Toolchain
from reducer.triage import BugState, FlagsLine, find_compiler
from tests.support.corpus import Case
from tests.support.fake_compilers import write_script
from tests.support.triages import OPTIONS, triaged, triaged_by, write_all

SORT = replace(OPTIONS, reduce=False)
HIP = "--iree-hal-target-device=hip", "--iree-hip-target=gfx942"
"""The flags as spelled before release 3.12."""
RESHAPE = """\
func.func @f(%x: tensor<?x?xf32>, %s: tensor<3xindex>) -> tensor<3x?x?xf32> {
  %r = tensor.reshape %x(%s) : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<3x?x?xf32>
  return %r : tensor<3x?x?xf32>
}
"""
"""With fewer dims it would crash 3.13.0 too, which is another bug; the size 3 is the rank."""
GOOD = "func.func @f() {\n  return\n}\n"


@pytest.mark.iree
def test_inputs_of_one_bug_share_a_bucket_and_a_reproducer(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    text = (corpus("cat-zero-width").folder / "expert.mlir").read_text()
    write_all(tmp_path, {"a.mlir": text, "b.mlir": text.replace("@", "@x_"), "ok.mlir": GOOD})
    version = iree_toolchain().version
    summary = triaged(tmp_path, (version,), FlagsLine(()))
    (bug,) = summary.bugs
    assert bug.state is BugState.NEW
    assert bug.paths == ["a.mlir", "b.mlir"]
    assert bug.reproducer is not None
    assert bug.reproducer.minimal
    assert "torch.aten.cat" in bug.reproducer.text
    again = triaged(tmp_path, (version,), FlagsLine(()))
    assert (again.compiler_runs, again.calls) == (0, 0)
    assert [one.state for one in again.bugs] == [BugState.KNOWN]


def test_an_input_of_comments_may_show_a_bug(tmp_path: Path) -> None:
    """One that an empty module has as well is none of the input's."""
    fails = "grep -q unexpected $1 && echo 'error: not as expected' >&2 && exit 1\n"
    script = write_script(tmp_path / "t", f"{fails}test -s $1\n")
    files: dict[str, str | bytes] = {"a.mlir": "// unexpected\n", "b.mlir": "// nothing\n"}
    compiler = find_compiler(str(script), None)
    write_all(tmp_path / "in", files)
    summary = triaged_by(tmp_path / "in", (compiler,), FlagsLine(()))
    (bug,) = summary.bugs
    assert bug.paths == ["a.mlir"]
    assert not summary.unread
    script.write_text(f"#!/bin/sh\n{fails}grep -q func $1 || exit 3\n")
    again = triaged_by(tmp_path / "in", (find_compiler(str(script), None),), FlagsLine(()))
    assert [one.paths for one in again.bugs if one.cells] == [["a.mlir"]]
    assert list(again.unread) == ["b.mlir"]
    assert "an empty module fails the same way: " in again.unread["b.mlir"]


@pytest.mark.iree
@pytest.mark.slow
def test_one_bug_with_two_messages_is_merged(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    versions = "3.8.0", "3.13.0"
    for version in versions:
        iree_toolchain(version)
    elsewhere = (corpus("complex-dot2-hip-segv").folder / "expert.mlir").read_text()
    write_all(tmp_path, {"reshape.mlir": RESHAPE, "complex-dot2-hip-segv.mlir": elsewhere})
    summary = triaged(tmp_path, versions, FlagsLine((), ("reshape*",)))
    (bug,) = summary.bugs
    assert {member.kind for member in bug.group.members} == {"crash", "verifier"}
    (reason,) = [member.reason for member in bug.group.members if member.reason]
    assert "the same program" in reason
    assert summary.unmatched == ["complex-dot2-hip-segv.mlir"]


@pytest.mark.iree
@pytest.mark.slow
def test_the_reproducer_compiles_where_its_input_does(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    """A matvec would print the same message on 3.3.0 as well, and have been there all along."""
    versions = "3.3.0", "3.13.0"
    for version in versions:
        iree_toolchain(version)
    text = (corpus("matmul-f8-mixed-contract").folder / "expert.mlir").read_text()
    write_all(tmp_path, {"matmul.mlir": text})
    summary = triaged(tmp_path, versions, FlagsLine(()), common=HIP)
    (bug,) = summary.bugs
    assert bug.reproducer is not None
    assert bug.reproducer.minimal
    assert bug.extent.since == "a release after 3.3.0, up to 3.13.0"


@pytest.mark.iree
@pytest.mark.slow
def test_a_newer_release_fixes_a_bug(
    iree_toolchain: Callable[..., Toolchain], corpus: Callable[[str], Case], tmp_path: Path
) -> None:
    for version in ("3.3.0", "3.13.0"):
        iree_toolchain(version)
    text = (corpus("seed-20581a-gather-subview").folder / "expert.mlir").read_text()
    write_all(tmp_path, {"gather.mlir": text})
    states = []
    for versions in (("3.3.0",), ("3.3.0", "3.13.0")):
        summary = triaged(tmp_path, versions, FlagsLine(()), common=HIP, options=SORT)
        states.append([(bug.state, bug.fixed_in) for bug in summary.bugs])
    assert states == [[(BugState.NEW, None)], [(BugState.FIXED, "3.13.0")]]
