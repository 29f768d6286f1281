"""A compiler that says little, or points to the wrong place, costs calls but not the result."""

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


@pytest.fixture
def reduce(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> Callable[..., tuple[Report, str]]:
    """Reduces a case planted in a module, with the compiler's words edited by sed."""
    toolchain = iree_toolchain()

    def run(case: Case, edit: str) -> tuple[Report, str]:
        compiler = toolchain.compile
        if edit:
            compiler = tmp_path / "bin" / "iree-compile"
            compiler.parent.mkdir(exist_ok=True)
            compiler.write_text(WRAPPER.format(compiler=toolchain.compile, edit=edit))
            compiler.chmod(0o755)
            (compiler.parent / "iree-opt").unlink(missing_ok=True)
            (compiler.parent / "iree-opt").symlink_to(toolchain.opt)
        name = "edited" if edit else "plain"
        settings = Settings(
            input=tmp_path / "input.mlir",
            text=plant(case.input_text(), layers=12),
            output=tmp_path / f"{name}.mlir",
            journal=tmp_path / f"{name}.journal",
            opt=toolchain.opt,
        )
        command = Command.parse(["iree-compile", *case.runs[0].flags])
        oracle = CompilerOracle(command, compiler, limits=Limits(120.0, 8 << 30))
        report = Reduction(settings, oracle, Silent()).run()
        return report, report.text

    return run


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("seed-21014-topk-bufferize-40", WRONG_PLACE),
        ("seed-21014-topk-bufferize-40", NO_PLACE),
        ("matmul-k0-sigfpe", NO_STACK),
    ],
    ids=["wrong place", "no place", "no stack"],
)
def test_the_same_reproducer_in_the_end(
    name: str,
    edit: str,
    reduce: Callable[..., tuple[Report, str]],
    corpus: Callable[[str], Case],
) -> None:
    case = corpus(name)
    plain, wanted = reduce(case, "")
    edited, found = reduce(case, edit)
    assert found == wanted
    assert plain.verified and edited.verified
    assert edited.kind == plain.kind
    assert edited.signature.frames == () or edit != NO_STACK
