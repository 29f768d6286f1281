"""Runs that reach a limit are asked where they are, with compilers that really hang."""

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits, Outcome, Signature
from oracles.run import stack_request
from oracles.run.run_process import End, run_process
from oracles.run.stack_request import request_stack
from oracles.signature.classify import classify
from oracles.signature.comparison import shows
from tests.support.corpus import Case

CPU = "--iree-hal-target-backends=llvm-cpu"

# The branch into the loop goes away, and the addition in it is folded into itself for ever.
FOLDS_FOR_EVER = """
func.func @f(%cond: i1, %init: i32) {
  %true = arith.constant true
  %c1 = arith.constant 1 : i32
  cf.cond_br %true, ^exit, ^header(%init : i32)
^header(%iv: i32):
  cf.cond_br %cond, ^exit, ^latch
^latch:
  %next = arith.addi %iv, %c1 : i32
  cf.br ^header(%next : i32)
^exit:
  return
}
"""


@pytest.fixture(scope="module")
def oracle(iree_compile: Path) -> CompilerOracle:
    return CompilerOracle(Command.parse(["iree-compile", "{}", CPU]), iree_compile)


def test_two_hangs_are_told_apart_by_the_pass_that_hangs(
    oracle: CompilerOracle, corpus: Callable[[str], Case]
) -> None:
    case = corpus("inliner-self-call-hang")
    calls_itself = case.text("expert.mlir", case.runs[0])
    first, second = (
        oracle.run(text, limits=Limits(1.0)) for text in (calls_itself, FOLDS_FOR_EVER)
    )
    assert {first.kind, second.kind} == {Kind.TIMEOUT}
    assert first.signature.stage == "pipeline FoldGlobalsPass"
    assert second.signature.stage == "pipeline Canonicalizer"
    assert second.passes == ("Canonicalizer", "InlinerPass"), "the inliner runs the canonicalizer"
    assert first.signature.bucket != second.signature.bucket


def test_a_pass_that_is_not_the_innermost_may_be_the_target() -> None:
    hang = Signature(Kind.TIMEOUT, stage="pipeline CSEPass")
    outcome = Outcome(Kind.TIMEOUT, hang, passes=("CSEPass", "FixedPoint"))
    for stage in ("", "pipeline CSEPass", "pipeline FixedPoint"):
        assert shows(Signature(Kind.TIMEOUT, stage=stage), outcome)
    assert not shows(Signature(Kind.TIMEOUT, stage="pipeline Inliner"), outcome)
    assert not shows(Signature(Kind.MEMORY, stage="pipeline CSEPass"), outcome)
    assert Outcome.from_json(outcome.to_json()) == outcome


BUSY = "trap 'echo asked >&2; exit 3' QUIT; while :; do :; done"


@pytest.mark.parametrize(("ask", "said"), [(True, "asked\n"), (False, "")])
def test_a_program_is_asked_only_on_request(ask: bool, said: str, tmp_path: Path) -> None:
    asked = run_process(["sh", "-c", BUSY], cwd=tmp_path, limits=Limits(0.2, ask=ask))
    assert (asked.end, asked.stderr) == (End.TIMEOUT, said)


def test_a_child_of_a_wrapper_is_asked(tmp_path: Path) -> None:
    words = ["sh", "-c", f'sh -c "{BUSY}"; :']
    assert "asked" in run_process(words, cwd=tmp_path, limits=Limits(0.2, ask=True)).stderr


def test_a_hang_of_python_is_known_by_the_function_that_does_not_end(tmp_path: Path) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text("def fold():\n    while True: abs(1)\ndef main():\n    fold()\nmain()\n")
    command = Command.parse([sys.executable, str(tool), "{}"])
    oracle = CompilerOracle(command, Path(sys.executable))
    hang = oracle.run("", limits=Limits(0.5))
    assert (hang.kind, hang.passes) == (Kind.TIMEOUT, ("tool.fold", "tool.main"))


@pytest.fixture
def deaf(tmp_path: Path) -> Iterator[list[str]]:
    yield ["/bin/sh", "-c", "trap '' QUIT; while :; do :; done"]


def test_a_program_that_does_not_answer_is_killed(
    deaf: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oracles.run.supervisor.ANSWER_SECONDS", 0.2)
    result = run_process(deaf, cwd=tmp_path, limits=Limits(0.2, ask=True))
    assert (result.end, result.exit_code) == (End.TIMEOUT, -signal.SIGKILL)


@pytest.mark.timeout(30)
def test_a_program_that_answers_and_goes_on_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell has its background jobs ignore SIGQUIT, which a handler of LLVM's then restores."""
    monkeypatch.setattr("oracles.run.supervisor.ANSWER_SECONDS", 3600.0)
    argv = ["sh", "-c", BUSY.replace("; exit 3", "")]
    result = run_process(argv, cwd=tmp_path, limits=Limits(0.2, ask=True))
    assert (result.end, result.stderr) == (End.TIMEOUT, "asked\n")


PRINTS_FOR_EVER = """
import os, signal
STACK = b" #0 0x01 x::FooPass::runOnOperation() (/x/y+0x1)\\n"
signal.signal(signal.SIGQUIT, lambda *_: os.write(2, STACK))
while True: os.write(2, b"a.mlir:1:1: error: 'a.b' op is bad\\n" * 1000)
"""


@pytest.mark.timeout(30)
def test_a_program_that_prints_for_ever_is_asked_and_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is never quiet after its answer, and prints more than is kept."""
    monkeypatch.setattr("oracles.run.supervisor.LONGEST_ANSWER", 0.2)
    argv = [sys.executable, "-c", PRINTS_FOR_EVER]
    result = run_process(argv, cwd=tmp_path, limits=Limits(0.2, output=1 << 18, ask=True))
    assert (result.end, result.exit_code) == (End.TIMEOUT, -signal.SIGKILL)
    assert classify(result).passes == ("FooPass",)


@pytest.mark.timeout(30)
def test_a_cancelled_run_is_not_waited_for(
    deaf: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oracles.run.supervisor.ANSWER_SECONDS", 3600.0)
    cancel = threading.Event()

    def ask(number: int) -> bool:
        cancel.set()
        return request_stack(number)

    monkeypatch.setattr("oracles.run.supervisor.request_stack", ask)
    result = run_process(deaf, cwd=tmp_path, limits=Limits(0.2, ask=True), cancel=cancel)
    assert result.end is End.TIMEOUT  # it had reached the limit before


OFTEN_IN_A_LIBRARY = """
import ctypes
find, text = ctypes.CDLL(None).strlen, b"a" * 20_000
while True: find(text)
"""


def test_a_thread_is_not_interrupted_in_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could be in the allocator, which the handler needs, too."""
    where: list[tuple[bytes, bool]] = []

    def look(process: int, thread: int) -> bool:
        task = Path(f"/proc/{process}/task/{thread}")
        where.append((stack_request._state(task), stack_request._is_in_library(process, thread)))
        return False

    monkeypatch.setattr(stack_request, "_signal", look)
    argv = [sys.executable, "-c", OFTEN_IN_A_LIBRARY]
    for _ in range(2):
        assert run_process(argv, cwd=tmp_path, limits=Limits(0.3, ask=True)).end is End.TIMEOUT
    assert where == [(b"T", False)] * 2


SCRIPTS = {
    "shell": "#!/bin/sh\necho x >> {runs}\nwhile :; do :; done\n",
    "a shell's child": "#!/bin/sh\necho x >> {runs}\n(while :; do :; done)\n:\n",
    "Python": "#!{python}\nopen('{runs}', 'a').write('x')\nwhile True: pass\n",
    "a library's stack, and on": (
        "#!{python}\nimport os, signal\nopen('{runs}', 'a').write('x')\n"
        "stack = b' #0 0x01 (/lib/libc.so.6+0x1)\\n #1 0x02 x::f() (/x/y+0x1)\\n'\n"
        "stack += b' #2 0x03 main (/x/y+0x2)\\n #3 0x04 (/lib/libc.so.6+0x2)\\n'\n"
        "signal.signal(signal.SIGQUIT, lambda *_: os.write(2, stack))\n"
        "while True: pass\n"
    ),
}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_hang_that_cannot_be_placed_is_run_once(script: str, tmp_path: Path) -> None:
    """No second run would print a stack, or one with more on it."""
    runs, program = tmp_path / "runs", tmp_path / "compiler"
    program.write_text(script.format(runs=runs, python=sys.executable))
    program.chmod(0o755)
    oracle = CompilerOracle(Command.parse(["compiler", "{}"]), program, limits=Limits(0.5))
    outcome = oracle.run("module {}")
    assert outcome.signature == Signature(Kind.TIMEOUT)
    assert runs.read_text().split() == ["x"]


def test_nothing_is_asked_of_a_process_that_is_gone() -> None:
    assert not request_stack(2**22 + 1)


LATE = """#!/bin/sh
echo x >> {runs}
answer='echo " #0 0x01 x::FooPass::runOnOperation() (/x/y+0x1)" >&2; exit 3'
[ "$(wc -l < {runs})" = {answering} ] || answer=:
trap "$answer" QUIT
while :; do :; done
"""


@pytest.fixture
def late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[int], tuple[CompilerOracle, Path]]:
    """A compiler that hangs, and only in one of its runs answers where."""
    monkeypatch.setattr("oracles.run.supervisor.ANSWER_SECONDS", 0.2)
    runs, program = tmp_path / "runs", tmp_path / "compiler"

    def build(answering: int) -> tuple[CompilerOracle, Path]:
        program.write_text(LATE.format(runs=runs, answering=answering), encoding="utf-8")
        program.chmod(0o755)
        return CompilerOracle(Command.parse(["compiler", "{}"]), program, limits=Limits(0.3)), runs

    return build


def test_a_compiler_that_does_not_answer_in_time_is_run_again(
    late: Callable[[int], tuple[CompilerOracle, Path]],
) -> None:
    oracle, runs = late(2)
    outcome = oracle.run("module {}")
    assert outcome.signature == Signature(Kind.TIMEOUT, stage="pipeline FooPass")
    assert outcome.seconds >= 2 * 0.3, "both runs count"
    assert [why for why, _ in outcome.extra] == ["that printed no stack"]
    assert Outcome.from_json(outcome.to_json()) == outcome
    assert runs.read_text() == "x\nx\n"


def test_one_that_never_answers_is_not_asked_twice_each_time(
    late: Callable[[int], tuple[CompilerOracle, Path]],
) -> None:
    oracle, runs = late(0)
    first = oracle.run("module {}")
    assert first.signature == Signature(Kind.TIMEOUT)
    oracle.expect(first)
    oracle.run("module {}")
    assert runs.read_text() == "x\nx\nx\n"
