"""Carved parts of a real model, at every phase of a real compiler, pass its verifier."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Limits
from oracles.run.run_process import run_process
from reducer.conversions import OptPrinter
from reducer.ir import Module
from reducer.toolchain import Toolchain
from reducer.transformations import BodyOps, BoundaryTypes, carve
from tests.support.corpus import Case
from tests.support.in_process import output_of
from tests.support.wellformed import problems

pytestmark = pytest.mark.iree

WINDOWS = (1, 4, 40)


def phases(text: str, toolchain: Toolchain, folder: Path) -> list[Path]:
    """The module after each phase up to configured executables."""
    (folder / "model.mlir").write_text(text)
    words = [
        str(toolchain.compile), "model.mlir", "--iree-hal-target-device=hip",
        "--iree-rocm-target=gfx942", "--compile-to=executable-configurations",
        "--dump-compilation-phases-to=.", "-o", "last.mlir",
    ]  # fmt: skip
    assert run_process(words, cwd=folder, limits=Limits(120)).exit_code == 0
    return [folder / "model.mlir", *sorted(folder.glob("module.*.mlir"))]


def test_every_carved_module_verifies(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    toolchain = iree_toolchain()
    normaliser = OptPrinter(toolchain.opt, Limits(60.0))
    rng = random.Random(0)
    files = phases(corpus("ds_real1_dyn").input_text(), toolchain, tmp_path)
    assert len(files) >= 9
    for path in files:
        generic = normaliser.generic(path.read_text())
        assert generic is not None
        module = Module.parse(generic)
        body = BodyOps.of(module)
        for size in WINDOWS:
            first = rng.randrange(max(1, len(body.ops) - size))
            text = carve(body, body.ops[first : first + size], BoundaryTypes.of(module))
            assert problems(Module.parse(text)) == []
            assert output_of(toolchain.opt, text), f"{path.name} [{first}, +{size}]"
