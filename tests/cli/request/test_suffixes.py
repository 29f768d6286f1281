"""The command is judged on the file as the user has it, whose suffix everything keeps."""

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import program, write_script

_BY_SUFFIX = """#!/bin/sh
case "$1" in {wrong}) echo "error: $1 is no kernel" >&2; exit 3;; esac
grep -q x.bad "$1" && {{ echo "$1:1:1: error: bad" >&2; exit 1; }}
grep -q x.other "$1" && {{ echo "$1:1:1: error: another one" >&2; exit 1; }}
exit 0
"""
pytestmark = pytest.mark.usefixtures("nothing_installed")


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize(
    ("name", "wrong", "result", "script"),
    [
        ("x.ttir", "*.mlir|*/input", "x.reduced.ttir", False),
        ("a.b/x.mlir.txt", "*[!r].txt|*.mlir", "a.b/x.reduced.mlir.txt", True),
        ("x", "*.[a-z]*", "x-reduced", False),
    ],
)
def test_all_files_keep_the_suffix_of_the_input(
    name: str, wrong: str, result: str, script: bool
) -> None:
    write_script(Path("fake"), _BY_SUFFIX.format(wrong=wrong))
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(program())
    if script:  # interesting if the fake fails on it
        write_script(
            Path("test.sh"), f'{Path("fake").absolute()} "$1" 2>&1 | grep -q "error: bad"\n'
        )
    words = ["--test", "./test.sh"] if script else ["--", "./fake"]
    checked = run("check", name, *words)
    assert checked.exit_code == 0, checked.output
    assert script or "other-error: bad\n" in checked.stdout, checked.stdout
    done = run("reduce", name, "--no-pass-level", *words)
    assert done.exit_code == 0, done.output
    assert "VERIFIED: " in done.stdout
    text = Path(result).read_text()
    assert "x.bad" in text
    report = Path(f"{result}.files/report")
    suffix = Path(name).suffix and name[name.index("x") + 1 :]
    assert "x.bad" in (report / f"repro{suffix}").read_text()
    assert not list(report.glob("*.mlir")) or suffix == ".mlir"
    env = {"PATH": f"{Path.cwd()}:{os.environ['PATH']}"}
    again = subprocess.run(
        ["sh", "repro.sh"], cwd=report, env=env, capture_output=True, check=False
    )
    assert again.returncode == 0, again.stdout
    explained = run("explain", result, *words)
    assert explained.exit_code == 0, explained.output


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("in.mlir", '"$(dirname "$1")/beside"'),
        ("sub/in.mlir", "settings"),
        ("../in.mlir", '"$(dirname "$1")/beside"'),
    ],
)
def test_a_failure_that_goes_by_more_than_the_suffix_is_not_taken_for_another(
    name: str, needs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does the command change the input, or leave anything where the user stands."""
    Path("here/sub").mkdir(parents=True)
    monkeypatch.chdir("here")
    write_script(
        Path("fake"),
        f"""#!/bin/sh
        touch litter; echo "// read" >> "$1"
        test -f {needs} || {{ echo "error: no settings" >&2; exit 1; }}
        grep -q x.bad "$1" && {{ echo "error: bad" >&2; exit 1; }}
        exit 0
        """,
    )
    Path("settings").touch()
    Path(name).with_name("beside").touch()
    Path(name).write_text(program())
    assert "other-error: bad\n" in run("check", name, "--", "./fake").stdout
    done = run("reduce", name, "--", "./fake")
    assert done.exit_code == 1
    assert f"{name} fails with 'other-error: bad'" in done.stderr
    assert "in an empty folder with 'other-error: no settings'" in done.stderr
    assert not list(Path.cwd().parent.rglob("in.reduced.mlir"))
    assert Path(name).read_text() == program() and not Path("litter").exists()


def test_a_name_that_a_shell_would_take_apart_is_left_to_candidates() -> None:
    write_script(Path("fake"), _BY_SUFFIX.format(wrong="nothing"))
    Path("my file.mlir").write_text(program())
    done = run("check", "my file.mlir", "--", "bash", "-c", f"{Path.cwd()}/fake {{}}")
    assert "other-error: bad\n" in done.stdout
