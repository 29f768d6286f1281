"""`--signature`: how much of the failure must be preserved."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import program, write_script

TWO_OPS = """
if has x.guard; then also="and guarded"; fi
if has x.bad; then
  echo "$input:1:1: error: failed to legalize operation 'x.bad' $also" >&2
  exit 1
fi
if has x.op1; then
  echo "$input:2:1: error: failed to legalize operation 'x.op1'" >&2
  exit 1
fi
"""


@pytest.fixture(autouse=True)
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLIR_REDUCER_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.mlir").write_text(program(3))
    write_script(tmp_path / "fake", TWO_OPS)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--", "./fake"])


def test_check_prints_the_signature_of_the_level() -> None:
    seen = {
        level: json.loads(run("check", "in.mlir", "--json", "-", "--signature", level).stdout)
        for level in ("strict", "normal", "loose")
    }
    assert len({facts["bucket"] for facts in seen.values()}) == 3
    assert "'<op>'" in seen["loose"]["signature"]
    assert seen["normal"] == {
        **seen["normal"],
        **_without_cost(run("check", "in.mlir", "--json", "-")),
    }


def _without_cost(done: Result) -> dict[str, object]:
    facts = json.loads(done.stdout)
    return {key: facts[key] for key in ("bucket", "signature", "kind")}


def test_a_reduction_keeps_what_the_level_says() -> None:
    kept = {}
    for level in ("normal", "loose"):
        done = run("reduce", "in.mlir", "--no-report", "-o", f"{level}.mlir", "--signature", level)
        assert done.exit_code == 0, done.output
        kept[level] = Path(f"{level}.mlir").read_text()
    assert "x.bad" in kept["normal"] and "x.guard" in kept["normal"]
    assert len(kept["loose"]) <= len(kept["normal"])
