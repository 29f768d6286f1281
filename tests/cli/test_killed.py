"""Reducing failures in which the compiler is killed: by our memory limit, or by someone else."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from oracles.run.memory import memory_limit
from reducer.cli import main
from tests.support.fake_compilers import FAIL, program, write_script
from tests.support.stand_ins import path_without

EAT = "x=12345678; while :; do x=$x$x; done\n"


def reduce(folder: Path, body: str, *options: str) -> tuple[str, dict[str, Any]]:
    """The result of reducing a program of a few lines, and the record."""
    tool = write_script(folder / "fake", body)
    source, record = folder / "in.mlir", folder / "out.json"
    source.write_text(program(3))
    words = ["reduce", str(source), "--json", str(record), *options]
    done = CliRunner().invoke(main, [*words, "--", str(tool)])
    assert done.exit_code == 0, done.output
    return (folder / "in.reduced.mlir").read_text(), json.loads(record.read_text())


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tool is in sight: what would be asked depends on when something is killed."""
    monkeypatch.setenv("PATH", path_without())


def test_a_compiler_that_kills_itself_can_be_reduced(tmp_path: Path) -> None:
    text, record = reduce(tmp_path, "has x.bad && kill -9 $$\nexit 0\n")
    assert "x.bad" in text and "x.op" not in text
    assert (record["signature"], record["verified"]) == ("crash: SIGKILL", True)
    assert json.loads((tmp_path / "in.reduced/report/metadata.json").read_text())["verified"]


def test_a_kill_is_not_taken_for_runaway_memory(tmp_path: Path) -> None:
    """Being killed without `x.bad` is a different failure from exceeding the memory limit."""
    body = f"if has x.bad; then {EAT}fi\nhas x.op && kill -9 $$\nexit 0\n"
    text, record = reduce(tmp_path, body, "--memory-limit=60", "--no-report")
    assert "x.bad" in text and "x.op" not in text
    assert (record["kind"], record["one_minimal"]) == ("memory", True)


def test_a_kill_now_and_then_changes_nothing(tmp_path: Path) -> None:
    """Half of the candidates is killed once from outside, as by a kernel short of memory."""
    once = """sum=$(cksum < "$input" | cut -d' ' -f1)
[ $((sum / 7 % 2)) -ne 0 ] || ! mkdir "$0.$sum" 2> /dev/null || kill -9 $$
"""
    text, _ = reduce(tmp_path, once + FAIL, "-j4", "--no-report")
    assert "x.bad" in text and "x.op" not in text
    assert len(list(tmp_path.glob("fake.*"))) > 1


def test_how_many_run_at_once_does_not_change_the_limit(tmp_path: Path) -> None:
    """A candidate that fits next to one other compiler must not fail next to seven."""
    tool = write_script(tmp_path / "fake", FAIL)
    (tmp_path / "models").mkdir()
    (tmp_path / "models/in.mlir").write_text(program(2))
    limits = []
    for jobs in (1, 8):
        database = tmp_path / f"{jobs}.db"
        words = ["triage", tmp_path / "models", "--db", database, "-j", jobs, "--no-reduce", "-q"]
        done = CliRunner().invoke(main, [*map(str, words), "--", str(tool)])
        assert done.exit_code == 0, done.output
        with closing(sqlite3.connect(database)) as known:
            limits += known.execute("SELECT DISTINCT memory_limit FROM results").fetchall()
    assert limits == [(memory_limit(),)] * 2
