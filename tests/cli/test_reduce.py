"""`mlir-reducer reduce` with well-behaved scripts: options and output."""

import gzip
import json
import lzma
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import FAIL, program, write_script


@pytest.fixture(autouse=True)
def only_the_script_is_in_sight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    write_script(tmp_path / "fake", FAIL)
    (tmp_path / "in.mlir").write_text(program())


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["reduce", *map(str, words)])


def bare(path: str) -> str:
    """A result without the comments around it."""
    lines = Path(path).read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("//"))


def contents(folder: Path) -> dict[Path, bytes]:
    """All files below the folder of a result; the journal is that of all its reductions."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "journal")
    return {path: path.read_bytes() for path in files}


def test_the_table_says_what_was_done() -> None:
    done = run("in.mlir", "--", "./fake")
    assert done.exit_code == 0, done.output
    assert "before  after  removed" in done.stdout
    assert "failed to legalize operation 'x.bad'" in done.stdout
    assert "in.reduced.mlir" in done.stdout
    assert "./fake in.reduced.mlir" in done.stdout
    assert "failure to preserve: legalization" in done.stderr


def test_the_printed_command_works_where_the_user_stands() -> None:
    """Not only in the folder of the result."""
    Path("sub").mkdir()
    Path("in.mlir").rename("sub/in.mlir")
    done = run("sub/in.mlir", "--json", "sub/report.json", "--", "./fake")
    assert "command     ./fake sub/in.reduced.mlir\n" in done.stdout
    command = json.loads(Path("sub/report.json").read_text())["command"]
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "failed to legalize operation 'x.bad'" in again.stderr

    head = Path("sub/in.reduced.mlir").read_text().splitlines()[0]
    assert head == "// fake in.reduced.mlir", "the comment goes wherever the file goes"
    checked = CliRunner().invoke(main, ["check", "sub/in.mlir", "--", "./fake"])
    assert "./fake sub/in.mlir\n" in checked.stdout


def test_quiet_says_nothing() -> None:
    done = run("in.mlir", "-q", "--", "./fake")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert "x.bad" in Path("in.reduced.mlir").read_text()


def test_json_has_the_figures_and_standard_output_to_itself() -> None:
    done = run("in.mlir", "--json", "-", "--", "./fake")
    report = json.loads(done.stdout)
    assert report["verified"] is True
    assert report["kind"] == "legalization"
    assert report["input"]["bytes"] == len(program())
    assert report["output"]["path"] == "in.reduced.mlir"
    assert report["output"]["bytes"] == len(bare("in.reduced.mlir")), "comments do not count"
    assert report["command"] == ["./fake", "in.reduced.mlir"]
    assert set(report["oracle"]) == {
        "calls", "by_verdict", "compiler_seconds", "full_run_equivalents"
    }  # fmt: skip
    assert "before" in done.stderr


def test_the_result_begins_with_the_command_and_ends_with_the_message() -> None:
    run("in.mlir", "--", "./fake", "--x")
    lines = Path("in.reduced.mlir").read_text().splitlines()
    assert lines[0] == "// fake in.reduced.mlir", "the failure does not need --x"
    assert lines[-1] == "// error: failed to legalize operation 'x.bad'"
    run("in.mlir", "--no-comments", "--keep-flags", "--", "./fake", "--x")
    assert "//" not in Path("in.reduced.mlir").read_text()


def test_flags_that_the_failure_does_not_need_go_unless_they_should_stay() -> None:
    write_script(Path("picky"), 'case "$*" in *--need=a*) ;; *) exit 0 ;; esac\n' + FAIL)
    flags = ["--x", "--need=a,b", "--y=3", "-O", "2"]
    done = run("in.mlir", "--json", "-", "--", "./picky", *flags)
    assert json.loads(done.stdout)["command"] == ["./picky", "--need=a", "in.reduced.mlir"]
    done = run("in.mlir", "--json", "-", "--keep-flags", "--", "./picky", *flags)
    assert json.loads(done.stdout)["command"] == ["./picky", *flags, "in.reduced.mlir"]


def test_json_to_a_file() -> None:
    done = run("in.mlir", "--json", "report.json", "--", "./fake")
    assert "before" in done.stdout
    assert json.loads(Path("report.json").read_text())["one_minimal"] is True


@pytest.mark.parametrize(("suffix", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_compressed_inputs(suffix: str, pack) -> None:
    Path("packed.mlir" + suffix).write_bytes(pack(program().encode()))
    done = run("packed.mlir" + suffix, "--", "./fake")
    assert done.exit_code == 0, done.output
    run("in.mlir", "--", "./fake")
    assert bare("packed.reduced.mlir") == bare("in.reduced.mlir")


def test_the_output_goes_where_it_should() -> None:
    Path("out").mkdir()
    assert run("in.mlir", "-o", "out/small.mlir", "--", "./fake").exit_code == 0
    names = ["small", "small.mlir"]
    assert sorted(path.name for path in Path("out").iterdir()) == names
    assert not Path("in.reduced.mlir").exists()
    assert sorted(path.name for path in Path("out/small").iterdir()) == [
        ".written",
        "command.json",
        "journal",
        "report",
        "report.zip",
    ]


def test_beside_the_input_there_are_two_entries() -> None:
    before = set(Path().iterdir())
    for _ in range(2):  # the second time, everything is there
        assert run("in.mlir", "--", "./fake").exit_code == 0
        assert set(Path().iterdir()) - before == {Path("in.reduced.mlir"), Path("in.reduced")}


def test_a_refused_input_leaves_nothing() -> None:
    before = set(Path().iterdir())
    assert run("in.mlir", "--", "/bin/true").exit_code == 1
    assert set(Path().iterdir()) == before


def test_a_folder_of_somebody_else_ends_the_run_before_it_begins() -> None:
    Path("in.reduced").mkdir()
    Path("in.reduced/weights").write_text("precious")
    done = run("in.mlir", "--", "./fake")
    assert done.exit_code == 73
    assert "in.reduced exists and was not written by mlir-reducer" in done.stderr
    assert [path.name for path in Path("in.reduced").iterdir()] == ["weights"]
    assert not Path("in.reduced.mlir").exists()


def test_the_report_of_another_result_does_not_stay() -> None:
    assert run("in.mlir", "--", "./fake").exit_code == 0
    report = Path("in.reduced/report/report.md")
    assert run("in.mlir", "--no-report", "--", "./fake").exit_code == 0
    assert report.is_file(), "it is about the same result"
    Path("in.mlir").write_text(program().replace("x.op0", "x.first"))
    assert run("in.mlir", "--no-report", "--keep-generic", "--", "./fake", "--other").exit_code == 0
    assert not report.exists() and not Path("in.reduced/report.zip").exists()


def test_a_script_decides() -> None:
    write_script(Path("test.sh"), "has x.op7 && has x.op23\n")
    done = run("in.mlir", "--test", "test.sh")
    assert done.exit_code == 0, done.output
    text = bare("in.reduced.mlir")
    assert "x.op7" in text and "x.op23" in text and "x.bad" not in text
    assert text.count("\n") <= 4


def test_a_pattern_decides() -> None:
    write_script(Path("loud"), "has x.op7 && echo seven eight >&2; has x.op9 && exit 3; exit 0\n")
    done = run("in.mlir", "--match", "seven +eight", "--exit-code", 3, "--", "./loud")
    assert done.exit_code == 0, done.output
    text = Path("in.reduced.mlir").read_text()
    assert "x.op7" in text and "x.op9" in text and "x.op8" not in text


def test_progress_in_a_log_is_made_of_lines() -> None:
    done = run("in.mlir", "--progress", "--", "./fake")
    assert "run the input …" in done.stderr
    assert "\r" not in done.stderr
    assert "32 ops" in done.stderr


def test_any_number_of_workers_gives_the_same_bytes() -> None:
    for jobs in (1, 2, 5):
        assert run("in.mlir", "-j", jobs, "-o", f"{jobs}.mlir", "--", "./fake").exit_code == 0
    texts = {bare(f"{jobs}.mlir") for jobs in (1, 2, 5)}
    assert len(texts) == 1


def test_resuming_a_finished_reduction_runs_only_the_confirmation() -> None:
    run("in.mlir", "-j1", "--", "./fake")
    before = Path("in.reduced.mlir").read_bytes()
    done = run("in.mlir", "-j1", "--resume", "--json", "-", "--", "./fake")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["oracle"]["calls"] == 1
    assert Path("in.reduced.mlir").read_bytes() == before


def test_the_same_command_reuses_verdicts_unless_it_should_not() -> None:
    first = run("in.mlir", "-j1", "--json", "-", "--", "./fake")
    before = Path("in.reduced.mlir").read_bytes()
    again = run("in.mlir", "-j1", "--json", "-", "--", "./fake")
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["oracle"]["calls"] == 1, "only the confirmation"
    (line,) = [line for line in again.stderr.splitlines() if "reusing" in line]
    assert "--fresh" in line
    fresh = run("in.mlir", "-j1", "--fresh", "--json", "-", "--", "./fake")
    calls = json.loads(first.stdout)["oracle"]["calls"]
    assert json.loads(fresh.stdout)["oracle"]["calls"] == calls > 1
    assert "reusing" not in fresh.stderr
    assert Path("in.reduced.mlir").read_bytes() == before


def test_verdicts_of_another_script_are_not_reused() -> None:
    for wanted in ("x.op7", "x.op9"):
        write_script(Path("test.sh"), f"has {wanted}\n")
        done = run("in.mlir", "--test", "test.sh")
        assert done.exit_code == 0, done.output
        assert wanted in bare("in.reduced.mlir")
        assert "reusing" not in done.stderr


def test_going_on_and_starting_afresh_exclude_each_other() -> None:
    done = run("in.mlir", "--resume", "--fresh", "--", "./fake")
    assert done.exit_code == 2
    assert "--resume" in done.stderr and "--fresh" in done.stderr


def test_a_refused_input_leaves_an_earlier_result_with_all_that_belongs_to_it() -> None:
    run("in.mlir", "-j1", "--", "./fake")
    before = {path: path.read_bytes() for path in Path().rglob("in.reduced*") if path.is_file()}
    write_script(Path("always"), "echo 'error: no such device' >&2; exit 1\n")
    for command, said in (("./always", "an empty module fails"), ("/bin/true", "does not fail")):
        done = run("in.mlir", "--", command)
        assert done.exit_code == 1 and said in done.stderr
        after = {path: path.read_bytes() for path in Path().rglob("in.reduced*") if path.is_file()}
        assert after.keys() == before.keys()
        assert after[Path("in.reduced.mlir")] == before[Path("in.reduced.mlir")]
    done = run("in.mlir", "-j1", "--json", "-", "--", "./fake")
    assert json.loads(done.stdout)["oracle"]["calls"] == 1, "its journal is there as well"


def test_a_refused_input_leaves_an_earlier_journal_that_cannot_be_opened() -> None:
    run("in.mlir", "-j1", "--", "./fake")
    Path("in.reduced/journal-wal").mkdir()  # where SQLite needs a file
    done = run("in.mlir", "--", "/bin/true")
    assert done.exit_code == 1 and "cannot keep a journal" in done.stderr
    Path("in.reduced/journal-wal").rmdir()
    done = run("in.mlir", "-j1", "--json", "-", "--", "./fake")
    assert json.loads(done.stdout)["oracle"]["calls"] == 1


def test_a_budget_that_ends_before_anything_is_accepted_leaves_no_file() -> None:
    done = run("in.mlir", "--max-calls", 3, "--", "./fake")
    assert done.exit_code == 3
    assert not Path("in.reduced.mlir").exists()
    assert "result      none yet; in.reduced.mlir was not written" in done.stdout
    shown = [line.split()[0] for line in done.stdout.splitlines()]
    assert not {"before", "verdict", "command"} & set(shown), "there is nothing to run"


@pytest.mark.parametrize("most", [1, 2, 3, 4, 7, 12])
def test_no_more_runs_than_allowed(most: int) -> None:
    """The last ones are kept for printing and verifying what was found."""
    fake = Path("fake")
    fake.write_text(
        fake.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\necho >> {Path.cwd()}/log\n")
    )
    done = run("in.mlir", "-j1", "--max-calls", most, "--json", "-", "--", "./fake")
    assert done.exit_code == 3
    runs = len(Path("log").read_text().splitlines())
    assert json.loads(done.stdout)["oracle"]["calls"] == runs <= most
    assert Path("in.reduced.mlir").exists() == json.loads(done.stdout)["verified"] == (most > 8)


def test_costs_of_earlier_runs_are_told_everywhere() -> None:
    first = json.loads(
        run("in.mlir", "-j1", "--max-calls", 8, "--json", "-", "--", "./fake").stdout
    )
    done = run("in.mlir", "-j1", "--json", "out.json", "--", "./fake")
    calls = json.loads(Path("out.json").read_text())["oracle"]["calls"]
    total = first["oracle"]["calls"] + calls
    assert f"{total} runs, " in done.stdout and "earlier runs of this reduction" in done.stdout
    report = Path("in.reduced/report")
    assert f"\n{total} compiler runs, " in (report / "report.md").read_text()
    assert f">{total} runs<" in (report / "report.html").read_text()


def test_the_cost_of_everything_includes_that_of_the_report() -> None:
    done = run("in.mlir", "-j1", "--json", "out.json", "--", "./fake")
    record = json.loads(Path("out.json").read_text())
    assert record["whole"]["seconds"] > record["wall_seconds"]
    assert re.search(
        r"^ {12}[\d.]+ s, [\d.]+ s of compiler time with the report$", done.stdout, re.M
    )


def test_a_changed_command_is_no_resumption() -> None:
    run("in.mlir", "--", "./fake")
    done = run("in.mlir", "--resume", "--", "./fake", "--other")
    assert done.exit_code == 2
    assert "different oracle" in done.stderr


def test_windows_line_ends_and_non_ascii_survive() -> None:
    text = program().replace("\n", "\r\n").replace('"x.bad"() ', '"x.bad"() /*grün*/ ')
    Path("in.mlir").write_bytes(text.encode())
    assert run("in.mlir", "--", "./fake").exit_code == 0
    assert "grün" in Path("in.reduced.mlir").read_bytes().decode()


def test_a_huge_line_is_no_problem() -> None:
    dense = '  "x.op"() {value = dense<"0x' + "AB" * 500_000 + '"> : tensor<4xi8>} : () -> ()\n'
    Path("in.mlir").write_text(program().replace('  "x.guard"() : () -> ()\n', dense))
    assert run("in.mlir", "--", "./fake").exit_code == 0
    assert len(bare("in.reduced.mlir")) < 100


def test_standard_output_is_no_place_for_a_result() -> None:
    done = run("in.mlir", "-o", "-", "--", "./fake")
    assert done.exit_code == 2
    assert "-o needs a file, and cannot write to standard output" in done.stderr
    assert not Path("-").exists()


def test_a_result_in_a_device_leaves_an_earlier_one_complete() -> None:
    assert run("in.mlir", "--", "./fake").exit_code == 0
    before = contents(Path("in.reduced"))
    assert before
    assert run("in.mlir", "-o", "/dev/null", "--", "./fake").exit_code == 0
    assert contents(Path("in.reduced")) == before


def test_a_limit_that_the_failure_needs_stands_in_the_command() -> None:
    """Without it, the command succeeds."""
    Path("fake").write_text(
        f"""#!{sys.executable}
import sys, time
if "x.bad" in open(sys.argv[-1]).read():
    kept = b"x" * (150 << 20)
    time.sleep(0.2)
"""
    )
    done = run("in.mlir", "--memory-limit", "120", "--", "./fake")
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
    env = {"PATH": f"{Path.cwd()}:/usr/bin:/bin"}
    again = subprocess.run(["sh", "in.reduced/report/repro.sh"], env=env, check=False)
    assert again.returncode == 0
