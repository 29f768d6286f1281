"""`mlir-reducer explain`: options and what is printed, with a fake compiler and a real printer."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.driver.records.history import KEY, History, RefusedBy
from reducer.storage.journal import Journal
from tests.conftest import NEWEST_TESTED
from tests.support.fake_compilers import FAIL, write_script
from tests.support.histories import history

pytestmark = pytest.mark.iree

PROGRAM = '"x.bad"() {size = 42 : i64} : () -> ()\n// rm -rf is not run\n'


@pytest.fixture(autouse=True)
def a_fake_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    needed = 'case "$*" in *--need*) ;; *) exit 0 ;; esac\n'
    write_script(tmp_path / "fake", needed + FAIL)
    (tmp_path / "in.mlir").write_text(PROGRAM)


def run(*words: object) -> Result:
    return explained("in.mlir", *words)


def explained(source: str, *words: object) -> Result:
    command = ["explain", source, "--iree", NEWEST_TESTED, *map(str, words)]
    return CliRunner().invoke(main, command)


def test_a_table_of_what_is_left() -> None:
    done = run("--", "./fake", "--need", "--other")
    assert done.exit_code == 0, done.output
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "flag --need → dropped passes" in lines
    assert "flag --other → dropped still fails" in lines
    (size,) = [line for line in lines if line.startswith("attribute size of x.bad (line 1)")]
    assert "42 : i64 → 41 : i64, 43 : i64, 21 : i64, 1 : i64, 84" in size
    assert size.endswith("still fails")


def test_which_conditions_have_refused_the_candidates_of_a_reduction() -> None:
    def kept(told: History) -> None:
        Path("in.reduced").mkdir(exist_ok=True)
        with Journal.open(Path("in.reduced/journal"), identity={}) as journal:
            journal.put_text(KEY, json.dumps(told.to_json()))

    def explained(*words: str) -> Result:
        return CliRunner().invoke(main, ["explain", "--rejected", "in.reduced.mlir", *words])

    Path("in.reduced.mlir").write_text(PROGRAM)
    assert explained().exit_code == 66
    kept(history())
    assert explained().exit_code == 65
    assert "run the same command again" in explained().stderr
    refused = RefusedBy(12, "delete ops"), RefusedBy(2, "drop dims", "crash: in a pass")
    kept(history(refused={"other failure": refused[1], "not smaller": refused[0]}))
    assert [" ".join(line.split()) for line in explained().stdout.splitlines()] == [
        "refused by candidates first reason",
        "not smaller 12 delete ops",
        "other failure 2 drop dims: crash: in a pass",
    ]
    first, _ = json.loads(explained("--json", "-").stdout)["refused"]
    assert first == {
        "condition": "not smaller",
        "candidates": 12,
        "origin": "delete ops",
        "reason": "",
    }
