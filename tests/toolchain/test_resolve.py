"""Which program the first word of a compiler command means."""

from pathlib import Path

import pytest

from reducer.toolchain import ToolchainError, resolve_executable
from reducer.toolchain.model import package_folder


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and the one folder on PATH."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def make_program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def make_toolchain(version: str) -> Path:
    root = package_folder("iree-base-compiler", version)
    for tool in ("iree-compile", "iree-opt"):
        make_program(root / "iree" / "compiler" / "_mlir_libs" / tool)
    return root


def test_a_version_overrides_name_and_path(path: Path) -> None:
    root = make_toolchain("3.9.0")
    make_toolchain("3.10.0")
    elsewhere = make_program(path / "iree-compile")
    for name in ("iree-compile", str(elsewhere)):
        assert resolve_executable(name, "3.9.0").is_relative_to(root)


def test_a_version_says_nothing_about_other_programs(path: Path) -> None:
    make_toolchain("3.9.0")
    script = make_program(path / "oracle.sh")
    assert resolve_executable("oracle.sh", "3.9.0") == script


def test_a_program_on_path_comes_before_installed_versions(path: Path) -> None:
    make_toolchain("3.9.0")
    program = make_program(path / "iree-opt")
    assert resolve_executable("iree-opt") == program


def test_without_one_on_path_the_newest_installed_version_serves() -> None:
    make_toolchain("3.9.0")
    newest = make_toolchain("3.10.0")
    assert resolve_executable("iree-opt").is_relative_to(newest)


def test_an_entry_point_stands_for_the_native_program_behind_it(path: Path) -> None:
    entry = make_program(path / "iree-compile")
    packages = path.parent / "lib" / "python3.11" / "site-packages"
    native = make_program(packages / "iree" / "compiler" / "_mlir_libs" / "iree-compile")
    assert resolve_executable("iree-compile") == native
    assert resolve_executable(str(entry)) == native


def test_a_path_is_taken_as_it_is_and_made_absolute(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = make_program(path / "my-compiler")
    monkeypatch.chdir(path.parent)
    assert resolve_executable("bin/my-compiler") == program


def test_a_missing_compiler_says_how_to_get_one() -> None:
    with pytest.raises(ToolchainError, match="mlir-reducer toolchain install newest"):
        resolve_executable("iree-compile")


@pytest.mark.parametrize("name", ["no-such-program", "./no-such-program", ""])
def test_a_missing_program_is_named(name: str) -> None:
    with pytest.raises(ToolchainError, match=f"'{name}'"):
        resolve_executable(name)
