"""Find the `…-opt` tools of projects other than IREE. `make tools` installs them."""

import os
import shutil
from pathlib import Path

import pytest

MLIR_OPT = "mlir-opt-22"


def find_opt(name: str = MLIR_OPT) -> Path:
    """The tool; if missing, the test is skipped, or fails if the tools are required."""
    program = shutil.which(name)
    if program is None:
        if os.environ.get("MLIR_REDUCER_TOOLS") == "required":
            pytest.fail(f"there is no {name}")
        pytest.skip(f"there is no {name}; `make tools` installs it")
    return Path(program)
