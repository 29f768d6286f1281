"""Edits of bodies, calls and types on real IR yield modules that a real verifier accepts."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Limits, run_process
from reducer.conversions import OptPrinter
from reducer.ir import Module
from reducer.toolchain import Toolchain
from reducer.transformations import BoundaryTypes, Transformation
from reducer.transformations.constant_data import SplatConstants
from reducer.transformations.encodings import DropEncodings
from reducer.transformations.forward import ForwardOperand
from reducer.transformations.inline_calls import InlineCalls
from reducer.transformations.unwrap import UnwrapBodies
from reducer.transformations.yields import YieldOthers
from tests.support.sides import TIED

pytestmark = pytest.mark.iree

ABI = BoundaryTypes(frozenset())
TRANSFORMATIONS: list[Transformation[Module]] = [
    InlineCalls(),
    SplatConstants(),
    UnwrapBodies(ABI),
    YieldOthers(),
    TIED["drop carried values"],
    ForwardOperand(ABI),
    TIED["drop structured operands"],
    DropEncodings(),
    TIED["merge arguments"],
]
PROGRAM = Path(__file__).with_name("bodies.mlir").read_text()


@pytest.mark.parametrize("transformation", TRANSFORMATIONS, ids=lambda t: t.name)
def test_every_site_gives_valid_ir(
    transformation: Transformation[Module],
    iree_toolchain: Callable[..., Toolchain],
    tmp_path: Path,
) -> None:
    opt = iree_toolchain().opt
    module = Module.parse(OptPrinter(opt, Limits(60.0)).generic(PROGRAM) or "")
    sites = transformation.sites(module)
    assert sites
    choices = [sites, *([site] for site in sites)]
    texts = [text for chosen in choices if (text := transformation.apply(module, chosen))]
    (tmp_path / "all.mlir").write_text("// -----\n".join(texts))
    argv = [str(opt), "--split-input-file", "all.mlir", "-o", "/dev/null"]
    result = run_process(argv, cwd=tmp_path, limits=Limits(60.0))
    assert result.exit_code == 0, result.stderr
