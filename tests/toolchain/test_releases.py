"""Real releases do what the rest of the project relies on."""

import subprocess
from collections.abc import Callable

import pytest

from reducer.toolchain import Toolchain
from tests.conftest import NEWEST_TESTED


@pytest.mark.iree
@pytest.mark.parametrize(
    "version",
    [
        NEWEST_TESTED,
        pytest.param("3.3.0", marks=pytest.mark.slow),
    ],
)
def test_tools_need_no_python_around_them(
    version: str, iree_toolchain: Callable[..., Toolchain]
) -> None:
    toolchain = iree_toolchain(version)
    assert toolchain.shared_library.is_file()
    for program, word in ((toolchain.compile, version), (toolchain.opt, "LLVM")):
        output = subprocess.check_output([program, "--version"], text=True, env={})
        assert word in output
