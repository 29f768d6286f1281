"""Names of files and symbols are data: they are never executed or used as paths."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from reducer.storage.result_folder import ResultFolder, default_output
from tests.support.fake_compilers import FAIL, program, write_script

ODD_NAMES = [
    "-o",
    "a b'c\".mlir",
    "$(touch pwned)`touch pwned`;touch pwned *.mlir",
    "{}.mlir",
    "two\nlines.mlir",
    "# \x1b[0m\u2028.mlir",
    os.fsdecode(b"caf\xe9.mlir"),
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, nothing_installed: None) -> Path:
    """The current folder, with nothing but a compiler and what belongs to the tests."""
    write_script(tmp_path / "fake", FAIL)
    return tmp_path


def reduced(*words: str) -> Result:
    return CliRunner().invoke(main, ["reduce", "--no-pass-level", *words, "--", "./fake"])


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"fake", "elsewhere"}


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_a_file_may_have_any_name(home: Path, name: str) -> None:
    (home / name).write_text(program(8))
    done = reduced(f"./{name}")
    assert done.exit_code == 0, done.output
    output = default_output(home / name)
    made = {output.name, ResultFolder.of(output).path.name}
    assert names(home) == {name, *made}
    result = output.read_text()
    assert result.startswith("// fake ")
    assert '\n"x.bad"() : () -> ()\n' in result
    assert (home / name).read_text() == program(8)
    if name.isprintable():  # otherwise the comment shows it escaped
        paste(home, result.splitlines()[0].removeprefix("// "))


def paste(home: Path, command: str) -> None:
    """Check that the printed command fails in a shell, and does nothing else."""
    before = names(home)
    done = subprocess.run(
        ["/bin/sh", "-c", f"PATH=.:$PATH; {command}"],
        cwd=home,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "failed to legalize operation 'x.bad'" in done.stderr
    assert names(home) == before


def test_the_output_may_be_a_link(home: Path) -> None:
    (home / "in.mlir").write_text(program(8))
    (home / "elsewhere").mkdir()
    (home / "out.mlir").symlink_to("elsewhere/real.mlir")
    assert reduced("in.mlir", "--no-report", "-o", "out.mlir").exit_code == 0
    assert "x.bad" in (home / "elsewhere" / "real.mlir").read_text()
    assert (home / "out.mlir").is_symlink()
    resumed = reduced("in.mlir", "--no-report", "-o", "out.mlir")
    assert resumed.exit_code == 0
    assert "nothing to resume" not in resumed.stderr


@pytest.mark.parametrize(
    "link", [".in.reduced.mlir.tmp", "in.reduced/.result.tmp", "in.reduced/journal"]
)
def test_a_link_where_we_write_does_not_lead_us_elsewhere(home: Path, link: str) -> None:
    (home / "in.mlir").write_text(program(8))
    (home / "elsewhere").mkdir()
    precious = home / "elsewhere" / "precious"
    precious.write_text("somebody's thesis\n" * 1000)
    (home / "in.reduced").mkdir()
    (home / link).symlink_to(precious)
    assert reduced("in.mlir", "--no-report").exit_code == 0
    assert precious.read_text() == "somebody's thesis\n" * 1000
    assert [path.name for path in (home / "elsewhere").iterdir()] == ["precious"]


def test_what_is_inside_an_input_is_text(home: Path) -> None:
    """Commands, paths and placeholders that a less careful tool would follow."""
    hostile = (
        "// RUN: touch pwned\n// ../../../etc/passwd {} %s $(touch pwned)\n"
        'module @"../pwned" attributes {x.path = "/tmp/pwned; touch pwned"} {\n'
        '  "x.bad"() {symbol = @"a\\22 */ `touch pwned`\\0A{}", file = "../pwned"} : () -> ()\n}\n'
    )
    (home / "in.mlir").write_text(hostile)
    said = 'grep -m1 symbol "$input" | sed "s/^/$input:1:1: error: failed to legalize /" >&2\n'
    write_script(home / "fake", f"has x.bad && has symbol || exit 0\n{said}exit 1\n")
    done = reduced("in.mlir", "--no-report")
    assert done.exit_code == 0, done.output
    made = {"in.reduced.mlir", "in.reduced"}
    assert names(home) == {"in.mlir", *made}
    assert not (home.parent / "pwned").exists()
    result = (home / "in.reduced.mlir").read_text()
    assert shlex.split(result.splitlines()[0]) == ["//", "fake", "in.reduced.mlir"]
