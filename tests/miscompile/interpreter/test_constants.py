"""Weights from an archive of parameters, as the runtime's own tool writes it."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from oracles.compilers.command import resolve_binary, sibling_tool
from reducer.miscompile.interpreter.constants import ParameterArchives
from reducer.miscompile.interpreter.errors import Unsupported
from reducer.toolchain import Toolchain, install
from tests.support.evaluating import functions

pytestmark = pytest.mark.iree

TEXT = """
util.global private @a = #flow.parameter.named<"model"::"layer.weight"> : tensor<4x2xf32>
util.global private @b = #flow.parameter.named<"model"::"ids"> : tensor<3xi32>
util.func @f() -> (tensor<4x2xf32>, tensor<3xi32>) {
  %a = util.global.load @a : tensor<4x2xf32>
  %b = util.global.load @b : tensor<3xi32>
  util.return %a, %b : tensor<4x2xf32>, tensor<3xi32>
}
"""


@pytest.fixture
def archive(iree_toolchain: Callable[..., Toolchain], tmp_path: Path) -> Path:
    run_module = install(iree_toolchain().version, runtime=True).run_module
    tool = sibling_tool(resolve_binary(run_module), "iree-create-parameters")
    assert tool is not None
    path = tmp_path / "weights.irpa"
    words = [tool, "--splat=layer.weight=4x2xf32=1.5", "--data=ids=3xi32", f"--output={path}"]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    start = re.search(r"(\d+) \| +\d+ \| +12 \| `ids`", printed)
    assert start is not None
    with path.open("r+b") as file:
        file.seek(int(start[1]))
        file.write(np.array([7, 8, -9], np.int32).tobytes())
    return path


def test_constants_may_be_in_an_archive(
    iree_toolchain: Callable[..., Toolchain], archive: Path
) -> None:
    module = functions(iree_toolchain(), TEXT)
    module.program.parameters = ParameterArchives([f"model={archive}"])
    weights, ids = module.all("f")
    np.testing.assert_array_equal(weights, np.full((4, 2), 1.5))
    assert ids.tolist() == [7, 8, -9]


def test_what_is_not_in_an_archive_is_named(
    iree_toolchain: Callable[..., Toolchain], archive: Path
) -> None:
    module = functions(iree_toolchain(), TEXT)
    module.program.parameters = ParameterArchives([f"other={archive}"])
    with pytest.raises(Unsupported, match=r"parameter model::layer\.weight, which no archive has"):
        module.all("f")


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(b"something else")
    with pytest.raises(Unsupported, match=r"parameter file weights\.safetensors"):
        ParameterArchives([str(path)])
