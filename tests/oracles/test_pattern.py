"""Looking for a text or an exit code."""

from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits, PatternOracle


@pytest.fixture
def compiler(tmp_path: Path) -> CompilerOracle:
    """Prints its input on standard error and exits with the number in its first line."""
    path = tmp_path / "fake-compile"
    path.write_text('#!/bin/sh\ncat "$1" >&2\nexit "$(head -n 1 "$1")"\n')
    path.chmod(0o755)
    return CompilerOracle(Command.parse(["fake-compile"]), path)


def test_pattern(compiler: CompilerOracle) -> None:
    it = PatternOracle(compiler, regex=r"^needle \d+$")
    assert it.run("1\nneedle 12\n").kind is Kind.MATCH
    assert it.run("0\nneedle 3\n").kind is Kind.MATCH
    assert it.run("1\nno needle 12\n").kind is Kind.SUCCESS
    assert it.run("1\nneedle 1\n").signature == it.run("2\nneedle 2\n").signature


def test_exit_code(compiler: CompilerOracle) -> None:
    it = PatternOracle(compiler, exit_code=3)
    assert it.run("3\n").kind is Kind.EXIT_CODE
    assert it.run("1\n").kind is Kind.SUCCESS


def test_exit_code_of_a_signal_in_any_spelling(compiler: CompilerOracle) -> None:
    for spelling in (-11, 139, 245):
        assert PatternOracle(compiler, exit_code=spelling).run("139\n").kind is Kind.EXIT_CODE


def test_both_must_hold(compiler: CompilerOracle) -> None:
    it = PatternOracle(compiler, regex="x", exit_code=3)
    assert it.run("3\nx").kind is Kind.MATCH
    assert it.run("3\ny").kind is Kind.SUCCESS
    assert it.run("1\nx").kind is Kind.SUCCESS


def test_wrong_questions(compiler: CompilerOracle) -> None:
    with pytest.raises(ValueError, match="regular expression"):
        PatternOracle(compiler, regex="(")
    with pytest.raises(ValueError, match="pattern"):
        PatternOracle(compiler)


def test_limits_are_those_of_the_compiler(compiler: CompilerOracle) -> None:
    it = PatternOracle(compiler, regex="x")
    it.limits = Limits(5.0)
    assert compiler.limits == Limits(5.0) == it.limits


def test_key_holds_the_question(compiler: CompilerOracle) -> None:
    keys = {PatternOracle(compiler, regex=regex).key for regex in ("a", "b")}
    assert len(keys | {PatternOracle(compiler, exit_code=1).key, compiler.key}) == 4


@pytest.fixture
def endless(tmp_path: Path) -> CompilerOracle:
    """Prints its input and then does not end."""
    path = tmp_path / "endless-compile"
    path.write_text('#!/bin/sh\ncat "$1"\nexec sleep 1000\n')
    path.chmod(0o755)
    return CompilerOracle(Command.parse(["endless-compile"]), path, limits=Limits(seconds=2))


def test_the_compiler_ends_with_the_first_match(endless: CompilerOracle) -> None:
    outcome = PatternOracle(endless, regex="needle$").run("hay\nneedle\n", limits=Limits())
    assert outcome.kind is Kind.MATCH
    assert outcome.exit_code is None


def test_the_compiler_goes_on_where_its_end_matters(endless: CompilerOracle) -> None:
    assert PatternOracle(endless, regex="x", exit_code=0).run("x\n").kind is Kind.TIMEOUT
    assert PatternOracle(endless, regex="x(?!y)").run("x\n").kind is Kind.TIMEOUT
