"""Memory errors, whose crashes move, and valgrind, which does not."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle
from tests.support.in_process import SUCCESS, Answer, Program, Programs, Run
from tests.support.reducing import reduced_by
from tests.support.sides import function

LINES = "".join(f"line{number}\n" for number in range(12)) + "bad\n"
CORRUPTED = """\
malloc(): corrupted top size
Stack dump:
 #0 0x0000000000001000 llvm::sys::RunSignalHandlers() (/b/x+0x1000)
 #1 0x0000000000002000 (/lib/libc.so.6+0x3c050)
 #2 0x0000000000002100 (/lib/libc.so.6+0x8aeec)
 #3 0x0000000000003000 a::victim{place}() (/b/x+0x3000)
 #4 0x0000000000005000 __libc_start_main (/lib/libc.so.6+0x27304)
"""
FIRST = """\
==7== Invalid write of size 8
==7==    at 0x10BAC96: a::fold(int) (in /b/x)
==7==    by 0x10FAFCB: a::Pass::runOnOperation() (in /b/x)
==7==    by 0xC1CB249: (below main) (libc_start_call_main.h:58)
==7==  Address 0xfef6e68 is 0 bytes after a block of size 104 alloc'd
==7==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck.so)
==7==    by 0x57BC0F1: a::grow() (in /b/x)
"""


def corrupts(run: Run) -> Answer:
    """It crashes wherever the layout has it, which each line changes."""
    return Answer(-6, CORRUPTED.format(place=len(run.text))) if "bad" in run.text else SUCCESS


def crashes(run: Run) -> Answer:
    """It crashes in a function of its own."""
    if "bad" not in run.text:
        return SUCCESS
    return Answer(-11, CORRUPTED.partition("\n")[2].replace("libc.so.6+0x8aeec", "b/x+0x1"))


def seldom() -> Program:
    """It crashes in a function of its own, but not in every third run."""
    count = itertools.count(1)
    return lambda run: crashes(run) if next(count) % 3 else SUCCESS


def anywhere() -> Program:
    """It crashes in another function each time, which one function of its own has called."""
    count = itertools.count()
    caller = " #4 0x0000000000004000 a::caller() (/b/x+0x4000)\n #5"

    def crash(run: Run) -> Answer:
        crashed = crashes(run)
        stack = crashed.stderr.format(place=next(count)).replace(" #4", caller)
        return Answer(crashed.code, stack)

    return crash


def checks(run: Run) -> Answer:
    return Answer(99, FIRST) if "bad" in run.text else SUCCESS


def checks_any(run: Run) -> Answer:
    """It finds something in every program."""
    return Answer(99, FIRST)


def checks_for_long(run: Run) -> Answer:
    """Without one line, what is in memory has it go on for long."""
    return replace(checks(run), **({} if "line5" in run.text else {"seconds": 99.0, "cpu": 99.0}))


@pytest.mark.parametrize(
    ("program", "valgrind", "lines", "said"),
    [
        (corrupts, checks, 1, "what counts from here on is the first bad access to memory"),
        (corrupts, checks_for_long, 2, "what counts from here on is the first bad access"),
        (seldom(), checks, 1, "what counts from here on is the first bad access to memory"),
        (corrupts, None, 13, "apt-get install valgrind"),
        (corrupts, checks_any, 13, ""),
        (crashes, checks, 1, ""),
        (anywhere(), checks, 1, "counts as the same failure"),
    ],
)
def test_a_crash_in_the_allocator_is_known_by_its_first_bad_access(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    program: Program,
    valgrind: Program | None,
    lines: int,
    said: str,
) -> None:
    programs = Programs(monkeypatch)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    if valgrind is not None:
        programs.add(tmp_path / "bin" / "valgrind", valgrind)
    path = programs.add(tmp_path / "bin" / "x-crashes", program)
    report = reduced_by(CompilerOracle(Command.parse([str(path)]), path), tmp_path, LINES, jobs=1)
    assert report.verified and report.status == "reduced"
    kept = [line for line in report.text.splitlines() if not line.startswith("//")]
    assert len(kept) == lines
    assert said in "; ".join(report.notes)
    assert report.signature is not None
    is_checked = said.startswith("what")
    assert (report.command[0] == "valgrind") == is_checked
    assert report.flaky is None
    if is_checked:
        assert report.signature.template == "valgrind: Invalid write of size N"
        assert report.signature.frames == ("a::fold", "a::Pass::runOnOperation")


@pytest.mark.parametrize("has_valgrind", [True, False])
def test_a_result_that_crashes_in_some_layouts_is_known_by_its_first_bad_access(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_valgrind: bool
) -> None:
    programs = Programs(monkeypatch)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    if has_valgrind:
        programs.add(tmp_path / "bin" / "valgrind", checks)
    path = programs.add(
        tmp_path / "bin" / "x-crashes", lambda run: crashes(run) if run.layout < 3 else SUCCESS
    )
    text = '"x.line"() : () -> ()\n"x.bad"() : () -> ()\n'
    report = reduced_by(CompilerOracle(Command.parse([str(path)]), path), tmp_path, text, jobs=1)
    assert report.verified and report.signature is not None
    assert report.signature.frames[0] == ("a::fold" if has_valgrind else "x+0x1")
    assert (report.flaky is None) is has_valgrind
    if report.flaky is not None:
        assert report.flaky.input.failed < report.flaky.input.runs


def test_a_module_whose_parts_crash_elsewhere_is_known_by_its_first_bad_access(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moves(run: Run) -> Answer:
        """It prints modules, and crashes in functions that depend on all that it was given."""
        if any("generic" in word for word in run.words):
            return Answer(stdout=run.text.replace("// as people write it\n", ""))
        crashed = crashes(run)
        return Answer(crashed.code, crashed.stderr.format(place=len(run.text)))

    programs = Programs(monkeypatch)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    programs.add(tmp_path / "bin" / "valgrind", checks)
    path = programs.add(tmp_path / "bin" / "x-opt", moves)
    ops = "".join(f'    %{n} = "t.make{n % 7}"() : () -> f32\n' for n in range(400))
    body = ops + '    "t.bad"(%7) : (f32) -> ()\n    "func.return"() : () -> ()\n'
    text = "// as people write it\n" + function(body)
    oracle = CompilerOracle(Command.parse([str(path), "--t"]), path)
    report = reduced_by(oracle, tmp_path, text, jobs=1, opt=path)
    assert report.verified
    assert report.text.count(" : ") <= 4
    assert "the first bad access to memory" in "; ".join(report.notes)
