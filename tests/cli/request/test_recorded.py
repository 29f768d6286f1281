"""Commands that follow a reduction take the command that it has recorded."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import write_script

_REDUCE = "reduce", "in.mlir", "--no-report", "--no-pass-level"
_NEXT = ("explain", "report", "locate")


@pytest.fixture(autouse=True)
def of_its_own(
    tmp_path: Path,
    nothing_installed: None,
    model: Path,
    fake: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_what_follows_needs_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*_REDUCE, "--timeout", "50", "--", "./fake").exit_code == 0
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    for command, place in zip(_NEXT, (".mlir", "", ".mlir"), strict=True):
        done = run(command, f"../in.reduced{place}")
        assert done.exit_code == 0, done.output
        assert "using the command of the reduction: " in done.stderr
        assert (
            "/fake ../in.reduced.mlir\nits failure in the reduction: legalization: " in done.stderr
        )
    assert json.loads(Path("../in.reduced/command.json").read_text())["timeout"] == 50
    bisected = run("bisect", "../in.reduced.mlir")
    assert "/fake' is not part of the published releases" in bisected.stderr
    assert run("page", "../in.reduced").exit_code == 0


def test_a_script_is_recorded_as_well() -> None:
    write_script(Path("test.sh"), "#!/bin/sh\ngrep -q x.bad $1\n")
    assert run(*_REDUCE, "--test", "./test.sh").exit_code == 0
    done = run("explain", "in.reduced.mlir")
    assert done.exit_code == 0, done.output
    assert "test.sh in.reduced.mlir\n" in done.stderr


@pytest.mark.parametrize("what", ["unzipped", "changed", "lost"])
def test_nothing_from_elsewhere_runs_unasked(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(*_REDUCE, "--", "./fake").exit_code == 0
    result = Path("in.reduced.mlir")
    result.write_text(result.read_text().replace("// fake", "// mlir-opt --cse"))
    monkeypatch.setenv("PATH", f"{Path.cwd()}:/usr/bin:/bin")
    record = Path("in.reduced/command.json")
    if what == "unzipped":
        monkeypatch.setenv("XDG_STATE_HOME", str(Path("another").absolute()))
    elif what == "changed":
        record.write_text(record.read_text().replace("normal", "coarse"))
    else:
        record.unlink()
    for name in ("fake", "mlir-opt"):
        write_script(Path(name), f"#!/bin/sh\ntouch {Path.cwd()}/ran\n")
    for command in _NEXT:
        done = run(command, "in.reduced.mlir")
        assert done.exit_code == 2
        assert "command found in in.reduced.mlir: mlir-opt" in done.stderr
        assert "give it after two dashes" in done.stderr
        assert "--yes" not in done.stderr
    assert not Path("ran").exists()
