"""What tests of commands start from: an input, a compiler that fails on it, and no other."""

from pathlib import Path

import pytest

from tests.support.fake_compilers import FAIL, program, write_script


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "in.mlir"
    path.write_text(program())
    return path


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    return write_script(tmp_path / "fake", FAIL)
