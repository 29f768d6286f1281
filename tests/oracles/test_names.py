"""A signature does not depend on what the program or the input is called, and where it lies."""

import sys
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Limits, Signature
from tests.support.opt_tools import find_opt

ANOTHER = {
    "link": "",
    "shell": '#!/bin/sh\nexec "{tool}" "$@"\n',
    "child of a shell": '#!/bin/sh\n{name} "$@"\nexit $?\n',
    "Python": (
        "#!{python}\nimport subprocess, sys\n"
        "sys.exit(subprocess.run(['{tool}', *sys.argv[1:]]).returncode)\n"
    ),
}
TYPES_DIFFER = '"func.func"() ({}) {function_type = () -> i32, sym_name = 1 : i32} : () -> ()'
FAILURES = {
    "verifier": (TYPES_DIFFER, "--canonicalize"),
    "parser": ("func.func @f( {", "--canonicalize"),
    "flags": ("", "--no-such-flag"),
    "passes": ("", "--pass-pipeline=builtin.module(none)"),
}


def signature(program: Path, text: str, flag: str, name: str) -> Signature:
    command = Command.parse([str(program), "{}", flag])
    oracle = CompilerOracle(command, program, name=name, limits=Limits(60.0))
    return oracle.run(text).signature


@pytest.mark.parametrize("another", ANOTHER.values(), ids=ANOTHER)
def test_another_name(another: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = find_opt()
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    program = tmp_path / "of [it] (1)" / "my tool"
    program.parent.mkdir()
    if another:
        program.write_text(another.format(tool=tool, name=tool.name, python=sys.executable))
        program.chmod(0o755)
    else:
        program.symlink_to(tool)
    failures = FAILURES if not another else {"verifier": FAILURES["verifier"]}
    for what, (text, flag) in failures.items():
        plain = signature(tool, text, flag, "input.mlir")
        assert signature(program, text, flag, "x y,é.mlir") == plain, what
