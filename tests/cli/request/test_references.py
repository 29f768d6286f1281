"""Who is asked about wrong results."""

from pathlib import Path

import pytest

from oracles import Command
from reducer.cli.request import references
from reducer.miscompile.oracle import CompilerConfig
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
    assert references.without_runtime(plain) == ""
    found[1].run_module.unlink()
    assert [one.name for one in references.siblings_of(plain)] == ["the same command with 3.2.0"]
    assert references.without_runtime(plain).endswith("install 3.8.0 --runtime)")
    found[1].run_module.touch()
    optimized = candidate(tmp_path, "--iree-opt-level=O3")
    (first, *_) = references.siblings_of(optimized)
    assert isinstance(first, CompilerConfig) and first.executable == optimized.executable
    assert first.command.flags[-1] == "--iree-opt-level=O0"


def test_only_references_on_the_host_run_on_one_thread(tmp_path: Path) -> None:
    """What is compiled for a device runs on the device that the user has named."""
    flags = ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"]
    command = Command.parse(["iree-compile", *flags])
    on_device = CompilerConfig(
        "the command", command, tmp_path / "iree-compile", tmp_path / "run", "hip://1"
    )
    devices = {
        name: getattr(references.reference_of(name, on_device), "device", None)
        for name in ("flags:--iree-opt-level=O0", "vmvx", "llvm-cpu")
    }
    assert devices == {
        "flags:--iree-opt-level=O0": "hip://1",
        "vmvx": "local-sync",
        "llvm-cpu": "local-sync",
    }
