"""Edits of bodies, calls and types on real IR yield modules that a real verifier accepts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Limits, run_process
from reducer.conversions import OptPrinter
from reducer.ir import Module
from reducer.toolchain import Toolchain
from tests.support.transforming import TRANSFORMATIONS

pytestmark = pytest.mark.iree

NAMES = (
    "inline calls",
    "make constants splats",
    "unwrap bodies",
    "yield other values",
    "drop carried values",
    "forward operands",
    "drop structured operands",
    "drop encodings",
    "merge arguments",
)
PROGRAM = Path(__file__).with_name("bodies.mlir").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_site_gives_valid_ir(
    name: str,
    iree_toolchain: Callable[..., Toolchain],
    tmp_path: Path,
) -> None:
    transformation, opt = TRANSFORMATIONS[name], iree_toolchain().opt
    module = Module.parse(OptPrinter(opt, Limits(60.0)).generic(PROGRAM) or "")
    sites = transformation.sites(module)
    assert sites
    choices = [sites, *([site] for site in sites)]
    texts = [text for chosen in choices if (text := transformation.apply(module, chosen))]
    (tmp_path / "all.mlir").write_text("// -----\n".join(texts))
    argv = [str(opt), "--split-input-file", "all.mlir", "-o", "/dev/null"]
    result = run_process(argv, cwd=tmp_path, limits=Limits(60.0))
    assert result.exit_code == 0, result.stderr
