"""Misbehaving compilers and impatient users: each run ends properly and leaves nothing behind.

The scripts stand in for faults that a real compiler cannot be made to show on demand. They send the
signals as well, so that these arrive in the same run of the compiler every time.
"""

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from reducer.storage.result_folder import ResultFolder
from tests.support.fake_compilers import (
    FAIL,
    Reducer,
    flake,
    program,
    signalling,
    wait_until,
    write_script,
)

Script = Callable[[str], Path]
QUICK = ("--no-report", "--no-pass-level")
HANG = "sleep 1000\n"


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    (tmp_path / "in.mlir").write_text(program(8))
    return Reducer(tmp_path)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return lambda body: write_script(tmp_path / "fake", f"echo >> {tmp_path}/runs\n{body}")


def result(reducer: Reducer, name: str = "in.reduced.mlir") -> str:
    """The text of the result, without the comments around it."""
    text = (reducer.home / name).read_text()
    return "".join(line for line in text.splitlines(True) if not line.startswith("//"))


def runs(reducer: Reducer) -> int:
    path = reducer.home / "runs"
    return path.read_text().count("\n") if path.exists() else 0


def in_run(number: int, body: str, reducer: Reducer) -> str:
    """Shell lines that do something once, in this run or, of two at a time, the next."""
    first = f"[ $(wc -l < {reducer.home}/runs) -ge {number} ] && mkdir {reducer.home}/once"
    return f"if {first} 2> /dev/null; then\n{body}fi\n"


# ---- compilers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("flaky", [(), ("--flaky",)])
def test_a_flaky_failure_is_reduced_with_as_many_runs_as_it_needs(
    reducer: Reducer, flaky: tuple[str, ...]
) -> None:
    (reducer.home / "in.mlir").write_text(program(2))
    fake = write_script(reducer.home / "fake", flake(60, reducer.home, seed=5) + FAIL)
    words = ("-j1", "--no-pass-level", "--json", "-", "--", fake)
    done = reducer("reduce", *flaky, "in.mlir", *words)
    assert done.returncode == 0, done.stderr
    assert re.search(r"no report, since the result fails only in \d+ of \d+ runs: ", done.stderr)
    assert "x.bad" in result(reducer) and "x.op" not in result(reducer)
    report = json.loads(done.stdout)  # only JSON on standard output
    assert report["verified"]
    for rate in (report["flaky"]["input"], report["flaky"]["result"]):
        assert 5 <= rate["failed"] < rate["runs"] <= 50
    found = r"in \d of \d+ runs, 'success' in \d; each verdict takes up"
    assert "the input fails in 5 of" in done.stderr if flaky else re.search(found, done.stderr)
    reducer.assert_clean()


@pytest.mark.parametrize(
    ("fault", "options", "verdict"),
    [
        (HANG, ("--timeout", 0.3), "timeout"),
        ("x=12345678; while :; do x=$x$x; done\n", ("--memory-limit", 60), "other-failure"),
    ],
)
def test_candidates_that_use_too_much_are_stopped(
    reducer: Reducer, script: Script, fault: str, options: tuple[str, float], verdict: str
) -> None:
    (reducer.home / "in.mlir").write_text(program(4))
    fake = script(f"has x.guard || {{ {fault} }}\n{FAIL}")
    done = reducer("reduce", "in.mlir", *options, *QUICK, "--json", "-", "--", fake)
    assert done.returncode == 0, done.stderr
    assert "x.bad" in result(reducer) and "x.guard" in result(reducer)
    assert json.loads(done.stdout)["oracle"]["by_verdict"][verdict] > 0
    reducer.assert_clean()


def test_an_input_that_hangs_can_be_reduced_itself(reducer: Reducer, script: Script) -> None:
    (reducer.home / "in.mlir").write_text(program(2))
    fake = script(f"[ $input = --version ] && exit; has x.bad && {HANG} exit 0\n")
    done = reducer("reduce", "in.mlir", "--timeout", 0.3, *QUICK, "--json", "-", "--", fake)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kind"] == "timeout"
    assert "x.bad" in result(reducer) and "x.guard" not in result(reducer)
    reducer.assert_clean()


def test_floods_runaway_children_and_litter_do_not_outlive_the_run(
    reducer: Reducer, script: Script
) -> None:
    flood = "head -c 30000000 /dev/zero | tr '\\0' 'x' >&2; echo >&2\n"
    mess = 'setsid sleep 1000 & sleep 1000 & mktemp; rm -f "$input.bak"; touch litter core.1\n'
    done = reducer("reduce", "in.mlir", "--max-calls", 6, "--", script(flood + mess + FAIL))
    assert done.returncode == 3, done.stderr
    assert "legalization" in done.stdout
    reducer.assert_clean()
    assert not (reducer.home / "litter").exists()


def test_the_input_itself_is_never_touched(reducer: Reducer, script: Script) -> None:
    fake = script(FAIL.replace("exit 1", 'echo > "$input"; exit 1'))
    assert reducer("reduce", "in.mlir", *QUICK, "--", fake).returncode == 0
    assert (reducer.home / "in.mlir").read_text() == program(8)
    assert "x.bad" in result(reducer)


def test_a_compiler_that_is_replaced_after_the_result(reducer: Reducer, script: Script) -> None:
    """It runs once more for the report."""
    fake = script('case $input in *repro.mlir) echo "#" >> "$0" ;; esac\n' + FAIL)
    done = reducer("reduce", "in.mlir", "-j1", "--", fake)
    assert done.returncode == 4, done.stderr
    assert "NOT VERIFIED: the compiler" in done.stdout


# ---- budgets and kills -------------------------------------------------------------------------


def test_a_run_that_goes_on_keeps_the_best_and_pays_for_nothing_twice(
    reducer: Reducer, script: Script
) -> None:
    kill = f"if [ -e {reducer.home}/kill ]; then {signalling('KILL')}{HANG}fi\n"
    words = ("reduce", "in.mlir", "-j1", *QUICK, "--json", "out.json", "--", script(kill + FAIL))
    assert reducer(*words).returncode == 0
    whole, cost = result(reducer), runs(reducer)
    (reducer.home / "runs").unlink()
    assert reducer(words[0], "--fresh", "--max-calls", 10, *words[1:]).returncode == 3
    assert not json.loads((reducer.home / "out.json").read_text())["one_minimal"]
    best = result(reducer)
    assert "x.bad" in best and len(whole) < len(best) < len(program(8))
    (reducer.home / "kill").touch()
    assert reducer(*words).returncode == -signal.SIGKILL
    assert result(reducer) == best
    (reducer.home / "kill").unlink()
    assert reducer(*words).returncode == 0
    assert result(reducer) == whole
    extra = 3  # the partial result as a `…-opt` tool prints it, its confirmation, the killed run
    assert runs(reducer) <= cost + extra
    reducer.assert_clean()


def test_seconds_are_a_budget_too(reducer: Reducer, script: Script) -> None:
    fake = script("sleep 0.1\n" + FAIL)
    done = reducer("reduce", "in.mlir", "--max-seconds", 0.4, "-j1", "--", fake)
    assert done.returncode == 3, done.stderr
    output = reducer.home / "in.reduced.mlir"  # a slow machine may not get this far
    assert not output.exists() or "x.bad" in output.read_text()


# ---- interruptions -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
def test_a_signal_ends_it_soon_with_the_best_so_far(
    reducer: Reducer, script: Script, name: str
) -> None:
    fake = script(in_run(11, signalling(name) + HANG, reducer) + FAIL)
    done = reducer("reduce", "in.mlir", "-j2", "--json", "-", "--", fake)
    assert done.returncode == 130, done.stderr
    assert "stopping" in done.stderr
    assert json.loads(done.stdout)["status"] == "interrupted"
    assert "x.bad" in result(reducer)
    reducer.assert_clean()


@pytest.mark.parametrize("name", ["INT", "KILL"])
def test_a_result_that_was_interrupted_works_with_each_command(
    reducer: Reducer, script: Script, name: str
) -> None:
    fake = script(in_run(11, signalling(name) + HANG, reducer) + FAIL)
    done = reducer("reduce", "in.mlir", "-j1", "--timeout", 50, "--", fake)
    assert done.returncode == (130 if name == "INT" else -signal.SIGKILL)
    lines = (reducer.home / "in.reduced.mlir").read_text().splitlines()
    if name == "INT":  # printed and verified, as in the end
        assert lines[0] == "// fake in.reduced.mlir"
        assert "verdict     VERIFIED" in done.stdout
        assert lines[-1] == "// error: failed to legalize operation 'x.bad'"
    for command in ("check", "explain", "locate", "report"):
        done = reducer(command, "in.reduced.mlir")
        assert done.returncode == 0, done.stderr
        assert "its failure in the reduction: legalization: " in done.stderr
    assert reducer("page", "in.reduced.mlir").returncode == 0
    report = (reducer.home / "in.reduced" / "report" / "report.md").read_text()
    assert "#### What the failure depends on" in report and "#### Reduction" in report
    assert "is not part of the published releases" in reducer("bisect", "in.reduced").stderr


@pytest.mark.parametrize("there", [None, "an earlier result\n"])
def test_a_signal_before_anything_is_accepted_writes_nothing(
    reducer: Reducer, script: Script, there: str | None
) -> None:
    output = reducer.home / "in.reduced.mlir"
    if there is not None:
        ResultFolder.of(output, reducer.home / "in.mlir").written.write(output, there)
    fake = script(in_run(4, signalling("INT") + HANG, reducer) + FAIL)
    done = reducer("reduce", "in.mlir", "-j1", "--", fake)
    assert done.returncode == 130, done.stderr
    assert (output.read_text() if output.exists() else None) == there
    said = "was not written" if there is None else "was not changed"
    assert f"none yet; in.reduced.mlir {said}" in done.stdout
    reducer.assert_clean()


def test_a_signal_in_the_first_run_ends_it_too(reducer: Reducer, script: Script) -> None:
    done = reducer("reduce", "in.mlir", "--", script(signalling("INT") + HANG))
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr and not (reducer.home / "in.reduced.mlir").exists()
    reducer.assert_clean()


def test_a_signal_while_the_result_is_verified_ends_it_too(
    reducer: Reducer, script: Script
) -> None:
    verifying = f"case $input in *in.reduced.mlir) {signalling('INT')}{HANG};; esac\n"
    done = reducer("reduce", "in.mlir", "--json", "-", "--", script(verifying + FAIL))
    assert done.returncode == 130, done.stderr
    report = json.loads(done.stdout)
    assert (report["status"], report["verified"]) == ("interrupted", False)
    assert "x.bad" in result(reducer) and "x.op" not in result(reducer)
    reducer.assert_clean()


def test_a_signal_after_the_result_leaves_it_and_says_so(reducer: Reducer, script: Script) -> None:
    reporting = f"case $input in *repro.mlir) {signalling('INT')}{HANG};; esac\n"
    done = reducer("reduce", "in.mlir", "-j1", "--", script(reporting + FAIL))
    assert done.returncode == 130
    assert "interrupted: the result is complete, but not what follows it" in done.stderr
    assert "verdict     VERIFIED" in done.stdout and result(reducer) == '"x.bad"() : () -> ()\n'


def test_a_second_signal_leaves_at_once(reducer: Reducer, script: Script) -> None:
    fake = script(in_run(6, 2 * signalling("INT") + HANG, reducer) + FAIL)
    assert reducer("reduce", "in.mlir", "-j1", "--", fake).returncode == 130
    reducer.assert_clean()


def test_a_killed_run_leaves_no_process_and_no_file(reducer: Reducer, script: Script) -> None:
    """Nor does it share its journal while it runs."""
    with reducer.start("reduce", "in.mlir", "--", script(f"setsid sleep 1000 & {HANG}")) as process:
        assert wait_until(lambda: runs(reducer) > 0 and len(reducer.strays()) > 1)
        other = reducer("reduce", "in.mlir", "--", reducer.home / "fake")
        assert other.returncode == 75, other.stderr
        assert "another process" in other.stderr
        process.kill()
        process.communicate(timeout=30)
    reducer.assert_clean()


# ---- other failures ----------------------------------------------------------------------------

DIFFERS = """has x.op7 || has x.bad || exit 0
has x.guard || { echo "$input:1:1: error: guard missing" >&2; exit 1; }
"""


def also_found(reducer: Reducer) -> dict[str, str]:
    folder = reducer.home / "in.reduced" / "also-found"
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_another_failure_is_kept_for_any_number_of_workers_and_outlives_a_kill(
    reducer: Reducer, script: Script
) -> None:
    fake = script(DIFFERS + FAIL)
    done = reducer("reduce", "in.mlir", "-j1", *QUICK, "--json", "-", "--", fake)
    assert done.returncode == 0, done.stderr
    (one,) = json.loads(done.stdout)["also_found"]
    assert "guard missing" in one["text"]
    assert "1 other failure in in.reduced/also-found" in done.stderr
    assert "x.guard" not in (reducer.home / one["path"]).read_text()
    whole, total = also_found(reducer), runs(reducer)
    assert len(whole) == 3
    (reducer.home / "runs").unlink()
    fake = script(in_run(total // 2, signalling("KILL"), reducer) + DIFFERS + FAIL)
    words = ("in.mlir", "-j4", *QUICK, "--", fake)
    assert reducer("reduce", "--fresh", *words).returncode == -signal.SIGKILL
    assert reducer("reduce", *words).returncode == 0
    assert also_found(reducer) == whole
    reducer.assert_clean()


def test_a_script_says_by_its_exit_code_that_it_fails_differently(reducer: Reducer) -> None:
    write_script(reducer.home / "test.sh", "has x.bad || exit 1; has x.guard || exit 101; exit 0\n")
    done = reducer("reduce", "in.mlir", *QUICK, "--json", "-", "--test", "./test.sh")
    assert done.returncode == 0, done.stderr
    (one,) = json.loads(done.stdout)["also_found"]
    assert one["signature"]["template"] == "also interesting"
    assert "x.bad" in (reducer.home / one["path"]).read_text()
