"""A reduction leaves its best program on disk, however it ends, and it fails as the input does.

What else it met is kept beside it. The record and the messages say what was done, and what is in
doubt.

This file: other failures are kept with the smallest program that showed them, in all circumstances.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Kind, Outcome, Signature
from reducer.driver import also_found
from reducer.driver.also_found import AlsoFoundStore
from reducer.ir import PlainText
from reducer.search.query import OtherFailure
from reducer.storage.journal import Journal
from reducer.storage.result_folder import ResultFolder
from tests.support.predicate import PredicateOracle

ORACLE = PredicateOracle(lambda text: True)
NAMES = ["command", "repro.mlir", "signature.json"]


def slip(text: str, message: str = "boom", kind: Kind = Kind.OTHER_ERROR) -> OtherFailure:
    return OtherFailure(PlainText(text), Outcome(kind, Signature(kind, message), 1), ORACLE)


class Place:
    """A folder with a journal."""

    def __init__(self, folder: Path) -> None:
        result = ResultFolder(folder / "model.reduced")
        result.create()
        self.path = result.also_found
        self.journal = folder / "journal"
        self.said: list[str] = []

    def after(
        self, *slips: OtherFailure, fresh: bool = True, ignored: str = "", take_over: bool = True
    ) -> AlsoFoundStore:
        """The store after these failures were added."""
        with Journal.open(self.journal, identity={"a": "b"}, fresh=fresh) as journal:
            found = AlsoFoundStore(
                self.path, journal, self.said.append, ignored=frozenset({ignored} - {""})
            )
            journal.settle()
            if take_over:
                found.take_over()
            for one in slips:
                found.add(one)
            return found

    def tree(self) -> dict[str, str]:
        """Every file with its content."""
        files = (path for path in self.path.rglob("*") if path.is_file())
        return {str(path.relative_to(self.path)): path.read_text() for path in files}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_smallest_program_of_each_failure(place: Place) -> None:
    found = place.after(slip("long long"), slip("short"), slip("as short?"), slip("other", "bang"))
    assert [(one.signature.template, one.text) for one in found.found] == [
        ("boom", "short"),
        ("bang", "other"),
    ]
    for one in found.found:
        folder = place.path / one.signature.bucket
        assert sorted(path.name for path in folder.iterdir()) == NAMES
        assert (folder / "repro.mlir").read_text() == one.text
        assert (folder / "command").read_text() == "predicate repro.mlir\n"
        told = json.loads((folder / "signature.json").read_text())
        assert Signature.from_json(told["signature"]) == one.signature
        assert told["bucket"] == folder.name
    assert found.on_disk and not found.left_out and not place.said


def test_a_smaller_program_under_another_command_replaces_all_files(place: Place) -> None:
    oracle = PredicateOracle(lambda text: True)
    oracle.display = lambda input_name: ["less", input_name]  # type: ignore[method-assign]
    found = place.after(slip("long"), replace(slip("x"), oracle=oracle))
    folder = place.path / found.found[0].signature.bucket
    assert (folder / "command").read_text() == "less repro.mlir\n"
    assert (folder / "repro.mlir").read_text() == "x"
    assert [path.name for path in place.path.iterdir()] == [folder.name], "nothing hidden is left"


@pytest.mark.parametrize("kind", [Kind.TIMEOUT, Kind.INVALID_INPUT])
def test_what_is_no_bug_is_not_kept(place: Place, kind: Kind) -> None:
    empty = slip("x").outcome.signature.bucket
    found = place.after(slip("x", kind=kind), slip("y"), ignored=empty)
    assert not found.found
    assert not place.path.exists(), "no folder without need"


def test_an_empty_file_says_nothing(place: Place) -> None:
    assert place.after(slip("\n", "unable to read input"), slip("x", "bad")).found[0].text == "x"


def test_number_and_size_are_bounded(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(also_found, "MAX_BUCKETS", 2)
    monkeypatch.setattr(also_found, "MAX_BYTES", 10)
    slips = [slip("x" * 11, "a"), slip("x", "b"), slip("x", "c"), slip("x", "d"), slip("xx", "d")]
    found = place.after(*slips)
    assert [one.signature.template for one in found.found] == ["b", "c"]
    assert found.left_out == 2
    assert len(list(place.path.iterdir())) == 2


def test_a_resumed_run_has_it_all_and_repeats_nothing(place: Place) -> None:
    slips = [slip("long long"), slip("mid", "bang"), slip("short"), slip("m", "bang")]
    place.after(*slips)
    whole = place.tree()
    for upto in range(len(slips) + 1):
        place.after(*slips[:upto])
        (place.path / "0123456789ab").mkdir(parents=True)  # as an earlier killed run might leave it
        place.after(*slips, fresh=False)
        assert place.tree() == whole
    assert place.after(fresh=False).found == place.after(*slips).found


def test_a_lost_folder_comes_back_from_the_journal(place: Place) -> None:
    place.after(slip("x"))
    whole = place.tree()
    for path in sorted(place.path.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    place.after(fresh=False)
    assert place.tree() == whole


def test_a_new_run_forgets_an_old_one(place: Place) -> None:
    place.after(slip("x"))
    place.after()
    assert not place.path.exists()


def test_what_another_reduction_has_left_stays_until_its_result_is_replaced(place: Place) -> None:
    place.after(slip("x"))
    whole = place.tree()
    found = place.after(slip("y"), slip("z", "bang"), take_over=False)
    assert place.tree() == whole
    assert len(found.found) == 2 and not found.on_disk
    found = place.after(fresh=False)
    assert len(place.tree()) == 6 and found.on_disk, "the journal has them"


def test_what_is_not_ours_stays(place: Place) -> None:
    place.after(slip("x"))
    bucket = next(place.path.iterdir())
    (bucket / "notes.txt").write_text("mine")
    (bucket / "command").write_text("edited")
    assert place.after(slip("y", "bang")).on_disk
    assert {path.name: path.read_text() for path in bucket.iterdir()} == {
        "notes.txt": "mine",
        "command": "edited",
    }
    found = place.after(slip("x"))
    assert len(found.found) == 1 and not found.on_disk
    assert "command was not written by mlir-reducer" in place.said[0]


def test_a_link_is_not_followed(place: Place, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    place.path.symlink_to(elsewhere)
    found = place.after(slip("x"), slip("y", "bang"))
    assert not list(elsewhere.iterdir())
    assert len(found.found) == 2 and not found.on_disk
    assert len(place.said) == 1, "said once"


def test_what_only_cutting_causes_is_counted_and_not_written(place: Place) -> None:
    """A larger program may show that it is a failure of its own after all."""
    with Journal.open(place.journal, identity={"a": "b"}, fresh=True) as journal:
        found = AlsoFoundStore(
            place.path,
            journal,
            place.said.append,
            explained=lambda failure: "changed" if "size" in failure.text else "",
        )
        found.add(slip("size 1"))
        found.add(slip("size 2", "bang"))
        assert not found.found and found.dismissed == 2
        assert not place.path.exists()
        found.add(slip("the program as it was"))
        found.add(slip("size"))
        assert [one.text for one in found.found] == ["the program as it was"]
        assert found.dismissed == 1
    resumed = place.after(fresh=False)
    assert len(resumed.found) == resumed.dismissed == 1
