"""Compiler versions are installed side by side, completely or not at all, and found by number.

Flags are spelled as each release spells them. Whatever is missing is named, with how to get it.

This file: what installed versions take on disk.
"""

from pathlib import Path

import pytest

from oracles.stacks.symbols import cache_file
from reducer.toolchain import Toolchain, disk_use, remove
from reducer.toolchain.model import package_folder, symbols_of


@pytest.fixture
def toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toolchain:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path))
    made = Toolchain("3.13.0", package_folder("iree-base-compiler", "3.13.0"))
    made.shared_library.parent.mkdir(parents=True)
    made.shared_library.write_bytes(b"x" * 10_000)
    return made


def test_the_package_alone(toolchain: Toolchain) -> None:
    use = disk_use(toolchain)
    assert use.compiler >= 10_000 and use.total == use.compiler
    assert use.runtime is None and use.symbols is None


def test_runtime_and_symbols_count_and_go_with_the_version(toolchain: Toolchain) -> None:
    runtime = package_folder("iree-base-runtime", "3.13.0")
    runtime.mkdir()
    (runtime / "iree-run-module").write_bytes(b"x" * 20_000)
    symbols = cache_file(toolchain.shared_library)
    symbols.parent.mkdir()
    symbols.write_bytes(b"x" * 5_000)
    assert symbols_of(toolchain) == symbols
    use = disk_use(toolchain)
    assert use.runtime is not None and use.runtime >= 20_000
    assert use.symbols is not None and use.symbols >= 5_000
    assert use.total == use.compiler + use.runtime + use.symbols
    assert remove("3.13.0")
    assert not symbols.exists() and not runtime.exists()


def test_a_folder_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path))
    root = package_folder("iree-base-compiler", "3.9.0")
    root.mkdir(parents=True)
    assert disk_use(Toolchain("3.9.0", root)).symbols is None
