"""Looking for a pattern in a text that is still being printed."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oracles import (
    Command,
    CompilerOracle,
    Kind,
    Limits,
    PatternOracle,
    ProcessResult,
    run_process,
)
from oracles.pattern import Scanner, decides_early, dumps_of, ir_after
from reducer.toolchain import Toolchain

DUMPS = """\
warning: not of a pass: needle
// -----// IR Dump After CanonicalizerPass: canonicalize{top-down=true} //----- //
module { needle one }
// -----// IR Dump After CSEPass: cse //----- //
module { needle two }
// -----// IR Dump After Canonicalizer Failed (canonicalize) //----- //
module { three }
"""


def fed(scanner: Scanner, text: str, size: int, stream: str = "stderr") -> list[bool]:
    data = text.encode()
    return [scanner(stream, data[at : at + size]) for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_match_is_found_whatever_the_pieces(size: int) -> None:
    scanner = Scanner(re.compile(r"^b\d+$", re.M))
    assert fed(scanner, "a\nxb1\nb2\nc\n", size)[-1]
    assert scanner.found


def test_a_pattern_is_found_in_what_the_user_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stack has names there if the user has a symbolizer."""
    monkeypatch.delenv("LLVM_DISABLE_SYMBOLIZATION", raising=False)
    fake = tmp_path / "fake"
    fake.write_text('#!/bin/sh\necho "symbols: ${LLVM_DISABLE_SYMBOLIZATION-on}" >&2; exit 1\n')
    fake.chmod(0o755)
    inner = CompilerOracle(Command.parse(["fake"]), fake)
    assert PatternOracle(inner, regex="symbols: on").run("").kind is Kind.MATCH


def test_half_a_line_is_no_line() -> None:
    scanner = Scanner(re.compile(r"foo$", re.M))
    assert not scanner("stdout", b"foo")
    assert not scanner("stdout", b"bar\n")
    assert scanner("stdout", b"foo\n")


def test_streams_are_apart() -> None:
    scanner = Scanner(re.compile("ab"))
    scanner("stdout", b"a")
    assert not scanner("stderr", b"b\n")


def test_a_match_may_span_lines_and_pieces() -> None:
    scanner = Scanner(re.compile(r"start\n.*\nend"))
    assert fed(scanner, "start\nmiddle\nend\n", 3)[-1]


def test_old_text_is_forgotten_but_lines_stay_whole() -> None:
    scanner = Scanner(re.compile(r"^y", re.M))
    assert not any(fed(scanner, "xy\n" * 100_000, 1 << 16))


def test_the_program_may_be_left_to_end() -> None:
    scanner = Scanner(re.compile("a"), stops=False)
    assert not scanner("stdout", b"a\n")
    assert scanner.found


@pytest.mark.parametrize("size", [5, 1000])
def test_only_the_dumps_of_a_pass(size: int) -> None:
    for pattern, name, expected in (
        ("one", "canonicalize", True),
        ("two", "canonicalize", False),
        ("three", "canonicalize", True),
        ("two", "cse", True),
        ("not of", "cse", False),
    ):
        scanner = Scanner(re.compile(pattern), pass_name=name)
        fed(scanner, DUMPS, size)
        assert scanner.found is expected, (pattern, name)


def test_dumps() -> None:
    assert dumps_of(DUMPS, "canonicalize") == ["\nmodule { needle one }\n", "\nmodule { three }\n"]
    assert dumps_of(DUMPS, "inline") == []


@pytest.mark.parametrize(
    ("pattern", "early"),
    [("needle", True), ("(?:a|b)+$", True), ("a(?!b)", False), (r"a\Z", False), ("(?<!x)a", False)],
)
def test_patterns_that_need_the_whole_text(pattern: str, early: bool) -> None:
    assert decides_early(re.compile(pattern)) is early


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
    it = PatternOracle(replace(compiler, limits=Limits(5.0)), regex="x")
    assert it.limits == Limits(5.0)


def test_a_match_is_confirmed_by_the_runner_of_the_compiler(compiler: CompilerOracle) -> None:
    words: list[Sequence[str]] = []

    def run(argv: Sequence[str], **how: Any) -> ProcessResult:
        words.append(argv)
        return run_process(argv, **how)

    it = PatternOracle(CompilerOracle(compiler.command, compiler.executable, runner=run), regex="x")
    assert it.confirm("1\nx\n", "small.mlir", limits=Limits()).kind is Kind.MATCH
    assert [argv[1] for argv in words] == ["small.mlir"]


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


ADD = """
func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {
  %c = arith.constant dense<0> : tensor<4xi32>
  %r = arith.addi %a, %c : tensor<4xi32>
  %s = arith.muli %r, %r : tensor<4xi32>
  return %s : tensor<4xi32>
}
"""


@pytest.fixture
def opt(iree_toolchain: Callable[..., Toolchain]) -> CompilerOracle:
    command = Command.parse(["iree-opt", "--cse", "--canonicalize"])
    return CompilerOracle(command, iree_toolchain().opt, limits=Limits(120))


@pytest.mark.iree
def test_only_the_ir_after_that_pass_counts(opt: CompilerOracle) -> None:
    found = ir_after(opt, "cse", r"arith\.addi").run(ADD)
    assert found.kind is Kind.MATCH
    assert found.signature.template == r"/arith\.addi/ after cse"
    assert ir_after(opt, "canonicalize", r"arith\.addi").run(ADD).kind is Kind.SUCCESS
    assert ir_after(opt, "canonicalize", r"arith\.muli").run(ADD).kind is Kind.MATCH


@pytest.mark.iree
def test_a_name_that_is_none_is_told(opt: CompilerOracle) -> None:
    (*_, unknown) = ir_after(opt, "nonsense", "x").run(ADD).diagnostics
    assert unknown.message == "nonsense: no such pass"
    (*_, unused) = ir_after(opt, "inline", "x").run(ADD).diagnostics
    assert unused.message == "inline: this pass did not run"


@pytest.mark.iree
def test_code_for_a_device_that_is_not_here(iree_toolchain: Callable[..., Toolchain]) -> None:
    flags = ["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"]
    inner = CompilerOracle(
        Command.parse(["iree-compile", *flags]), iree_toolchain().compile, limits=Limits(280)
    )
    oracle = ir_after(inner, "iree-convert-to-rocdl", r"llvm\.mul %\w+, %\w+\s+: (?:vector|i32)")
    assert oracle.run(ADD).kind is Kind.MATCH
    assert oracle.display("x.mlir")[-5:-2] == [
        "--mlir-disable-threading",
        "--mlir-elide-elementsattrs-if-larger=64",
        "x.mlir",
    ]


def test_what_the_user_says_of_threads_stays(tmp_path: Path) -> None:
    command = Command.parse(["x-opt", "--mlir-disable-threading=false", "{}"])
    oracle = ir_after(CompilerOracle(command, tmp_path / "x-opt"), "cse", "x")
    assert oracle.display("a.mlir")[1:4] == [
        "--mlir-disable-threading=false",
        "--mlir-print-ir-after=cse",
        "--mlir-elide-elementsattrs-if-larger=64",
    ]
