"""`mlir-reducer report --similar`: known issues that resemble the failure, most similar first."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import write_script

SAYS = "echo \"repro.mlir:1:1: error: 'x.bad' op must not be there\" >&2; exit 1"


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("x.mlir").write_text('"x.bad"() : () -> ()\n')
    issues = [
        {"number": 1, "title": "y.z is slow", "body": "", "url": "https://i/1"},
        {"number": 2, "title": "'x.bad' op must not be there", "body": "", "url": "https://i/2"},
    ]
    Path("issues.json").write_text(json.dumps(issues))
    return write_script(tmp_path / "iree-compile", SAYS)


def report(*words: object) -> Result:
    return CliRunner().invoke(main, ["report", "x.mlir", *map(str, words)])


def test_duplicates_are_listed_below_the_report(failing: Path) -> None:
    done = report("--similar", "issues.json", "--", failing)
    assert done.exit_code == 0, done.output
    assert "look at these before filing (2 are known)" in done.output
    assert "#2  'x.bad' op must not be there" in done.output
    assert "same message; shares x.bad" in done.output
    assert "https://i/2" in done.output and "https://i/1" not in done.output


def test_as_json(failing: Path) -> None:
    done = report("--similar", "issues.json", "--json", "-", "--", failing)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["similar"]
    assert [one["number"] for one in found] == [2, 1]
    assert found[0]["same_message"] and not found[1]["likely"]


def test_its_own_report_is_no_duplicate(failing: Path) -> None:
    for _ in range(2):
        done = report("--similar", ".", "--", failing)
        assert done.exit_code == 0, done.output
        assert "x.report" not in done.output.split("similar  ")[1]
