"""Who is asked about wrong results."""

from pathlib import Path

import pytest

from oracles import Command
from oracles.values import CompilerConfig
from reducer.cli import references
from reducer.toolchain import Toolchain


class _Release(Toolchain):
    """A release with a runtime of its own."""

    @property
    def run_module(self) -> Path:
        return self.root / "run"


def candidate(folder: Path, *flags: str) -> CompilerConfig:
    command = Command.parse(["iree-compile", "--iree-hal-target-backends=llvm-cpu", *flags])
    return CompilerConfig("the command", command, folder / "iree-compile", folder / "run")


def test_the_same_command_is_run_without_optimizations_and_with_other_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [_Release(f"3.{n}.0", tmp_path / str(n)) for n in (2, 8)]
    for one in found:
        one.root.mkdir()
        one.run_module.touch()
    monkeypatch.setattr(references, "installed", lambda: found)
    plain = candidate(tmp_path, "--iree-llvmcpu-target-cpu=generic")
    (newer, older) = references.siblings_of(plain)
    assert [newer.name, older.name] == [f"the same command with 3.{n}.0" for n in (8, 2)]
    assert isinstance(older, CompilerConfig) and older.command == plain.command
    assert older.executable != plain.executable
    optimized = candidate(tmp_path, "--iree-opt-level=O3")
    (first, *_) = references.siblings_of(optimized)
    assert isinstance(first, CompilerConfig) and first.executable == optimized.executable
    assert first.command.flags[-1] == "--iree-opt-level=O0"
