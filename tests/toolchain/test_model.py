"""Versions live in folders of one cache, found by number."""

from pathlib import Path

import pytest

from reducer.toolchain import ToolchainError, find, installed, remove, toolchains_folder
from reducer.toolchain.model import package_folder


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path))
    return tmp_path


def pretend_installed(*versions: str) -> None:
    for version in versions:
        package_folder("iree-base-compiler", version).mkdir(parents=True)


def test_environment_variable_moves_the_cache(cache: Path) -> None:
    assert toolchains_folder() == cache / "toolchains"


def test_versions_are_ordered_as_numbers() -> None:
    pretend_installed("3.10.0", "3.9.0", "3.10.0rc20251101")
    versions = [toolchain.version for toolchain in installed()]
    assert versions == ["3.9.0", "3.10.0rc20251101", "3.10.0"]


def test_unfinished_and_foreign_folders_are_no_versions(cache: Path) -> None:
    for name in (".partial-iree-base-compiler-3.9.0", "iree-base-compiler-x", "notes"):
        (cache / "toolchains" / name).mkdir(parents=True)
    assert installed() == []


@pytest.mark.parametrize("spelling", ["3.13.0", "3.13", "v3.13.0", "newest"])
def test_a_version_may_be_spelled_in_several_ways(spelling: str) -> None:
    pretend_installed("3.9.0", "3.13.0")
    found = find(spelling)
    assert found is not None
    assert found.version == "3.13.0"


def test_nothing_is_found_in_an_empty_cache() -> None:
    assert find("3.13.0") is None
    assert find("newest") is None


def test_tools_are_the_native_ones() -> None:
    pretend_installed("3.9.0")
    toolchain = find("3.9.0")
    assert toolchain is not None
    libraries = toolchain.root / "iree" / "compiler" / "_mlir_libs"
    assert toolchain.compile == libraries / "iree-compile"
    assert toolchain.opt == libraries / "iree-opt"


def test_remove_takes_the_runtime_along(cache: Path) -> None:
    pretend_installed("3.9.0", "3.10.0")
    package_folder("iree-base-runtime", "3.9.0").mkdir()
    assert remove("3.9.0")
    assert [path.name for path in (cache / "toolchains").iterdir()] == ["iree-base-compiler-3.10.0"]
    assert not remove("3.9.0")


@pytest.mark.parametrize("text", ["", "three", "../3.9.0", "3.9.0/../..", "/"])
def test_only_a_version_becomes_part_of_a_path(text: str) -> None:
    for function in (find, remove):
        with pytest.raises(ToolchainError, match="is not a version"):
            function(text)
