"""`mlir-reducer buckets`: what a triage knows is listed, shown, exported, noted and forgotten."""

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.cli.options.table import ROWS
from reducer.triage.states import BugState
from tests.cli.commands.test_triage import Bench
from tests.support.fake_compilers import program
from tests.support.triages import write_all

UNPARSABLE = """if has x.unparsable; then
  echo "$input:1:1: error: custom op 'x.y' is unknown (tried 'builtin.x.y' as well)" >&2
  exit 1
fi
"""
Triaged = tuple[Bench, dict[str, Any]]


def made(home: Path) -> Bench:
    """Two inputs that fail, one of which has an odd name."""
    made = Bench(home)
    write_all(
        made.inputs,
        {
            "a\nb <x>.mlir": program(4),
            "worse.mlir": program(3).replace("x.bad", "x.worse"),
        },
    )
    return made


@pytest.fixture
def bench(tmp_path: Path, nothing_installed: None) -> Bench:
    return made(tmp_path)


@pytest.fixture(scope="module")
def triaged(tmp_path_factory: pytest.TempPathFactory) -> Triaged:
    """A database and the report of the run that made it, for read-only tests."""
    bench = made(tmp_path_factory.mktemp("triaged"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(bench.home)
        patch.setenv("MLIR_REDUCER_CACHE", str(bench.home / "cache"))
        return bench, bench("-o", bench.home / "bugs.html")


def run_in(folder: Path, *words: object) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return CliRunner().invoke(main, [str(word) for word in words])


def buckets(bench: Bench, *words: object, code: int = 0) -> str:
    """The output of a command."""
    database = bench.inputs / ".mlir-reducer" / "triage.sqlite"
    result = run_in(bench.home, "buckets", "--db", database, *words)
    assert result.exit_code == code, result.stderr
    return result.stdout


def test_list_and_show(triaged: Triaged) -> None:
    bench, report = triaged
    listed = buckets(bench, "list").splitlines()
    assert len(listed) == 3
    assert {line.split()[0] for line in listed[1:]} == {bug["bucket"] for bug in report["bugs"]}
    (worse,) = [bug["bucket"] for bug in report["bugs"] if "worse" in bug["signature"]]
    shown = buckets(bench, "show", worse[:6])
    assert '"x.worse"' in shown
    assert "worse.mlir" in shown
    assert "run 1      new" in shown
    (other,) = [bug["bucket"] for bug in report["bugs"] if bug["bucket"] != worse]
    assert "  a\\nb <x>.mlir  " in buckets(bench, "show", other)


def test_list_by_state_and_as_json(triaged: Triaged) -> None:
    bench, _ = triaged
    assert buckets(bench, "list", "--state", "fixed") == "no bugs\n"
    data = json.loads(buckets(bench, "list", "--state", "new", "--json", "-"))
    assert len(data["bugs"]) == 2
    name = data["bugs"][0]["bucket"]
    assert json.loads(buckets(bench, "show", name, "--json", "-")) == data["bugs"][0]


def test_what_is_exported_fails_again(triaged: Triaged, tmp_path: Path) -> None:
    bench, report = triaged
    buckets(bench, "export", tmp_path)
    for bug in report["bugs"]:
        folder = tmp_path / bug["bucket"]
        facts = json.loads((folder / "bug.json").read_text())
        assert facts["signature"] == bug["signature"]
        words = run_in(bench.home, "check", folder / "repro.mlir", "--json", "-", "--", "./cc.sh")
        assert json.loads(words.stdout)["bucket"] == bug["bucket"]


def test_the_reports_of_all_are_exported(triaged: Triaged, tmp_path: Path) -> None:
    bench, report = triaged
    buckets(bench, "export", tmp_path / "out")
    buckets(bench, "export", tmp_path / "out")  # replaces the first export
    for bug in report["bugs"]:
        folder = tmp_path / "out" / bug["bucket"]
        text = (folder / "report" / "report.md").read_text()
        assert "`cc.sh` fails on the 1 op below" in text
        facts = json.loads((folder / "report" / "metadata.json").read_text())
        assert (facts["bucket"], facts["verified"]) == (bug["bucket"], True)
        assert facts["input"]["path"] in {Path(one["input"]).name for one in bug["failures"]} or (
            "\n" in facts["input"]["path"]
        )
        with zipfile.ZipFile(folder / "report.zip") as archive:
            assert f"report-{bug['bucket']}/repro.sh" in archive.namelist()
        place = tmp_path / bug["bucket"]
        shutil.copytree(folder / "report", place)
        script = subprocess.run(
            ["sh", place / "repro.sh"], env={**os.environ, "CC_SH": str(bench.home / "cc.sh")}
        )
        assert script.returncode == 0
        assert "report:" in buckets(bench, "show", bug["bucket"])


def test_a_report_is_made_if_wanted_and_told_once_if_it_cannot_be(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.compiler('test -n "$HEALTHY" && exit 0\n')
    bench("--no-report")
    buckets(bench, "export", bench.home / "out")
    assert not list((bench.home / "out").rglob("report*"))
    monkeypatch.setenv("HEALTHY", "1")
    first = run_in(bench.home, *bench.words())
    assert first.exit_code == 0
    assert first.stderr.count("could not write the report for") == 2
    assert "does not fail" in first.stderr
    assert "could not write the report for" not in run_in(bench.home, *bench.words()).stderr


def test_html(triaged: Triaged) -> None:
    bench, report = triaged
    overview = (bench.home / "bugs.html").read_text()
    assert "a\\nb &lt;x&gt;.mlir" in overview or "a\nb &lt;x&gt;.mlir" in overview
    for bug in report["bugs"]:
        name = bug["bucket"]
        assert f'href="./bugs.pages/{name}.html"' in overview
        assert f"bucket {name}" in (bench.home / "bugs.pages" / f"{name}.html").read_text()
    buckets(bench, "list", "-o", bench.home / "same.html")
    again = (bench.home / "same.html").read_text().replace("same.pages", "bugs.pages")
    assert sorted(again.splitlines()) == sorted(overview.splitlines())


def test_export_of_some(triaged: Triaged, tmp_path: Path) -> None:
    bench, report = triaged
    name = report["bugs"][0]["bucket"]
    buckets(bench, "export", tmp_path, name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_note_is_shown_wherever_the_bug_is(bench: Bench) -> None:
    name = bench("--no-reduce")["bugs"][0]["bucket"]
    assert buckets(bench, "note", name[:6], " Ann is on it\n") == ""
    assert buckets(bench, "note", name) == "Ann is on it\n"
    report = bench("--no-reduce", "--summary", bench.home / "summary.md")
    assert {bug["bucket"]: bug["note"] for bug in report["bugs"]}[name] == "Ann is on it"
    assert "| Ann is on it |" in (bench.home / "summary.md").read_text()
    assert "; note: Ann is on it\n" in buckets(bench, "list")
    assert "note       Ann is on it" in buckets(bench, "show", name)
    buckets(bench, "note", name, "")
    assert buckets(bench, "note", name) == ""


def test_inputs_that_could_not_be_read_stay_listed(bench: Bench) -> None:
    write_all(bench.inputs, {"empty.mlir": "", "worse.mlir": "x.unparsable"})
    bench.compiler(UNPARSABLE)
    bench("--no-reduce", code=65)
    listed = buckets(bench, "list")
    assert "not read: empty.mlir: " in listed
    assert "not read: worse.mlir: no compiler can parse it: " in listed
    summary = buckets(bench, "list", "--summary", "-")
    assert summary.startswith("## Triage: 1 new, 2 inputs not read\n")
    (bench.inputs / "empty.mlir").unlink()
    bench("--no-reduce")
    assert "empty.mlir" not in buckets(bench, "list")


def test_what_is_forgotten_is_new_again(bench: Bench) -> None:
    name = bench("--no-report")["bugs"][0]["bucket"]
    folder = bench.inputs / ".mlir-reducer" / "triage.buckets" / name
    assert folder.is_dir()
    (folder / "note.txt").write_text("mine")
    buckets(bench, "forget", name)
    assert [path.name for path in folder.iterdir()] == ["note.txt"], "only what was written"
    report = bench("--no-report")
    states = {bug["bucket"]: bug["state"] for bug in report["bugs"]}
    assert states.pop(name) == "new"
    assert set(states.values()) == {"known"}
    assert report["reduction_calls"] > 0


def test_the_database_is_found_from_around_and_inside(triaged: Triaged, tmp_path: Path) -> None:
    bench, _ = triaged
    expected = buckets(bench, "list")
    inside = bench.inputs / "deeper"
    inside.mkdir()
    for folder in (bench.home, bench.inputs, inside):
        assert run_in(folder, "buckets", "list").stdout == expected
    refused = run_in(tmp_path, "buckets", "list")
    assert refused.exit_code == 2 and "give one with --db" in refused.stderr
    database = bench.inputs / ".mlir-reducer" / "triage.sqlite"
    assert run_in(tmp_path, "buckets", "list", "--db", database).stdout == expected


def test_without_a_database_or_a_bucket(bench: Bench, triaged: Triaged) -> None:
    buckets(bench, "list", code=2)
    buckets(triaged[0], "show", "zzz", code=2)


def test_every_state_can_be_asked_for() -> None:
    assert set(ROWS["states"].attributes["type"].choices) == set(BugState)
