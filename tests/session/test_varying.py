"""Crashes whose stack depends on addresses, as after a read of garbage."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Outcome, Signature
from oracles.comparison import shows
from reducer.errors import FlakyOracle
from reducer.session.record import Report
from reducer.session.reduction import Reduction
from reducer.session.settings import Settings
from reducer.session.varying import FIXED_ADDRESSES, in_common
from reducer.toolchain import Toolchain
from tests.support.fake_compilers import write_script
from tests.support.silent import Silent

LINES = "".join(f"line{number}\n" for number in range(12)) + "bad\n"
STACK = """\
grep -q bad "$1" || exit 0
cat >&2 <<END
Stack dump:
 #0 0x0000000000001000 llvm::sys::RunSignalHandlers() (/b/x+0x1000)
 #1 0x0000000000002000 (/lib/libc.so.6+0x3c050)
 #2 0x0000000000003000 a::anywhere$PLACE() (/b/x+0x3000)
 #3 0x0000000000004000 a::Pattern::matchAndRewrite() (/b/x+0x4000)
 #4 0x0000000000005000 __libc_start_main (/lib/libc.so.6+0x27304)
END
kill -SEGV $$
"""
BY_ADDRESS = "PLACE=$(sed -n 's/-.*\\[stack\\]//p' /proc/self/maps)\n" + STACK
BY_CHANCE = "PLACE=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')\n" + STACK
NOTHING_IN_COMMON = BY_CHANCE.replace("a::Pattern::matchAndRewrite", "a::other$PLACE")


def reduce(folder: Path, body: str, text: str = LINES, opt: Path | None = None) -> Report:
    script = write_script(folder / "crashes", f"#!/bin/sh\n{body}")
    settings = Settings(
        input=folder / "in.mlir",
        text=text,
        output=folder / "out.mlir",
        journal=folder / "journal",
        opt=opt,
        jobs=1,
    )
    oracle = CompilerOracle(Command.parse([str(script)]), script)
    return Reduction(settings, oracle, Silent()).run()


def needs_fixed_addresses() -> None:
    if shutil.which("setarch") is None or subprocess.call([*FIXED_ADDRESSES, "true"]):
        pytest.skip("address-space randomization cannot be turned off here")


def test_a_fixed_address_space_becomes_part_of_the_command(tmp_path: Path) -> None:
    needs_fixed_addresses()
    report = reduce(tmp_path, BY_ADDRESS)
    assert report.text.split() == ["bad"]
    assert report.verified
    assert tuple(report.command[:2]) == FIXED_ADDRESSES
    assert report.signature.frames == ("a::Pattern::matchAndRewrite",)
    assert any("setarch -R" in note for note in report.notes)


def test_what_all_stacks_have_is_the_failure(tmp_path: Path) -> None:
    report = reduce(tmp_path, BY_CHANCE)
    assert report.text.split() == ["bad"]
    assert report.verified
    assert "setarch" not in report.command
    assert report.signature.text == (
        "crash: SIGSEGV in a::Pattern::matchAndRewrite, the rest of the stack varies"
    )
    assert any("counts as the same failure" in note for note in report.notes)


def test_a_wild_access_may_end_in_either_signal(tmp_path: Path) -> None:
    """Which one depends on the address that happens to be read, and on the register it is in."""
    either = BY_CHANCE.replace(
        "kill -SEGV", "kill -$(test $((PLACE % 2)) = 0 && echo BUS || echo SEGV)"
    )
    report = reduce(tmp_path, either)
    assert report.text.split() == ["bad"]
    assert report.verified
    assert report.signature.frames == ("a::Pattern::matchAndRewrite",)
    assert not report.also_found


def test_crashes_without_anything_in_common_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FlakyOracle, match="does not fail on every run"):
        reduce(tmp_path, NOTHING_IN_COMMON)


def crash(*stack: str, template: str = "SIGSEGV") -> Outcome:
    signature = Signature(Kind.CRASH, template, frames=stack[:3])
    return Outcome(Kind.CRASH, signature, stack=stack)


def test_common_frames_may_be_below_those_of_a_signature() -> None:
    common = in_common([crash("a", "b", "c", "f"), crash("x", "f")])
    assert common is not None
    assert common.frames == ("f",)
    assert shows(common, crash("p", "q", "r", "f"))
    assert not shows(common, crash("p", "q"))
    assert Signature.from_json(common.to_json()) == common


def test_other_signals_and_successes_have_nothing_in_common() -> None:
    assert in_common([crash("f"), crash("f", template="SIGABRT")]) is None
    assert in_common([crash("f"), Outcome(Kind.SUCCESS, Signature(Kind.SUCCESS))]) is None


BY_LUCK = """\
echo >> "$0.runs"
grep -q line "$1" || [ $(($(wc -l < "$0.runs") % 5)) != 0 ] || exit 0
""" + STACK.replace("$PLACE", "")  # fmt: skip


def test_it_is_said_how_often_a_result_crashes(tmp_path: Path) -> None:
    """The input always does, and what is left of it three times in four."""
    report = reduce(tmp_path, BY_LUCK)
    assert report.text.split() == ["bad"]
    (said,) = (note for note in report.notes if "of 3 runs" in note)
    assert said.startswith("the result fails in 2 of 3 runs")


def test_a_result_that_always_crashes_needs_no_words(tmp_path: Path) -> None:
    report = reduce(tmp_path, STACK.replace("$PLACE", ""))
    assert report.text.split() == ["bad"]
    assert not any("of 3 runs" in note for note in report.notes)


# ---- failures that do not occur in every run -----------------------------------------------------

ADDITIONS = "".join(f"  %{n} = arith.addi %a, %a : i32\n" for n in range(9))
MODULE = f"func.func @main(%a: i32) {{\n{ADDITIONS}  %bad = arith.muli %a, %a : i32\n  return\n}}\n"
COUNTED = 'grep -q muli "$1" || exit 0\necho >> "$0.runs"\nN=$(wc -l < "$0.runs")\n'
NOT_EVERY = "[ $((N % 10)) != 1 ] || exit 0\n"  # so that it passes first, and then now and then
IN_THREE_PLACES = STACK.replace("bad", "muli").replace("$PLACE", "$((N % 3))")
MESSAGE = "echo \"in.mlir:1:1: error: 'arith.muli' op is bad\" >&2; exit 1\n"


def test_three_stacks_in_nine_of_ten_runs_are_reduced_as_what_they_share(tmp_path: Path) -> None:
    report = reduce(tmp_path, COUNTED + NOT_EVERY + IN_THREE_PLACES, MODULE)
    assert report.verified and report.status == "reduced"
    assert report.output.ops <= 3
    assert report.signature.frames == ("a::Pattern::matchAndRewrite",)
    assert report.flaky is not None and report.flaky.result is not None
    assert any("counts as the same failure" in note for note in report.notes)


def test_a_message_in_nine_of_ten_runs_is_reduced_by_repeating_runs(tmp_path: Path) -> None:
    report = reduce(tmp_path, COUNTED + NOT_EVERY + MESSAGE, MODULE)
    assert report.verified and report.output.ops <= 3
    assert report.flaky is not None and report.flaky.result is not None
    assert any("each verdict takes up to 50 runs" in note for note in report.notes)


BY_LUCK_ONCE = """\
grep -q muli "$1" || exit 0
RUNS="$0.$(cksum < "$1" | tr -d ' ')"
echo >> "$RUNS"
[ $(grep -c addi "$1") -ge 4 ] || [ $(wc -l < "$RUNS") = 1 ] || exit 0
"""


def test_a_result_that_hardly_ever_fails_is_not_the_result(
    tmp_path: Path, iree_toolchain: Callable[..., Toolchain]
) -> None:
    """All runs fail while four additions are left, and then only the first of each program."""
    body = BY_LUCK_ONCE + STACK.replace("bad", "muli").replace("$PLACE", "")
    report = reduce(tmp_path, body, MODULE, iree_toolchain().opt)
    assert report.verified and report.status == "reduced"
    assert report.text.count("addi") == 4
    assert any("going back to one that fails more often" in note for note in report.notes)
