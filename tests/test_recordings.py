"""Outcomes of compilers are recorded once and replayed; what is started is counted and limited."""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracles.run.limits import End, Limits, ProcessResult
from oracles.run.run_process import run_process
from tests.support import recordings, replay, stand_ins, starts
from tests.support.opt_tools import find_opt

PROGRAM = 'module {\n  "x.op"() : () -> ()\n}\n'
LIMITS = Limits(seconds=60)


@pytest.fixture
def iree_opt(iree_compile: Path) -> Path:
    return iree_compile.with_name("iree-opt")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[str]]:
    """Record into an empty folder; the programs that are really started."""
    monkeypatch.setenv(recordings.FOLDER, str(tmp_path / "recordings"))
    monkeypatch.setattr(replay, "_recordings", recordings.Recordings("add", tmp_path / "unsaved"))
    programs: list[str] = []

    class Counting(replay.Child):
        def __init__(self, words: tuple[str, ...], *rest: object, **named: object) -> None:
            programs.append(Path(words[0]).name)
            super().__init__(words, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(replay, "Child", Counting)
    yield programs


def run(tool: Path, folder: Path, text: str = PROGRAM, limits: Limits = LIMITS) -> ProcessResult:
    folder.mkdir(exist_ok=True)
    (folder / "in.mlir").write_text(text, encoding="utf-8")
    return run_process([str(tool), f"{folder}/in.mlir", "-o", "out"], cwd=folder, limits=limits)


def test_what_was_asked_before_starts_nothing_wherever_it_lies(
    iree_opt: Path, tmp_path: Path, started: list[str]
) -> None:
    first, again = (run(iree_opt, tmp_path / name) for name in ("one", "two"))
    assert first.end is End.EXITED and first.exit_code == 1
    assert f"{tmp_path}/one/in.mlir:2:9: error" in first.stderr
    assert again.stderr == first.stderr.replace(f"{tmp_path}/one", f"{tmp_path}/two")
    assert started == ["iree-opt"]


def test_a_file_that_was_written_is_there_again(
    iree_opt: Path, tmp_path: Path, started: list[str]
) -> None:
    for name in ("one", "two"):
        assert run(iree_opt, tmp_path / name, "module {}\n").exit_code == 0
        assert (tmp_path / name / "out").read_text(encoding="utf-8") == "module {\n}\n\n"
    assert started == ["iree-opt"]


@pytest.mark.parametrize("other", ["program", "limit", "live"])
def test_anything_else_runs_the_compiler(
    iree_opt: Path, tmp_path: Path, started: list[str], other: str
) -> None:
    recorded = run(iree_opt, tmp_path / "in")
    near = Limits(seconds=60, memory=recorded.peak_memory + 1)
    replay.live(other == "live")
    try:
        text = PROGRAM.replace("x.op", "x.other") if other == "program" else PROGRAM
        run(iree_opt, tmp_path / "in", text, near if other == "limit" else LIMITS)
    finally:
        replay.live(False)
    assert started == ["iree-opt"] * 2


def test_what_is_saved_is_found_by_the_next_run_of_the_tests(
    iree_opt: Path, tmp_path: Path, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(iree_opt, tmp_path / "in")
    assert recordings.save(tmp_path / "unsaved") == []
    assert [file.name for file in recordings.folder().iterdir()] == [
        "iree-base-compiler-3.13.0.zst"
    ]
    monkeypatch.setattr(replay, "_recordings", recordings.Recordings("replay"))
    run(iree_opt, tmp_path / "in")
    assert started == ["iree-opt"]


def test_a_compiler_that_does_something_else_by_now_is_named(
    iree_opt: Path, tmp_path: Path, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(iree_opt, tmp_path / "in")
    recordings.save(tmp_path / "unsaved")
    now = recordings.Recordings("compare", tmp_path / "now")
    monkeypatch.setattr(replay, "_recordings", now)
    run(iree_opt, tmp_path / "in")
    assert recordings.save(tmp_path / "now") == []
    find = now.find
    monkeypatch.setattr(now, "find", lambda key: {**(find(key) or {}), "stderr": "error: other"})
    run(iree_opt, tmp_path / "in")
    (said,) = recordings.save(tmp_path / "now")
    assert "iree-opt" in said


@pytest.fixture
def absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What stands in for a build of `mlir-opt-22` that is not here."""
    monkeypatch.setenv(stand_ins.UNRECORDED, str(tmp_path / "unrecorded"))
    for name in (stand_ins.PATH, stand_ins.FOLDER):
        monkeypatch.setenv(name, os.environ[name])
    stand_ins.make(tmp_path / "usr", [OTHER_BUILD], records=False)
    return tmp_path / "usr" / "bin" / "mlir-opt-22"


OTHER_BUILD = "mlir-opt-llvm-22-00000000"


def test_what_stands_in_says_what_is_recorded_be_it_started_by_a_script_or_not(
    tmp_path: Path,
) -> None:
    words = [str(find_opt()), "--version"]
    assert "LLVM version 22" in run_process(words, cwd=tmp_path, limits=LIMITS).stdout
    assert "LLVM version 22" in subprocess.check_output(words, text=True)
    tool = stand_ins.tool_of(Path(words[0]).resolve())
    assert tool is not None and tool.release == replay.release_of(words[0])


@pytest.mark.parametrize("of_ours", [True, False])
def test_what_nobody_answers_fails_the_test(absent: Path, tmp_path: Path, of_ours: bool) -> None:
    (tmp_path / "in.mlir").write_text(PROGRAM, encoding="utf-8")
    words = [str(absent), "in.mlir"]
    if of_ours:
        said = run_process(words, cwd=tmp_path, limits=LIMITS).stderr
    else:
        done = subprocess.run(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, check=False)
        said = done.stderr
    assert "make record" in said
    test = starts.current_test()
    assert test is not None
    assert stand_ins.unrecorded(test) == f"mlir-opt in.mlir: {stand_ins.NOT_RECORDED}"
    assert stand_ins.unrecorded("tests/test_other.py::test_other") == ""
    (tmp_path / "unrecorded").unlink()  # this one was to ask it


def test_what_cannot_be_recorded_anew_is_kept(
    absent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(recordings.FOLDER, str(tmp_path / "recordings"))
    monkeypatch.setenv(recordings.VARIABLE, "add")
    unsaved = tmp_path / "unsaved" / "outcomes"
    unsaved.parent.mkdir()
    unsaved.write_text(f"{OTHER_BUILD}\tkey\t{{}}\nmlir-opt-llvm-22-11111111\tkey\t{{}}\n")
    recordings.save(unsaved.parent)
    monkeypatch.setenv(recordings.VARIABLE, "renew")
    recordings.save(tmp_path / "nothing")
    assert [file.stem for file in recordings.folder().iterdir()] == [OTHER_BUILD]


def test_a_folder_that_starts_more_than_it_may_is_named() -> None:
    limits = {"compiler": {"ir": 2}, "process": {}}
    few = Counter({("ir", "compiler"): 2})
    assert not list(starts.exceeded(few, limits))
    assert [one.split(",")[0] for one in starts.exceeded(few + few, limits)] == [
        "tests/ir started a compiler 4 times"
    ]
    assert len(list(starts.exceeded(Counter({("ir", "process"): 1}), limits))) == 1


def test_starts_are_counted_by_folder(tmp_path: Path) -> None:
    file = tmp_path / "starts"
    file.write_text(
        "tests/ir/test_a.py::test_b\tcompiler\t'iree-opt'\n"
        "tests/test_c.py::test_d\tprocess\t'sh'\n"
        "?\tprocess\t'python'\n",
        encoding="utf-8",
    )
    assert starts.counted(file) == {("ir", "compiler"): 1, (".", "process"): 1}
