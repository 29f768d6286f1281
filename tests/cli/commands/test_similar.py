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


def test_its_own_report_is_no_duplicate(failing: Path) -> None:
    for _ in range(2):
        done = report("--similar", ".", "--", failing)
        assert done.exit_code == 0, done.output
        assert "x.report" not in done.output.split("similar  ")[1]
