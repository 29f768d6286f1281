"""A compiler that prints little, or points to the wrong place, costs calls but not the result."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.plant import plant
from oracles import Command, CompilerOracle, Limits
from reducer.session import Reduction, Report, Settings
from reducer.toolchain import Toolchain
from tests.support.corpus import Case
from tests.support.silent import Silent

pytestmark = pytest.mark.iree

WRAPPER = """\
#!/bin/bash
# The real compiler; what it says on standard error is edited.
exec 3>&1
{compiler} "$@" 2>&1 >&3 | sed -E '{edit}' >&2
exit ${{PIPESTATUS[0]}}
"""

WRONG_PLACE = r"s/input\.mlir:[0-9]+:[0-9]+/input.mlir:5:10/"
NO_PLACE = r"s/input\.mlir:[0-9]+:[0-9]+/<unknown>:0/"
NO_STACK = r"/^ *#?[0-9]+[. ]|^Stack dump/d"


def reduce(case: Case, edit: str, toolchain: Toolchain, folder: Path) -> tuple[Report, str]:
    """Reduce a case planted in a module, with the compiler's output edited by sed."""
    compiler = toolchain.compile
    if edit:
        compiler = folder / "bin" / "iree-compile"
        compiler.parent.mkdir()
        compiler.write_text(WRAPPER.format(compiler=toolchain.compile, edit=edit))
        compiler.chmod(0o755)
        (compiler.parent / "iree-opt").symlink_to(toolchain.opt)
    settings = Settings(
        input=folder / "input.mlir",
        text=plant(case.input_text(), layers=12),
        output=folder / "out.mlir",
        journal=folder / "out.journal",
        opt=toolchain.opt,
    )
    command = Command.parse(["iree-compile", *case.runs[0].flags])
    oracle = CompilerOracle(command, compiler, limits=Limits(120.0, 8 << 30))
    report = Reduction(settings, oracle, Silent()).run()
    return report, report.text


@pytest.mark.parametrize(
    ("name", "edits"),
    [("cat-zero-width", [WRONG_PLACE, NO_PLACE]), ("matmul-k0-sigfpe", [NO_STACK])],
    ids=["place", "stack"],
)
def test_the_same_reproducer_in_the_end(
    name: str,
    edits: list[str],
    corpus: Callable[[str], Case],
    iree_toolchain: Callable[..., Toolchain],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    def run(edit: str) -> tuple[Report, str]:
        return reduce(corpus(name), edit, iree_toolchain(), tmp_path_factory.mktemp("reduction"))

    plain, wanted = run("")
    assert plain.verified
    for edit in edits:
        edited, found = run(edit)
        assert found == wanted
        assert edited.verified
        assert edited.failure.kind == plain.failure.kind
        assert edited.signature.frames == () or edit != NO_STACK
