"""`mlir-reducer reduce` with well-behaved scripts: options, output, and what is left on disk.

The result has the command above it and the message below, everything else about it is in one folder
beside it, and a run that ends early or is refused leaves what was there before.
"""

import json
import lzma
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import FAIL, program, write_script


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["reduce", *map(str, words)])


def quick(*words: object) -> Result:
    """A reduction without what follows it."""
    return run("--no-report", "--no-pass-level", "-j1", *words)


def bare(path: str | Path) -> str:
    """A result without the comments around it."""
    lines = Path(path).read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("//"))


def contents(folder: Path) -> dict[Path, bytes]:
    """All files below the folder of a result; the journal is that of all its reductions."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "journal")
    return {path: path.read_bytes() for path in files}


class Finished:
    """A finished reduction of `sub/in.mlir` by a command with a flag that it does not need."""

    words = "sub/in.mlir", "-v", "--json", "out.json", "-j1", "--", "./fake", "--x"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.result = folder / "sub" / "in.reduced.mlir"
        with pytest.MonkeyPatch.context() as patch:
            _alone(folder, patch)
            (folder / "sub").mkdir()
            (folder / "in.mlir").rename(folder / "sub" / "in.mlir")
            self.done = run(*self.words)
        self.left = contents(folder / "sub")

    @property
    def record(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "out.json").read_text())
        return found


def _alone(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Only the script is in sight."""
    patch.setenv("MLIR_REDUCER_CACHE", str(folder / "cache"))
    patch.chdir(folder)
    write_script(folder / "fake", FAIL)
    (folder / "in.mlir").write_text(program())


@pytest.fixture(scope="module")
def all_of_it(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """To look at."""
    return Finished(tmp_path_factory.mktemp("finished"))


@pytest.fixture
def finished(all_of_it: Finished, monkeypatch: pytest.MonkeyPatch) -> Iterator[Finished]:
    """To run further commands beside it, which must leave it as it is."""
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(all_of_it.folder / "cache"))
    monkeypatch.chdir(all_of_it.folder)
    yield all_of_it
    assert all_of_it.result.read_bytes() == all_of_it.left[all_of_it.result]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an input and a compiler."""
    _alone(tmp_path, monkeypatch)
    return tmp_path


# ---- one reduction -----------------------------------------------------------------------------


def test_the_table_says_what_was_done(all_of_it: Finished) -> None:
    done = all_of_it.done
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    (head,) = (number for number, line in enumerate(lines) if "before  after  removed" in line)
    ends = [[word.end() for word in re.finditer(r"\S+", line)] for line in lines[head : head + 4]]
    assert ends[0] == ends[1][1:] == ends[2][1:] == ends[3][1:]  # numbers under their names
    assert "failed to legalize operation 'x.bad'" in done.stdout
    assert "failure to preserve: legalization" in done.stderr


def test_progress_in_a_log_is_made_of_lines(all_of_it: Finished) -> None:
    said = all_of_it.done.stderr
    assert " ops" in said and "\r" not in said


def test_the_printed_command_works_where_the_user_stands(finished: Finished) -> None:
    """Not only in the folder of the result, unlike the comment, which goes wherever the file goes.

    The failure does not need `--x`.
    """
    assert "command     ./fake sub/in.reduced.mlir\n" in finished.done.stdout
    assert finished.record["command"] == ["./fake", "sub/in.reduced.mlir"]
    again = subprocess.run(finished.record["command"], capture_output=True, text=True, check=False)
    assert "failed to legalize operation 'x.bad'" in again.stderr
    lines = finished.result.read_text().splitlines()
    assert lines[0] == "// fake in.reduced.mlir"
    assert lines[-1] == "// error: failed to legalize operation 'x.bad'"
    checked = CliRunner().invoke(main, ["check", "sub/in.mlir", "--", "./fake"])
    assert "./fake sub/in.mlir\n" in checked.stdout


def test_the_record_has_the_figures(all_of_it: Finished) -> None:
    record = all_of_it.record
    assert record["verified"] is record["one_minimal"] is True
    assert record["kind"] == "legalization"
    assert record["input"]["bytes"] == len(program())
    assert record["output"]["path"] == "sub/in.reduced.mlir"
    assert record["output"]["bytes"] == len(bare(all_of_it.result)), "comments do not count"
    assert set(record["oracle"]) == {
        "calls", "by_verdict", "cpu_seconds", "full_run_equivalents", "compiler_seconds"
    }  # fmt: skip


def test_the_cost_of_everything_includes_that_of_the_report(all_of_it: Finished) -> None:
    assert all_of_it.record["whole"]["wall_seconds"] > all_of_it.record["wall_seconds"]
    told = r"^ {12}[\d.]+ s, including the report$"
    assert re.search(told, all_of_it.done.stdout, re.M)


def test_beside_the_input_there_are_two_entries(all_of_it: Finished) -> None:
    beside = {path.name for path in (all_of_it.folder / "sub").iterdir()}
    assert beside == {"in.mlir", "in.reduced.mlir", "in.reduced"}
    inside = sorted(path.name for path in (all_of_it.folder / "sub" / "in.reduced").iterdir())
    assert inside == [".written", "journal", "record.json", "report", "report.zip"]


# ---- further commands beside it ----------------------------------------------------------------


def test_the_same_command_reuses_verdicts_unless_it_should_not(finished: Finished) -> None:
    calls = finished.record["oracle"]["calls"]
    again = quick(*finished.words)
    assert finished.record["oracle"]["calls"] == 1, "only the confirmation"
    (line,) = [line for line in again.stderr.splitlines() if "reusing" in line]
    assert "--fresh" in line
    report = finished.result.with_suffix("") / "report" / "report.md"
    assert report.is_file(), "it is about the same result"
    fresh = run("--fresh", *finished.words)
    assert finished.record["oracle"]["calls"] == calls > 1
    assert "reusing" not in fresh.stderr


def test_a_refused_input_leaves_an_earlier_result_with_all_that_belongs_to_it(
    finished: Finished,
) -> None:
    write_script(Path("always"), "echo 'error: no such device' >&2; exit 1\n")
    before = contents(Path("sub"))
    for command, said in (("./always", "an empty module fails"), ("/bin/true", "does not fail")):
        done = run("sub/in.mlir", "--", command)
        assert done.exit_code == 1 and said in done.stderr
        assert contents(Path("sub")) == before
    Path("sub/in.reduced/journal-wal").mkdir()  # where SQLite needs a file
    done = run("sub/in.mlir", "--", "/bin/true")
    assert done.exit_code == 1 and "cannot keep a journal" in done.stderr
    Path("sub/in.reduced/journal-wal").rmdir()
    quick(*finished.words)
    assert finished.record["oracle"]["calls"] == 1, "its journal is there as well"


def test_a_result_in_a_device_leaves_an_earlier_one_complete(finished: Finished) -> None:
    before = contents(Path("sub/in.reduced"))
    assert run("sub/in.mlir", "-o", "/dev/null", "--", "./fake").exit_code == 0
    assert contents(Path("sub/in.reduced")) == before


def test_any_number_of_workers_and_a_compressed_input_give_the_same_bytes(
    finished: Finished,
) -> None:
    Path("packed.mlir.xz").write_bytes(lzma.compress(program().encode()))
    assert quick("packed.mlir.xz", "-j5", "--", "./fake").exit_code == 0
    assert bare("packed.reduced.mlir") == bare(finished.result)


# ---- options and places ------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 3, 7, 12])
def test_no_more_runs_than_allowed(here: Path, most: int) -> None:
    """The last ones are kept for printing and verifying what was found."""
    write_script(Path("fake"), f"echo >> {here}/log\n" + FAIL)
    done = quick("in.mlir", "--max-calls", most, "--json", "out.json", "--", "./fake")
    assert done.exit_code == 3
    record, runs = json.loads(Path("out.json").read_text()), len(Path("log").read_text())
    assert record["oracle"]["calls"] == runs <= most
    assert Path("in.reduced.mlir").exists() == record["verified"] == (most > 8)
    if not record["verified"]:
        assert "result      none yet; in.reduced.mlir was not written" in done.stdout
        shown = [line.split()[0] for line in done.stdout.splitlines()]
        assert not {"before", "verdict", "command"} & set(shown), "there is nothing to run"


def test_costs_of_earlier_runs_are_told_everywhere(here: Path) -> None:
    first = quick("in.mlir", "--max-calls", 8, "--json", "-", "--", "./fake")
    done = run("in.mlir", "-v", "-j1", "--no-pass-level", "--json", "out.json", "--", "./fake")
    calls = json.loads(Path("out.json").read_text())["oracle"]["calls"]
    total = json.loads(first.stdout)["oracle"]["calls"] + calls
    assert f"{total} runs, " in done.stdout and "earlier runs of this reduction" in done.stdout
    report = Path("in.reduced/report")
    assert f"\n{total} compiler runs, " in (report / "report.md").read_text()


def test_windows_line_ends_letters_of_all_kinds_and_a_huge_line_are_no_problem(here: Path) -> None:
    dense = '  "x.op"() {value = dense<"0x' + "AB" * 100_000 + '"> : tensor<4xi8>} : () -> ()\n'
    text = program().replace('  "x.guard"() : () -> ()\n', dense)
    text = text.replace("\n", "\r\n").replace('"x.bad"() ', '"x.bad"() /*grün*/ ')
    Path("in.mlir").write_bytes(text.encode())
    assert quick("in.mlir", "--", "./fake").exit_code == 0
    assert "grün" in Path("in.reduced.mlir").read_bytes().decode()
    assert len(bare("in.reduced.mlir")) < 100


def test_a_limit_that_the_failure_needs_stands_in_the_command(here: Path) -> None:
    """Without it, the command succeeds."""
    Path("fake").write_text(
        f"""#!{sys.executable} -IS
import sys, time
if "x.bad" in open(sys.argv[-1]).read():
    kept = b"x" * (60 << 20)
    time.sleep(0.2)
"""
    )
    Path("in.mlir").write_text(program(4))
    done = run("in.mlir", "-v", "--no-pass-level", "--memory-limit", "50", "--", "./fake")
    assert done.exit_code == 0, done.output
    assert "VERIFIED" in done.stdout
    head = Path("in.reduced.mlir").read_text().splitlines()[0]
    assert head.startswith("// prlimit --data=")
    printed = next(line for line in done.stdout.splitlines() if line.startswith("command"))
    words = printed.split()[1:]
    assert subprocess.run(words, capture_output=True, check=False).returncode != 0
    assert subprocess.run(words[2:], capture_output=True, check=False).returncode == 0
    script = Path("in.reduced/report/repro.sh").read_text()
    assert f'{" ".join(words[:2])} "$program"' in script
    env = {"PATH": f"{here}:{os.environ['PATH']}"}
    again = subprocess.run(["sh", "in.reduced/report/repro.sh"], env=env, check=False)
    assert again.returncode == 0
