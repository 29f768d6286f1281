"""A kill from outside says nothing about the program, unless it happens again."""

import itertools
import sys
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits, Outcome, PatternOracle
from oracles.run import run_process as process
from oracles.run import supervisor as watch
from oracles.run.run_process import run_process
from oracles.signature.outcome import Signature
from tests.support.fake_compilers import write_script

# Python would print where it is, which a machine short of memory does not always wait for.
_HOLD = 'x = b"x" * (300 << 20); import time; time.sleep(60)'
EAT = f"unset PYTHONFAULTHANDLER; exec {sys.executable} -c '{_HOLD}'\n"
KILLED_ONCE = '[ -e "$0.ran" ] || { touch "$0.ran"; kill -9 $$; }\n'
FAILS = "echo \"x.mlir:1:1: error: failed to legalize operation 'x.bad'\" >&2; exit 1\n"


def outcome(folder: Path, body: str, memory: int | None = None) -> Outcome:
    """The outcome of a compiler with this body on any input."""
    tool = write_script(folder / "fake-compile", body)
    command = Command(("fake-compile", "{}"))
    oracle = CompilerOracle(command, tool, limits=Limits(60.0, memory))
    return oracle.run("module {}")


@pytest.fixture
def ever_short_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that keeps killing processes for lack of memory."""
    kills = itertools.count()
    monkeypatch.setattr(process, "out_of_memory_kills", lambda: next(kills))


@pytest.mark.parametrize("end", ["kill -9 $$", "exit 137", "exit 247"])
def test_what_is_killed_from_outside_runs_once_more(end: str, tmp_path: Path) -> None:
    body = KILLED_ONCE.replace("kill -9 $$", end)
    assert outcome(tmp_path, body + FAILS).kind is Kind.LEGALIZATION


def test_what_dies_like_that_by_itself_is_a_crash(tmp_path: Path) -> None:
    """A wrapper may end it in this way; that is a failure like any other."""
    body = 'echo >> "$0.runs"\nkill -9 $$\n'
    found = outcome(tmp_path, body)
    assert found.signature == Signature(Kind.CRASH, "SIGKILL")
    assert (tmp_path / "fake-compile.runs").read_text() == "\n\n"


def test_the_kernels_kill_is_not_our_limit(tmp_path: Path, ever_short_of_memory: None) -> None:
    ours = outcome(tmp_path, EAT, memory=100 << 20)
    theirs = outcome(tmp_path, "kill -9 $$\n")
    assert ours.signature == Signature(Kind.MEMORY)
    assert theirs.signature == Signature(Kind.MEMORY, "killed by the kernel, out of memory")


def test_the_kernel_may_kill_in_another_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = itertools.count()
    monkeypatch.setattr(process, "out_of_memory_kills_anywhere", lambda: next(kills))
    found = outcome(tmp_path, "kill -9 $$\n")
    assert found.signature == Signature(Kind.MEMORY, "killed by the kernel, out of memory")
    again = outcome(tmp_path, FAILS.replace("echo", "echo >> $0.runs; echo"))
    assert again.kind is Kind.LEGALIZATION
    assert (tmp_path / "fake-compile.runs").read_text() == "\n", "others share the machine"


def test_a_failure_while_the_kernel_killed_something_runs_once_more(
    tmp_path: Path, ever_short_of_memory: None
) -> None:
    """The killed process may have been a child of the compiler, which then fails as a result."""
    once = '[ -e "$0.ran" ] || { touch "$0.ran"; echo "error: linker failed" >&2; exit 1; }\n'
    assert outcome(tmp_path, once + FAILS).kind is Kind.LEGALIZATION


def test_a_run_that_starts_again_is_read_from_its_beginning(tmp_path: Path) -> None:
    """Output of the first run must not complete a match in the second."""
    body = f'if [ -e "$0.ran" ]; then echo end; exit 0; fi\necho begin\n{KILLED_ONCE}'
    tool = write_script(tmp_path / "fake-compile", body)
    inner = CompilerOracle(Command(("fake-compile", "{}")), tool, limits=Limits(60.0))
    assert PatternOracle(inner, regex=r"begin\nend").run("x").kind is Kind.SUCCESS


def test_an_exit_code_that_the_kernel_made_is_not_asked_for(
    tmp_path: Path, ever_short_of_memory: None
) -> None:
    tool = write_script(tmp_path / "fake-compile", "kill -9 $$\n")
    inner = CompilerOracle(Command(("fake-compile", "{}")), tool, limits=Limits(60.0))
    assert PatternOracle(inner, exit_code=-9).run("x").kind is Kind.MEMORY


def test_our_own_kill_is_not_repeated(tmp_path: Path) -> None:
    code = "import time; open('ran', 'a').write('x'); time.sleep(60)"
    run_process([sys.executable, "-c", code], cwd=tmp_path, limits=Limits(1.0))
    assert (tmp_path / "ran").read_text() == "x"


def test_a_run_ends_before_the_kernel_has_to_end_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While others fill the machine, it is repeated alone; then the limit is what is left."""
    monkeypatch.setattr(watch, "memory_reserve", lambda: 100 << 20)
    monkeypatch.setattr(watch, "memory_left", lambda: 50 << 20)
    found = outcome(tmp_path, 'echo >> "$0.runs"\n' + EAT)
    assert found.signature == Signature(Kind.MEMORY), "not a kill by the kernel"
    assert (tmp_path / "fake-compile.runs").read_text() == "\n\n"
    assert found.peak_memory < 400 << 20
    left = iter([50 << 20])
    monkeypatch.setattr(watch, "memory_left", lambda: next(left, 1 << 40))
    once = '[ -e "$0.ran" ] || { touch "$0.ran"; ' + EAT.strip() + "; }\n"
    assert outcome(tmp_path, once + FAILS).kind is Kind.LEGALIZATION


def test_a_small_run_is_not_at_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "memory_left", lambda: 0)
    assert outcome(tmp_path, "sleep 0.1\n" + FAILS).kind is Kind.LEGALIZATION
