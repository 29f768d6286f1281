"""A report's folder is replaced as a whole, and nothing else ever is."""

import os
from pathlib import Path

import pytest

from reducer.bundle.folder import check_folder, write_folder
from reducer.session.errors import OutputNotWritable

ONE = {"metadata.json": b"{}", "report.md": b"one", "files/x": b"x", "repro.sh": b"#!/bin/sh\n"}
TWO = {"metadata.json": b"{}", "report.md": b"two"}


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_newer_report_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    folder = tmp_path / "a.report"
    write_folder(folder, ONE)
    assert names(folder) == sorted(ONE)
    assert os.access(folder / "repro.sh", os.X_OK)
    write_folder(folder, TWO)
    assert names(folder) == sorted(TWO)
    assert [path.name for path in tmp_path.iterdir()] == ["a.report"]


def test_what_a_killed_run_left_is_cleared_away(tmp_path: Path) -> None:
    for left in (".a.report.tmp", ".a.report.old"):
        write_folder(tmp_path / left, ONE)
    write_folder(tmp_path / "a.report", TWO)
    assert [path.name for path in tmp_path.iterdir()] == ["a.report"]


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "me.jpg").write_text("x")
    with pytest.raises(OutputNotWritable, match="other files"):
        write_folder(folder, ONE)
    assert names(folder) == ["me.jpg"]


def test_neither_a_link_nor_a_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "file").write_text("x")
    for name in ("link", "file"):
        with pytest.raises(OutputNotWritable, match="in the way"):
            write_folder(tmp_path / name, ONE)
    assert not names(tmp_path / "elsewhere")


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(OutputNotWritable, match="no folder"):
        check_folder(tmp_path / "none" / "a.report")


def test_the_old_report_stays_where_the_new_one_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "a.report"
    write_folder(folder, ONE)
    with pytest.raises(OutputNotWritable):
        write_folder(folder, {**TWO, "n" * 300: b""})
    assert names(folder) == sorted(ONE)
    assert [path.name for path in tmp_path.iterdir()] == ["a.report"]
