"""An input that the compiler cannot parse is refused, unless what the parser says is asked for."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli import main
from tests.support.fake_compilers import write_script

pytestmark = pytest.mark.usefixtures("nothing_installed")

COMPLETE = 'module {\n  "x.a"() : () -> ()\n  x.bad\n}\n'
CUT_OFF = COMPLETE.removesuffix("}\n")
FIND = "for word; do case $word in *in*.mlir) input=$word ;; esac; done\n"
SAYS = 'has x.bad && echo "$input:3:3: error: expected operation name" >&2 && exit 1\nexit 0\n'
PASS = """has x.bad || exit 0
for word; do case $word in --*parsing*) exit 0 ;; esac; done
echo "$input:3:3: error: expected a pass to do better" >&2; exit 1
"""
CRASHES = "has x.bad && kill -SEGV $$\nexit 0\n"


@pytest.mark.parametrize(
    ("tool", "body", "text", "words", "code", "said"),
    [
        ("a-opt", SAYS, CUT_OFF, (), 65, "in.mlir:3:3: expected operation name; the file ends"),
        ("a-opt", SAYS, COMPLETE, (), 65, "in.mlir:3:3: expected operation name; is the file com"),
        ("a-compile", SAYS, CUT_OFF, (), 65, "in.mlir is not a program for a-compile: "),
        ("a-compile", SAYS, COMPLETE, (), 0, ""),  # no tool tells that it is the parser
        ("a-opt", PASS, COMPLETE, (), 0, ""),
        ("a-opt", CRASHES, CUT_OFF, (), 0, ""),
        ("a-opt", SAYS, CUT_OFF, ("--match", "expected operation"), 0, ""),
        ("a-opt", SAYS, CUT_OFF, ("--signature", "exit=1"), 0, ""),
    ],
)
def test_what_the_parser_rejects(
    tmp_path: Path,
    tool: str,
    body: str,
    text: str,
    words: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    write_script(tmp_path / tool, FIND + body)
    (tmp_path / "in.mlir").write_text(text)
    options = "--no-report", "--no-pass-level", *words
    done = CliRunner().invoke(main, ["reduce", "in.mlir", *options, "--", f"./{tool}"])
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert (tmp_path / "in.reduced.mlir").exists() is (code == 0)
