"""Crashes whose stack depends on addresses, as after a read of garbage."""

import itertools
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from oracles import Command, CompilerOracle, Kind, Outcome, Signature
from oracles.run.reaper_client import addresses_can_be_fixed
from oracles.signature.comparison import shows
from reducer.driver.checked import checked
from reducer.driver.failing import FailingProgram
from reducer.driver.records.record import Report
from reducer.errors import FlakyOracle
from reducer.identity import sanity, unstable_crash
from reducer.identity.unstable_crash import FIXED_ADDRESSES, in_common
from reducer.toolchain import Toolchain
from tests.support.fake_compilers import write_script
from tests.support.in_process import SUCCESS, Answer, Programs, Run
from tests.support.reducing import reduced_by

LINES = "".join(f"line{number}\n" for number in range(12)) + "bad\n"
STACK = """\
Stack dump:
 #0 0x0000000000001000 llvm::sys::RunSignalHandlers() (/b/x+0x1000)
 #1 0x0000000000002000 (/lib/libc.so.6+0x3c050)
 #2 0x0000000000003000 a::anywhere{place}() (/b/x+0x3000)
 #3 0x0000000000004000 a::{common}::matchAndRewrite() (/b/x+0x4000)
 #4 0x0000000000005000 __libc_start_main (/lib/libc.so.6+0x27304)
"""
BY_ADDRESS = f"""\
grep -q bad "$1" || exit 0
place=$(sed -n 's/-.*\\[vdso\\]//p' /proc/self/maps)
cat >&2 <<END
{STACK.format(place="$place", common="Pattern")}END
kill -SEGV $$
"""


def crash_in(place: object = "", common: str = "Pattern", number: int = signal.SIGSEGV) -> Answer:
    return Answer(-number, STACK.format(place=place, common=common))


Varying = Callable[[int, str], Answer]
"""A program by the number of the run, from 1, and the text that it is given."""


class Reduce(Protocol):
    def __call__(self, program: Varying, text: str = ..., opt: Path | None = ...) -> Report: ...


@pytest.fixture
def reduce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reduce:
    """Reduces a text with a program that crashes on what has `bad`, or a multiplication."""
    programs = Programs(monkeypatch)

    def run(program: Varying, text: str = LINES, opt: Path | None = None) -> Report:
        count = itertools.count(1)

        def crashes(run: Run) -> Answer:
            number, fails = next(count), "bad\n" in run.text or "muli" in run.text
            return program(number, run.text) if fails else SUCCESS

        return reduce_with(programs.add(tmp_path / "crashes", crashes), text, opt)

    return run


def reduce_with(program: Path, text: str = LINES, opt: Path | None = None) -> Report:
    oracle = CompilerOracle(Command.parse([str(program)]), program)
    return reduced_by(oracle, program.parent, text, opt=opt, jobs=1)


@pytest.mark.machine
def test_what_only_varies_with_addresses_is_reduced_with_fixed_ones(tmp_path: Path) -> None:
    if not addresses_can_be_fixed():
        pytest.skip("address-space randomization cannot be turned off here")
    report = reduce_with(write_script(tmp_path / "crashes", BY_ADDRESS), "line\nbad\n")
    assert report.text.split() == ["bad"]
    assert report.verified
    assert tuple(report.command[:2]) == FIXED_ADDRESSES
    assert len(report.signature.frames) == 2 and not report.signature.varies
    assert any("setarch -R" in note for note in report.notes)


@pytest.mark.machine
@pytest.mark.parametrize("place", range(4))
def test_the_command_has_the_stack_where_it_fails(tmp_path: Path, place: int) -> None:
    if not addresses_can_be_fixed():
        pytest.skip("address-space randomization cannot be turned off here")
    body = f"""\
grep -q bad "$1" || exit 0
start=$(cut -d' ' -f28 /proc/$$/stat)
[ $((start / 16 % 4)) = {place} ] && kill -SEGV $$
echo 'LLVM ERROR: out of memory' >&2
kill -ABRT $$
"""
    report = reduce_with(write_script(tmp_path / "crashes", body), "line\nbad\n")
    assert report.text.split() == ["bad"] and report.verified
    assert report.failure.kind == "crash" and set(FIXED_ADDRESSES) <= set(report.command)


MESSAGE = Answer(1, "in.mlir:1:1: error: 'arith.muli' op is bad\n")
HERE = crash_in("here")
ENDLESS = Answer(seconds=1000.0, cpu=1000.0)
NO_MEMORY = Answer(-6, "LLVM ERROR: out of memory\n")


@pytest.mark.parametrize(
    ("fixed", "random", "can_be_fixed", "begins", "said"),
    [
        ([HERE], [HERE], True, "", ""),
        ([HERE], [HERE, NO_MEMORY], True, "setarch", "1 of 2 runs, 'memory: out of memory' in 1"),
        ([HERE], [NO_MEMORY], True, "setarch", "in 2 of 2 runs with fixed addresses, and in 0 of"),
        ([HERE], [ENDLESS], True, "setarch", "in 0 of 2 runs, 'timeout' in 2 with addresses"),
        ([NO_MEMORY], [HERE, SUCCESS], True, "setarch", "in 2 of 2 runs with fixed addresses"),
        ([SUCCESS], [HERE], True, "", "0 of 1 runs, 'success' in 1 with fixed addresses, and in 5"),
        ([SUCCESS], [HERE, SUCCESS], True, "", "each verdict takes up to 50 runs"),
        ([HERE, SUCCESS], [HERE, SUCCESS], True, "", "each verdict takes up to 50 runs"),
        ([HERE], [HERE, crash_in("there")], False, "", "counts as the same failure"),
        ([MESSAGE], [MESSAGE], True, "", ""),
    ],
)
def test_what_an_input_shows_in_several_runs_decides_how_it_is_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fixed: list[Answer],
    random: list[Answer],
    can_be_fixed: bool,
    begins: str,
    said: str,
) -> None:
    """The answers of a program take turns, for each way of starting it."""
    turns = {True: itertools.cycle(fixed), False: itertools.cycle(random)}
    for module in (unstable_crash, sanity):
        monkeypatch.setattr(module, "addresses_can_be_fixed", lambda: can_be_fixed)

    def program(run: Run) -> Answer:
        is_fixed = run.fixed and can_be_fixed
        return next(turns[is_fixed]) if "bad\n" in run.text else SUCCESS

    path = Programs(monkeypatch).add(tmp_path / "crashes", program)
    report = reduce_with(path, "line\nbad\n")
    assert report.text.split() == ["bad"]
    assert report.verified
    assert Path(report.command[0]).name == (begins or "crashes")
    notes = [note for note in report.notes if "valgrind" not in note]  # which may not be here
    assert said in "; ".join(notes) and len(notes) == 1 + bool(said)


@pytest.mark.parametrize(
    ("layouts", "random", "is_crash", "said"),
    [
        ([NO_MEMORY, HERE, NO_MEMORY, HERE], NO_MEMORY, True, "elsewhere it is 'memory: out of me"),
        ([MESSAGE, MESSAGE, HERE, MESSAGE], MESSAGE, True, "elsewhere it is 'verifier: 'arith.mu"),
        ([SUCCESS, SUCCESS, SUCCESS, HERE], HERE, True, "elsewhere it is 'success'"),
        ([SUCCESS, NO_MEMORY, NO_MEMORY, HERE], HERE, True, "elsewhere it is 'success'"),
        ([NO_MEMORY], HERE, False, "'memory: out of memory' in 2 of 2 runs with fixed addresses"),
    ],
)
def test_a_layout_that_says_more_is_preferred(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    layouts: list[Answer],
    random: Answer,
    is_crash: bool,
    said: str,
) -> None:
    """A lack of memory says less than an error, and that less than a crash."""

    def program(run: Run) -> Answer:
        if "bad\n" not in run.text:
            return SUCCESS
        return layouts[run.layout % len(layouts)] if run.fixed else random

    path = Programs(monkeypatch).add(tmp_path / "crashes", program)
    oracle = CompilerOracle(Command.parse([str(path)]), path)
    shown = checked(FailingProgram(path, "bad\n", oracle)).outcome
    report = reduce_with(path, "line\nbad\n")
    assert report.text.split() == ["bad"]
    for kind in (str(shown.kind), report.failure.kind):
        assert (kind == "crash") is is_crash
    assert said in "; ".join([*report.notes, "" if is_crash else said])
    remark = said if layouts[0] is not SUCCESS else "it fails in 1 of 2 runs"
    assert is_crash is any(remark in one.message for one in shown.diagnostics)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGBUS])
def test_what_all_stacks_have_is_the_failure(reduce: Reduce, number: int) -> None:
    """A wild access may end in either signal: which one depends on the address that is read."""
    report = reduce(lambda n, _: crash_in(n, number=number if n % 2 else signal.SIGSEGV))
    assert report.text.split() == ["bad"]
    assert report.verified
    assert "setarch" not in report.command
    assert report.signature.frames == ("a::Pattern::matchAndRewrite",)
    assert report.signature.text == (
        "crash: SIGSEGV in a::Pattern::matchAndRewrite, the rest of the stack varies"
    )
    assert any("counts as the same failure" in note for note in report.notes)
    assert not report.also_found


def test_crashes_without_anything_in_common_are_refused(reduce: Reduce) -> None:
    with pytest.raises(FlakyOracle, match="does not fail on every run"):
        reduce(lambda n, _: crash_in(n, f"other{n}"))


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


@pytest.mark.parametrize(
    ("passes_now_and_then", "said"),
    [(True, ["the result fails in 2 of 3 runs"]), (False, [])],
)
def test_it_is_said_how_often_a_result_crashes_unless_always(
    reduce: Reduce, *, passes_now_and_then: bool, said: list[str]
) -> None:
    """The input always does, and what is left of it three times in four."""

    def program(n: int, text: str) -> Answer:
        passes = passes_now_and_then and n % 2 == 0 and "line" not in text
        return SUCCESS if passes else crash_in()

    report = reduce(program)
    assert report.text.split() == ["bad"]
    notes = [note for note in report.notes if "of 3 runs" in note]
    assert len(notes) == len(said)
    assert all(map(str.startswith, notes, said))


# ---- failures that do not occur in every run -----------------------------------------------------

ADDITIONS = "".join(f"  %{n} = arith.addi %a, %a : i32\n" for n in range(9))
MODULE = f"func.func @main(%a: i32) {{\n{ADDITIONS}  %bad = arith.muli %a, %a : i32\n  return\n}}\n"


@pytest.mark.parametrize(
    ("failure", "note"),
    [
        (lambda n: crash_in(n % 3), "counts as the same failure"),
        (lambda n: MESSAGE, "each verdict takes up to 50 runs"),
    ],
    ids=["three stacks", "a message"],
)
def test_what_fails_in_nine_of_ten_runs_is_reduced(
    reduce: Reduce, failure: Callable[[int], Answer], note: str
) -> None:
    """By repeating runs, and as what several stacks share."""
    report = reduce(lambda n, _: SUCCESS if n % 10 == 1 else failure(n), MODULE)
    assert report.verified and report.status == "reduced"
    assert report.output.ops <= 3
    assert report.signature.frames == (
        () if "verdict" in note else ("a::Pattern::matchAndRewrite",)
    )
    assert report.flaky is not None and report.flaky.result is not None
    assert any(note in said for said in report.notes)


@pytest.mark.iree
def test_a_result_that_hardly_ever_fails_is_not_the_result(
    reduce: Reduce, iree_toolchain: Callable[..., Toolchain]
) -> None:
    """All runs fail while four additions are left, and then only the first of each program."""
    seen: set[str] = set()

    def program(n: int, text: str) -> Answer:
        fails = text.count("addi") >= 4 or text not in seen
        seen.add(text)
        return crash_in() if fails else SUCCESS

    report = reduce(program, MODULE, iree_toolchain().opt)
    assert report.verified and report.status == "reduced"
    assert report.text.count("addi") == 4
    assert any("going back to one that fails more often" in note for note in report.notes)
