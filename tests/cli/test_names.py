"""Names of files and symbols are data: they are never executed or used as paths."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from reducer.storage.result_folder import ResultFolder, default_output
from tests.support.fake_compilers import FAIL, Reducer, program, write_script

ODD_NAMES = [
    "-o",
    "--help.mlir",
    "a b'c\".mlir",
    "$(touch pwned).mlir",
    "`touch pwned`;touch pwned.mlir",
    "*.mlir",
    "{}.mlir",
    "two\nlines.mlir",
    "# \x1b[0m\u2028.mlir",
    os.fsdecode(b"caf\xe9.mlir"),
]


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    write_script(tmp_path / "fake", FAIL)
    return Reducer(tmp_path)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"fake", "tmp", "elsewhere"}


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_a_file_may_have_any_name(reducer: Reducer, name: str) -> None:
    (reducer.home / name).write_text(program(8))
    done = reducer("reduce", f"./{name}", "--", "./fake")
    assert done.returncode == 0, done.stderr
    output = default_output(reducer.home / name)
    made = {output.name, ResultFolder.of(output).path.name}
    assert names(reducer.home) == {name, *made}
    result = output.read_text()
    assert result.startswith("// fake ")
    assert '\n"x.bad"() : () -> ()\n' in result
    assert (reducer.home / name).read_text() == program(8)
    reducer.assert_clean()
    if name.isprintable():  # otherwise the comment shows it escaped
        paste(reducer, result.splitlines()[0].removeprefix("// "))


def paste(reducer: Reducer, command: str) -> None:
    """Check that the printed command fails in a shell, and does nothing else."""
    before = names(reducer.home)
    done = subprocess.run(
        ["/bin/sh", "-c", f"PATH=.:$PATH; {command}"],
        cwd=reducer.home,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "failed to legalize operation 'x.bad'" in done.stderr
    assert names(reducer.home) == before


def test_output_and_journal_may_be_links(reducer: Reducer) -> None:
    (reducer.home / "in.mlir").write_text(program(8))
    (reducer.home / "elsewhere").mkdir()
    (reducer.home / "out.mlir").symlink_to("elsewhere/real.mlir")
    (reducer.home / "out").mkdir()
    (reducer.home / "out" / "journal").symlink_to("../elsewhere/real.journal")
    assert reducer("reduce", "in.mlir", "-o", "out.mlir", "--", "./fake").returncode == 0
    assert "x.bad" in (reducer.home / "elsewhere" / "real.mlir").read_text()
    assert (reducer.home / "elsewhere" / "real.journal").stat().st_size > 0
    assert (reducer.home / "out.mlir").is_symlink()
    resumed = reducer("reduce", "in.mlir", "-o", "out.mlir", "--resume", "--", "./fake")
    assert resumed.returncode == 0
    assert "nothing to resume" not in resumed.stderr


@pytest.mark.parametrize(
    "link", [".in.reduced.mlir.tmp", "in.reduced/.result.tmp", "in.reduced/journal"]
)
def test_a_link_where_we_write_does_not_lead_us_elsewhere(reducer: Reducer, link: str) -> None:
    (reducer.home / "in.mlir").write_text(program(8))
    (reducer.home / "elsewhere").mkdir()
    precious = reducer.home / "elsewhere" / "precious"
    precious.write_text("somebody's thesis\n" * 1000)
    (reducer.home / "in.reduced").mkdir()
    (reducer.home / link).symlink_to(precious)
    assert reducer("reduce", "in.mlir", "--", "./fake").returncode == 0
    assert precious.read_text() == "somebody's thesis\n" * 1000
    assert [path.name for path in (reducer.home / "elsewhere").iterdir()] == ["precious"]


def test_what_is_inside_an_input_is_text(reducer: Reducer) -> None:
    """Commands, paths and placeholders that a less careful tool would follow."""
    hostile = (
        "// RUN: touch pwned\n// ../../../etc/passwd {} %s $(touch pwned)\n"
        'module @"../pwned" attributes {x.path = "/tmp/pwned; touch pwned"} {\n'
        '  "x.bad"() {symbol = @"a\\22 */ `touch pwned`\\0A{}", file = "../pwned"} : () -> ()\n}\n'
    )
    (reducer.home / "in.mlir").write_text(hostile)
    said = 'grep -m1 symbol "$input" | sed "s/^/$input:1:1: error: failed to legalize /" >&2\n'
    write_script(reducer.home / "fake", f"has x.bad && has symbol || exit 0\n{said}exit 1\n")
    done = reducer("reduce", "in.mlir", "--", "./fake")
    assert done.returncode == 0, done.stderr
    made = {"in.reduced.mlir", "in.reduced"}
    assert names(reducer.home) == {"in.mlir", *made}
    assert not (reducer.home.parent / "pwned").exists()
    result = (reducer.home / "in.reduced.mlir").read_text()
    assert shlex.split(result.splitlines()[0]) == ["//", "fake", "in.reduced.mlir"]
