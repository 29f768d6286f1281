"""The runtime that belongs to a compiler."""

from pathlib import Path

import pytest

from reducer.toolchain import ToolchainError, runtime_of
from reducer.toolchain.model import COMPILER_PACKAGE, RUNTIME_PACKAGE, package_folder

LIBRARIES = Path("iree", "compiler", "_mlir_libs", "iree-compile")


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))


def test_of_an_installed_version() -> None:
    compiler = program(package_folder(COMPILER_PACKAGE, "3.9.0") / LIBRARIES)
    runtime = package_folder(RUNTIME_PACKAGE, "3.9.0") / "iree/_runtime_libs/iree-run-module"
    assert runtime_of(compiler) == program(runtime)


def test_in_the_same_python_installation(tmp_path: Path) -> None:
    compiler = program(tmp_path / "site-packages" / LIBRARIES)
    runtime = program(tmp_path / "site-packages/iree/_runtime_libs/iree-run-module")
    assert runtime_of(compiler) == runtime


def test_in_the_same_build_folder(tmp_path: Path) -> None:
    runtime = program(tmp_path / "build/tools/iree-run-module")
    assert runtime_of(program(tmp_path / "build/tools/iree-compile")) == runtime


def test_on_path_or_nowhere(tmp_path: Path) -> None:
    compiler = program(tmp_path / "elsewhere/iree-compile")
    with pytest.raises(ToolchainError, match=r"install iree-base-runtime .* or use --iree VERSION"):
        runtime_of(compiler)
    runtime = program(tmp_path / "bin/iree-run-module")
    assert runtime_of(compiler) == runtime
