"""The zip is the same for the same files, and small enough."""

import io
import os
import zipfile

from reducer.bundle.archive import too_large, zipped

FILES = {"report.md": b"# x\n", "repro.sh": b"#!/bin/sh\n", "files/a": b"a" * 100}


def test_the_same_files_give_the_same_bytes() -> None:
    backwards = dict(reversed(FILES.items()))
    assert zipped(FILES, "report-1") == zipped(backwards, "report-1")


def test_it_unpacks_into_one_folder_and_scripts_can_be_run() -> None:
    with zipfile.ZipFile(io.BytesIO(zipped(FILES, "report-1"))) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["report-1/files/a", "report-1/report.md", "report-1/repro.sh"]
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
        assert modes["report-1/repro.sh"] == 0o755
        assert modes["report-1/report.md"] == 0o644
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_largest_go_first_where_there_is_no_room() -> None:
    files = {name: os.urandom(size) for name, size in [("a", 3000), ("b", 9000), ("c", 7000)]}
    assert too_large(files, frozenset(), 25_000) == []
    assert too_large(files, frozenset(), 12_000) == ["b"]
    assert too_large(files, frozenset(), 5_000) == ["b", "c"]
    assert too_large(files, frozenset({"b"}), 13_000) == ["c"]
    assert too_large(files, frozenset(files), 5_000) == []
    left = {name: data for name, data in files.items() if name != "b"}
    assert len(zipped(left, "report-0123456789ab")) <= 12_000
