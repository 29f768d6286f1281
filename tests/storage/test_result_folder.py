"""The names of everything that a reduction writes, and whose folder is whose."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reducer.errors import ExitCode, OutputNotWritable
from reducer.storage.journal import Journal
from reducer.storage.result_folder import (
    ResultFolder,
    archive_of,
    bisect_journal_of,
    default_output,
    report_folder_of,
)
from reducer.storage.written import LIST, Written


@pytest.mark.parametrize(
    ("name", "output", "folder"),
    [
        ("model.mlir", "model.reduced.mlir", "model.reduced"),
        ("model.mlir.xz", "model.reduced.mlir", "model.reduced"),
        ("model.mlirbc", "model.reduced.mlir", "model.reduced"),
        ("model", "model-reduced", "model-reduced.files"),
        ("issue.md", "issue.reduced.mlir", "issue.reduced"),
        ("a.ttirbc.gz", "a.reduced.ttir", "a.reduced.ttir.files"),
        ("a.mlir.txt", "a.reduced.mlir.txt", "a.reduced.mlir.txt.files"),
        ("a.mlir.mlir", "a.mlir.reduced.mlir", "a.mlir.reduced"),
    ],
)
def test_default_names_lie_beside_the_input(name: str, output: str, folder: str) -> None:
    path = Path("somewhere", name)
    assert default_output(path) == Path("somewhere", output)
    assert ResultFolder.of(default_output(path)).path == Path("somewhere", folder)


@pytest.mark.parametrize(
    ("output", "folder"),
    [
        ("out/small.mlir", "out/small"),
        ("small.txt", "small.txt.files"),
        ("small", "small.files"),
        (".mlir", ".mlir.files"),
        ("/dev/null", "in.reduced"),
    ],
)
def test_a_result_of_any_name_has_a_folder(output: str, folder: str) -> None:
    assert ResultFolder.of(Path(output), Path("in.mlir")).path == Path(folder)


@pytest.fixture
def place(tmp_path: Path) -> ResultFolder:
    return ResultFolder.of(tmp_path / "model.mlir")


def test_a_new_folder_and_an_empty_one_are_free(place: ResultFolder) -> None:
    place.check()
    assert not place.is_ours
    place.create()
    place.create()
    assert not place.is_ours, "anybody may have made an empty folder"
    place.remove_if_empty()
    assert not place.path.exists()


def test_a_folder_of_somebody_else_is_left_alone(place: ResultFolder) -> None:
    """Even if one of the names in it is one that we would take."""
    place.path.mkdir()
    (place.path / "report").mkdir()
    (place.path / "weights.bin").write_text("precious")
    for act in (place.check, place.create):
        with pytest.raises(OutputNotWritable, match="has other files") as caught:
            act()
        assert caught.value.exit_code == ExitCode.CANNOT_WRITE == 73
    place.forget_earlier_result()
    place.remove_if_empty()
    assert {path.name for path in place.path.iterdir()} == {"report", "weights.bin"}


def test_a_file_or_a_dangling_link_in_its_place(place: ResultFolder) -> None:
    place.path.write_text("precious")
    with pytest.raises(OutputNotWritable):
        place.check()
    place.path.unlink()
    place.path.symlink_to("nowhere")
    with pytest.raises(OutputNotWritable):
        place.create()


def test_the_folder_may_be_a_link_to_another_one(place: ResultFolder) -> None:
    (place.path.parent / "large disk").mkdir()
    place.path.symlink_to("large disk")
    place.create()
    assert place.path.is_symlink()


def test_what_a_killed_run_leaves_is_ours(place: ResultFolder) -> None:
    place.create()
    for name in ("journal", "journal-wal", "journal.damaged", ".report.tmp", ".report.zip.tmp"):
        (place.path / name).touch()
    place.temporary.touch()
    assert place.is_ours
    place.check()


def test_others_may_add_to_our_folder(place: ResultFolder) -> None:
    place.create()
    with Journal.open(place.journal, identity={"input": "a"}):
        pass
    (place.path / "notes.txt").write_text("mine")
    assert place.is_ours
    place.check()


def test_what_was_made_of_another_result_goes_with_it(place: ResultFolder) -> None:
    place.create()
    with closing(sqlite3.connect(place.journal)) as journal:
        journal.execute("CREATE TABLE verdicts (hash TEXT)")
    for path in (place.before_pass, place.input_level, place.page, place.inputs):
        place.written.write(path, "ours")
    report = Written(place.report)
    for path in (
        place.report / "metadata.json",
        place.report / "files/x",
        archive_of(place.report),
    ):
        place.report.joinpath("files").mkdir(parents=True, exist_ok=True)
        report.write(path, "ours")
    place.also_found.mkdir()
    (place.path / "notes.txt").touch()
    place.page.write_text("changed")
    place.forget_earlier_result()
    left = {path.name for path in place.path.iterdir()}
    assert left == {"journal", "also-found", "notes.txt", "page.html", LIST}


def test_only_a_result_has_its_report_in_a_folder(place: ResultFolder) -> None:
    program = place.path.with_suffix(".mlir")
    assert report_folder_of(program).name == "model.report"
    assert bisect_journal_of(program.with_name("model.mlir.xz")).name == "model.bisect.journal"
    place.create()
    place.journal.touch()
    assert report_folder_of(program) == place.report
    assert bisect_journal_of(program) == place.path / "bisect.journal"
