"""What `make release` builds, twice, and what it would refuse."""

import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

pytest.importorskip("hatchling")
import release

ROOT = release.ROOT


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[list[Path]]]:
    """Two builds of the last commit: other folders, times and permissions."""
    place = tmp_path_factory.mktemp("builds")
    yield [release.build(ROOT, place / name, mask) for name, mask in release._PLACES]


def test_two_builds_have_the_same_bytes(built: list[list[Path]]) -> None:
    first, second = built
    assert [path.suffix for path in first] == [".whl", ".gz"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_times_are_those_of_the_commit(built: list[list[Path]]) -> None:
    committed = int(release._git("log", "-1", "--format=%ct"))
    with tarfile.open(built[0][1]) as sdist:
        assert {member.mtime for member in sdist if member.isfile()} == {committed}


def test_the_files_hold_what_is_committed(built: list[list[Path]]) -> None:
    release.check_contents(ROOT, built[0])


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("reducer/stray.py", b"", r"differs from the commit: \['reducer/stray.py'\]"),
        ("oracles/base.py", b"# SPDX-License-Identifier: MIT\n", "license of its own"),
        ("X.dist-info/licenses/LICENSE", b"mine", "lacks the license"),
        ("X.dist-info/METADATA", b"Version: 9\nLicense-Expression: X\n\n![a](b.svg)", "'b.svg'"),
    ],
)
def test_a_wheel_with_anything_else_is_refused(
    built: list[list[Path]], tmp_path: Path, name: str, data: bytes, said: str
) -> None:
    wheel = tmp_path / "changed.whl"
    with ZipFile(built[0][0]) as old, ZipFile(wheel, "w") as new:
        for member in old.namelist():
            if not member.endswith(name.rpartition("X.dist-info")[2]):
                new.writestr(member, old.read(member))
        new.writestr(name, data)
    with pytest.raises(SystemExit, match=said):
        release.check_contents(ROOT, [wheel])


def test_a_file_that_is_missing_is_noticed(built: list[list[Path]], tmp_path: Path) -> None:
    wheel = tmp_path / "changed.whl"
    with ZipFile(built[0][0]) as old, ZipFile(wheel, "w") as new:
        for member in old.namelist():
            if member != "reducer/py.typed":
                new.writestr(member, old.read(member))
    with pytest.raises(SystemExit, match=r"reducer/py\.typed"):
        release.check_contents(ROOT, [wheel])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "reducer").mkdir()
    for name in ("CHANGELOG.md", release.VERSION_FILE, "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_entry_has_what_was_unreleased_once(tree: Path) -> None:
    before = (tree / "CHANGELOG.md").read_text(encoding="utf-8")
    release.write_entry(tree, "7.8.9", "2030-01-02")
    after = (tree / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = "## Unreleased\n\n## 7.8.9 - 2030-01-02\n"
    assert after == before.replace("## Unreleased\n", heading, 1)
    assert release.current_version(tree) == "7.8.9"
    with pytest.raises(SystemExit, match="nothing under Unreleased"):
        release.write_entry(tree, "7.9.0", "2030-01-02")


def test_a_version_has_one_entry(tree: Path) -> None:
    with pytest.raises(SystemExit, match=r"an entry for 0\.1\.0"):
        release.write_entry(tree, "0.1.0", "2030-01-02")


def test_the_version_is_in_one_place() -> None:
    version = release.current_version(ROOT)
    assigned = subprocess.run(
        ["git", "grep", "-lE", rf"version(__)? *= *\"{version}\"", "--", "*.py", "*.toml"],
        cwd=ROOT, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert assigned == [release.VERSION_FILE]


def test_what_only_people_can_decide_is_said(tree: Path) -> None:
    assert any("Source" in what for what in release.left_to_do(tree))
    with (tree / "pyproject.toml").open("a", encoding="utf-8") as stream:
        stream.write('[project.urls]\nSource = "https://example.org/r"\n')
    assert release.left_to_do(tree) == []


def test_supported_pythons_are_those_of_the_package() -> None:
    assert release.supported_pythons(ROOT)[0] == "3.11"
