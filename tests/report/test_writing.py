"""Writing reports: reproducible and bounded archives, atomic folders, verification."""

import base64
import hashlib
import io
import json
import os
import random
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from oracles.signature.comparison import Landmarks
from reducer.errors import OutputNotWritable
from reducer.report import make_bundle
from reducer.report.facts import SCHEMA, ReproCheck
from reducer.report.patterns import CrashTrace
from reducer.report.writing import check_folder, too_large, write_folder, zipped
from reducer.storage.result_folder import archive_of
from reducer.storage.written import LIST, Written
from tests.report.facts import PROGRAM, facts
from tests.support.fake_compilers import FAIL, write_script

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


def test_the_largest_files_are_left_out_first() -> None:
    files = {name: os.urandom(size) for name, size in [("a", 3000), ("b", 9000), ("c", 7000)]}
    assert too_large(files, frozenset(), 25_000) == []
    assert too_large(files, frozenset(), 12_000) == ["b"]
    assert too_large(files, frozenset(), 5_000) == ["b", "c"]
    assert too_large(files, frozenset({"b"}), 13_000) == ["c"]
    assert too_large(files, frozenset(files), 5_000) == []
    left = {name: data for name, data in files.items() if name != "b"}
    assert len(zipped(left, "report-0123456789ab")) <= 12_000


ONE = {"metadata.json": b"{}", "report.md": b"one", "files/x": b"x", "repro.sh": b"#!/bin/sh\n"}
TWO = {"metadata.json": b"{}", "report.md": b"two"}


def names(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != LIST)
    return sorted(str(path.relative_to(folder)) for path in files)


def test_a_newer_report_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    folder = tmp_path / "a.report"
    write_folder(folder, ONE)
    assert names(folder) == sorted(ONE)
    assert os.access(folder / "repro.sh", os.X_OK)
    write_folder(folder, TWO)
    assert names(folder) == sorted(TWO)
    assert [path.name for path in tmp_path.iterdir()] == ["a.report"]


def test_what_a_killed_run_left_is_cleared_away(tmp_path: Path) -> None:
    write_folder(tmp_path / ".a.report.tmp", ONE)
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
        with pytest.raises(OutputNotWritable, match="not a report"):
            write_folder(tmp_path / name, ONE)
    assert not names(tmp_path / "elsewhere")


def test_what_a_person_added_or_changed_stays(tmp_path: Path) -> None:
    folder = tmp_path / "a.report"
    write_folder(folder, ONE)
    archive_of(folder).write_bytes(zipped(ONE, "report"))
    (folder / "note.txt").write_text("mine")
    write_folder(folder, TWO)
    assert names(folder) == sorted([*TWO, "note.txt"])
    Written(folder).remove_all()  # because the result is another one now
    assert names(folder) == ["note.txt"]
    write_folder(folder, TWO)
    (folder / "report.md").write_text("edited")
    with pytest.raises(OutputNotWritable, match=r"report\.md was not written by"):
        write_folder(folder, ONE)
    write_folder(folder, {"metadata.json": b"{}", "repro.sh": b""})
    assert names(folder) == ["metadata.json", "note.txt", "report.md", "repro.sh"]
    assert (folder / "report.md").read_text() == "edited"


@pytest.mark.parametrize("name", ["../far/mine", "link/mine"])
def test_a_list_from_elsewhere_deletes_nothing_elsewhere(tmp_path: Path, name: str) -> None:
    """Somebody else may have made the folder, and know what other files contain."""
    folder, mine = tmp_path / "a.report", tmp_path / "far" / "mine"
    mine.parent.mkdir()
    mine.write_text("mine")
    write_folder(folder, ONE)
    (folder / "link").symlink_to(mine.parent)
    digest = hashlib.sha256(b"mine").hexdigest()
    with (folder / LIST).open("a") as stream:
        stream.write(f"{digest}  {name}\n")
    write_folder(folder, TWO)
    Written(folder).remove_all()
    assert mine.exists()


def test_a_missing_parent_folder(tmp_path: Path) -> None:
    with pytest.raises(OutputNotWritable, match="folder does not exist"):
        check_folder(tmp_path / "none" / "a.report")


def test_a_failed_write_keeps_the_old_report(tmp_path: Path) -> None:
    folder = tmp_path / "a.report"
    write_folder(folder, ONE)
    with pytest.raises(OutputNotWritable):
        write_folder(folder, {**TWO, "n" * 300: b""})
    assert names(folder) == sorted(ONE)
    assert [path.name for path in tmp_path.iterdir()] == ["a.report"]


FILES_MAKING = {
    "metadata.json",
    "regression.lit.mlir",
    "report.md",
    "repro.mlir",
    "repro.sh",
}


@pytest.fixture
def compiler(tmp_path: Path) -> Path:
    stands_last = FAIL.replace("$input", "repro.mlir").replace("has x.bad", "grep -q x.bad *.mlir")
    return write_script(tmp_path / "iree-compile", stands_last)


def test_a_report_is_verified(tmp_path: Path, compiler: Path) -> None:
    bundle = make_bundle(facts(), tmp_path / "a.report", executable=compiler)
    assert bundle.verified
    assert set(names(bundle.folder)) == FILES_MAKING
    known = json.loads((bundle.folder / "metadata.json").read_text())
    assert (known["schema"], known["verified"]) == (SCHEMA, True)
    assert known["output"]["path"] == "repro.mlir"
    with zipfile.ZipFile(bundle.archive) as archive:
        assert {name.partition("/")[2] for name in archive.namelist()} == FILES_MAKING
        for name in archive.namelist():
            assert archive.read(name) == (bundle.folder / name.partition("/")[2]).read_bytes()


def test_the_same_facts_make_the_same_bytes(tmp_path: Path, compiler: Path) -> None:
    one = make_bundle(facts(), tmp_path / "one", executable=compiler).archive.read_bytes()
    two = make_bundle(facts(), tmp_path / "two", executable=compiler).archive.read_bytes()
    assert one == two


def test_an_unverified_report_says_so(tmp_path: Path) -> None:
    healthy = write_script(tmp_path / "iree-compile", "exit 0\n")
    bundle = make_bundle(facts(), tmp_path / "a.report", executable=healthy)
    assert (bundle.status, bundle.verified) == (1, False)
    assert "Not verified" in (bundle.folder / "report.md").read_text()


def test_comments_that_change_the_failure_are_left_out(tmp_path: Path) -> None:
    fussy = write_script(tmp_path / "iree-compile", 'grep -q "^//" repro.mlir && exit 0\n' + FAIL)
    fussy.write_text(fussy.read_text().replace("$input", "repro.mlir"))
    bundle = make_bundle(facts(), tmp_path / "a.report", executable=fussy)
    if bundle.verified:
        assert (bundle.folder / "repro.mlir").read_text() == PROGRAM


def test_files_that_are_too_large_are_not_in_the_archive(tmp_path: Path, compiler: Path) -> None:
    noise = base64.b64encode(random.Random(0).randbytes(25_500_000)).decode()
    bundle = make_bundle(facts(output=noise), tmp_path / "a.report", executable=compiler)
    assert bundle.left_out == ("output.txt",)
    assert bundle.archive.stat().st_size <= 25_000_000
    assert (bundle.folder / "output.txt").is_file()
    assert "`output.txt`" in (bundle.folder / "report.md").read_text()


def test_a_file_of_the_command_is_included(tmp_path: Path, compiler: Path) -> None:
    (tmp_path / "spec").write_text("x")
    carrying = replace(facts(), files={"spec": tmp_path / "spec"})
    bundle = make_bundle(carrying, tmp_path / "a.report", executable=compiler)
    assert (bundle.folder / "files" / "spec").read_text() == "x"


def test_a_stack_that_differs_between_runs_is_not_checked(tmp_path: Path) -> None:
    named = " #0 0x00007f0000000012 a::f() x.cpp:1"
    body = f"echo '{named}' >&2; kill -SEGV $$\n"
    crashes = write_script(tmp_path / "iree-compile", body)
    crash_trace = CrashTrace(Landmarks("a::f"), tuple(f"lib.so:00{n}" for n in range(6)))
    stack = "".join(f"{n}  lib.so 0x00007f000000000{n if n < 4 else 9}\n" for n in range(6))
    (tmp_path / "stack").write_text(stack)
    (tmp_path / "other").mkdir()
    wobbly = write_script(
        tmp_path / "other" / "iree-compile", f"cat '{tmp_path}/stack' >&2; kill -SEGV $$\n"
    )
    known = replace(
        facts(), check=ReproCheck(("iree-compile", "repro.mlir"), -11, crash_trace=crash_trace)
    )
    strict = make_bundle(known, tmp_path / "a.report", executable=crashes)
    assert strict.verified
    assert "\ndepth=6" in (strict.folder / "repro.sh").read_text()
    lenient = make_bundle(known, tmp_path / "b.report", executable=wobbly)
    assert lenient.verified
    assert "\ndepth=6" not in (lenient.folder / "repro.sh").read_text()
