"""`mlir-reducer toolchain`"""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main

pytestmark = pytest.mark.usefixtures("nothing_installed")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_toolchain_with_one(tmp_path: Path) -> None:
    root = tmp_path / "cache" / "toolchains" / "iree-base-compiler-3.13.0"
    root.mkdir(parents=True)
    (root / "library").write_bytes(b"x" * 5_000)
    listed = run("toolchain", "list")
    head, line = listed.stdout.splitlines()
    assert head.split() == ["version", "size", "runtime", "symbols", "folder"]
    assert line.split() == ["3.13.0", "5.0", "KB", "-", "-", str(root)]
    assert listed.stderr == "1 version, 5.0 KB\n"
    for version in ([], ["newest"], ["3.13"]):
        path = run("toolchain", "path", *version).stdout.strip()
        assert path.startswith(str(root)) and path.endswith("iree-compile")
    assert run("toolchain", "path", "--tool", "iree-opt").stdout.strip().endswith("iree-opt")
    assert run("toolchain", "path", "--tool", "rm").exit_code == 69
    assert run("toolchain", "remove", "3.13.0").stderr == "removed 3.13.0 (5.0 KB)\n"
    assert not root.exists()


def test_toolchain_removes_several_or_none(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "toolchains"
    for version in ("3.8.0", "3.11.0", "3.13.0"):
        (folder / f"iree-base-compiler-{version}").mkdir(parents=True)
    refused = run("toolchain", "remove", "3.8.0", "3.9.0", "3.10.0")
    assert refused.exit_code == 69
    assert "versions 3.9.0, 3.10.0 are not installed" in refused.stderr
    assert len(list(folder.iterdir())) == 3
    done = run("toolchain", "remove", "3.8.0", "newest", "3.13")
    assert [line.split()[1] for line in done.stderr.splitlines()] == ["3.8.0", "3.13.0"]
    assert [path.name for path in folder.iterdir()] == ["iree-base-compiler-3.11.0"]
