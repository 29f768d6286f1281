"""Numbers as failures, by the commands that take --metric."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oracles import Command
from reducer.cli import main
from reducer.report.portable_command import bundled_command
from tests.support.fake_compilers import write_script
from tests.support.opt_tools import find_opt


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize("command", ["check", "locate"])
@pytest.mark.parametrize("end", ["\n", " "], ids=["lines", "one line"])
def test_no_pass_is_named_for_what_the_input_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, end: str
) -> None:
    """Of the first pass nobody knows what it gets, but it adds nothing to so many ops."""
    adds = "".join(f"%{n} = arith.addi %a, %a : i32{end}" for n in range(9))
    text = f"func.func @f(%a: i32) -> i32 {{{end}{adds}return %0 : i32{end}}}\n"
    monkeypatch.chdir(tmp_path)
    Path("a.mlir").write_text(text)
    asked = ("--metric", "ir-size", "--worse-than", "2", "--json", "told.json")
    done = run(command, "a.mlir", *asked, "--", str(find_opt()), "--cse")
    assert done.exit_code == 0, done.output
    blames = json.loads(Path("told.json").read_text())["blames"]
    assert not [blame["name"] for blame in blames if blame["kind"] == "pass" and blame["name"]]


def test_a_report_carries_the_script_that_prints_the_number(tmp_path: Path) -> None:
    script = write_script(tmp_path / "count.sh", "#!/bin/sh\n")
    words = ("mlir-reducer", "check", "x.mlir", "--metric", "script", "--", "./count.sh", "{}")
    command, files = bundled_command(Command(words, directory=tmp_path))
    assert command.argv[-2:] == ("files/count.sh", "{}")
    assert files == {"count.sh": script}
