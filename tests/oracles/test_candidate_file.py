"""Which files that errors name are the candidate."""

import os
from pathlib import Path

import pytest

from oracles import Command
from oracles.base import CandidateFile

COMMAND = Command.parse(["t", "{}"])


@pytest.fixture
def candidate(tmp_path: Path) -> CandidateFile:
    (tmp_path / "run").mkdir()
    return CandidateFile.write(tmp_path / "run", "input.mlir", "module {}")


@pytest.mark.parametrize("file", ["input.mlir", "./input.mlir", "/w/input.mlir", "<stdin>", "-"])
def test_itself(candidate: CandidateFile, file: str) -> None:
    assert candidate.is_meant_by(file, COMMAND)


@pytest.mark.parametrize("file", ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])
def test_a_pipe_that_is_another_one_here(candidate: CandidateFile, file: str) -> None:
    assert candidate.is_meant_by(file, COMMAND)


def test_a_copy(candidate: CandidateFile) -> None:
    candidate.path.with_name("copy.mlir").touch()
    assert candidate.is_meant_by("copy.mlir", COMMAND)
    assert candidate.is_meant_by("/removed/copy.mlir", COMMAND)


def test_itself_after_a_script_has_removed_it(candidate: CandidateFile, tmp_path: Path) -> None:
    candidate.path.unlink()
    (tmp_path / "input.mlir").touch()
    names = Command.parse(["t", "--lib=input.mlir", "{}"], directory=tmp_path)
    assert candidate.is_meant_by("input.mlir", names)


@pytest.mark.parametrize("name", ["library.mlir", "input.mlir"])
def test_a_file_that_was_there_before(candidate: CandidateFile, tmp_path: Path, name: str) -> None:
    library = tmp_path / name
    library.touch()
    os.utime(library, ns=(candidate.written - 1, candidate.written - 1))
    assert not candidate.is_meant_by(str(library), COMMAND)
    assert not candidate.is_meant_by(f"../{name}", COMMAND)


def test_a_file_in_the_folder_of_a_script(candidate: CandidateFile, tmp_path: Path) -> None:
    """It may have changed to that before it has read the file."""
    (tmp_path / "library.mlir").touch()
    names = Command.parse(["t", "--lib=library.mlir", "{}"], directory=tmp_path)
    assert not candidate.is_meant_by("lib/library.mlir", names)
    assert candidate.is_meant_by("lib/library.mlir", COMMAND)


def test_a_file_of_no_possible_name(candidate: CandidateFile) -> None:
    assert candidate.is_meant_by("x\0y", COMMAND)
