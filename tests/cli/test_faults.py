"""Misbehaving compilers and impatient users: each run ends properly and leaves nothing behind.

The scripts stand in for faults that a real compiler cannot be made to show on demand.
"""

import json
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from reducer.storage.result_folder import ResultFolder
from tests.support.fake_compilers import FAIL, Reducer, flake, program, wait_until, write_script

Script = Callable[[str], Path]


@pytest.fixture
def reducer(tmp_path: Path) -> Reducer:
    (tmp_path / "in.mlir").write_text(program())
    return Reducer(tmp_path)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return lambda body: write_script(tmp_path / "fake", body)


def result(reducer: Reducer, name: str = "in.reduced.mlir") -> str:
    """The text of the result, without the comments around it."""
    text = (reducer.home / name).read_text()
    return "".join(line for line in text.splitlines(True) if not line.startswith("//"))


def test_a_good_script_is_the_yardstick(reducer: Reducer, script: Script) -> None:
    done = reducer("reduce", "in.mlir", "--json", "-", "--", script(FAIL))
    assert done.returncode == 0, done.stderr
    assert "x.bad" in result(reducer)
    report = json.loads(done.stdout)  # only JSON on standard output
    assert report["verified"] and report["output"]["ops"] == 1
    assert sum(report["oracle"]["by_verdict"].values()) == report["oracle"]["calls"]
    reducer.assert_clean()


# ---- compilers ---------------------------------------------------------------------------------


def test_a_command_that_succeeds_leaves_nothing_to_do(reducer: Reducer, script: Script) -> None:
    done = reducer("reduce", "in.mlir", "--", script("exit 0"))
    assert done.returncode == 1
    assert "does not fail" in done.stderr
    assert sorted(path.name for path in reducer.home.iterdir()) == ["fake", "in.mlir", "tmp"]


def test_a_parent_that_ignores_the_end_of_its_children(reducer: Reducer, script: Script) -> None:
    """SIG_IGN survives exec, and the kernel then keeps no exit code for `wait`."""
    done = subprocess.run(
        reducer.argv("check", "in.mlir", "--", script(FAIL)),
        cwd=reducer.home,
        env=reducer.environment,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    )
    assert done.returncode == 0, done.stderr
    assert "legalization" in done.stdout


def test_a_failure_that_needs_no_input_is_refused(reducer: Reducer, script: Script) -> None:
    done = reducer("reduce", "in.mlir", "--", script("echo 'error: bad flag' >&2; exit 1"))
    assert done.returncode == 1
    assert "empty module" in done.stderr


def test_a_flaky_failure_is_found_out_and_reduced(reducer: Reducer, script: Script) -> None:
    (reducer.home / "in.mlir").write_text(program(6))
    fake = script(flake(60, reducer.home, seed=1) + FAIL)
    done = reducer("reduce", "in.mlir", "-j1", "--", fake)
    assert done.returncode == 0, done.stderr
    assert "x.bad" in result(reducer) and "x.op" not in result(reducer)
    assert re.search(r"in \d of \d+ runs, 'success' in \d; each verdict takes up", done.stderr)


def test_a_flaky_failure_is_reduced_with_as_many_runs_as_it_needs(
    reducer: Reducer, script: Script
) -> None:
    (reducer.home / "in.mlir").write_text(program(6))
    fake = script(flake(60, reducer.home, seed=1) + FAIL)
    done = reducer("reduce", "--flaky", "in.mlir", "-j1", "--json", "-", "--", fake)
    assert done.returncode == 0, done.stderr
    assert "x.bad" in result(reducer) and "x.op" not in result(reducer)
    report = json.loads(done.stdout)
    assert report["verified"]
    for rate in (report["flaky"]["input"], report["flaky"]["result"]):
        assert 5 <= rate["failed"] < rate["runs"] <= 50
    assert "the input fails in 5 of" in done.stderr
    reducer.assert_clean()


def test_candidates_that_hang_are_given_up(reducer: Reducer, script: Script) -> None:
    hang = "has x.guard || sleep 1000\n"
    done = reducer("reduce", "in.mlir", "--timeout", 0.5, "--json", "-", "--", script(hang + FAIL))
    assert done.returncode == 0, done.stderr
    assert "x.bad" in result(reducer) and "x.guard" in result(reducer)
    assert json.loads(done.stdout)["oracle"]["by_verdict"]["timeout"] > 0
    reducer.assert_clean()


def test_an_input_that_hangs_can_be_reduced_itself(reducer: Reducer, script: Script) -> None:
    hang = "[ $input = --version ] && exit; has x.bad && sleep 1000; exit 0\n"
    done = reducer("reduce", "in.mlir", "--timeout", 0.3, "--json", "-", "--", script(hang))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kind"] == "timeout"
    assert "x.bad" in result(reducer) and "x.guard" not in result(reducer)
    reducer.assert_clean()


def test_candidates_that_eat_memory_are_stopped(reducer: Reducer, script: Script) -> None:
    eat = "has x.guard || { x=12345678; while :; do x=$x$x; done; }\n"
    done = reducer(
        "reduce", "in.mlir", "--memory-limit", 60, "--json", "-", "--", script(eat + FAIL)
    )
    assert done.returncode == 0, done.stderr
    assert "x.bad" in result(reducer) and "x.guard" in result(reducer)
    reducer.assert_clean()


def test_an_input_that_eats_memory_can_be_reduced_itself(reducer: Reducer, script: Script) -> None:
    (reducer.home / "in.mlir").write_text(program(8))
    eat = "x=12345678; while :; do x=$x$x; done"
    body = f"[ $input = --version ] && exit; has x.bad && {{ {eat}; }}; exit 0\n"
    done = reducer("reduce", "in.mlir", "--memory-limit", 60, "--json", "-", "--", script(body))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["kind"], report["verified"], report["one_minimal"]) == ("memory", True, True)
    assert "x.bad" in result(reducer) and "x.op" not in result(reducer)
    reducer.assert_clean()


def test_a_flood_of_output_is_survived(reducer: Reducer, script: Script) -> None:
    flood = "head -c 30000000 /dev/zero | tr '\\0' 'x' >&2; echo >&2\n"
    done = reducer("reduce", "in.mlir", "--max-calls", 6, "--", script(flood + FAIL))
    assert done.returncode in (0, 3), done.stderr
    assert "legalization" in done.stdout


def test_runaway_children_and_litter_do_not_outlive_the_run(
    reducer: Reducer, script: Script
) -> None:
    mess = 'setsid sleep 1000 & sleep 1000 & mktemp; rm -f "$input.bak"; touch litter core.1\n'
    done = reducer("reduce", "in.mlir", "--max-calls", 20, "--", script(mess + FAIL))
    assert done.returncode in (0, 3), done.stderr
    reducer.assert_clean()
    assert not (reducer.home / "litter").exists()


def test_the_input_itself_is_never_touched(reducer: Reducer, script: Script) -> None:
    vandal = FAIL.replace("exit 1", 'echo > "$input"; exit 1')
    done = reducer("reduce", "in.mlir", "--", script(vandal))
    assert done.returncode == 0, done.stderr
    assert (reducer.home / "in.mlir").read_text() == program()
    assert "x.bad" in result(reducer)


def test_a_script_without_an_interpreter_cannot_be_run(reducer: Reducer) -> None:
    fake = reducer.home / "fake"
    fake.write_text("neither a script nor a program")
    fake.chmod(0o755)
    done = reducer("reduce", "in.mlir", "--", fake)
    assert done.returncode == 127, done.stderr
    assert "Traceback" not in done.stderr


# ---- budgets -----------------------------------------------------------------------------------


def test_a_spent_budget_keeps_the_best_and_can_be_raised(reducer: Reducer, script: Script) -> None:
    fake = script(f"echo >> {reducer.home}/runs\n" + FAIL)
    first = reducer("reduce", "in.mlir", "--max-calls", 9, "-j1", "--json", "-", "--", fake)
    assert first.returncode == 3, first.stderr
    assert "x.bad" in result(reducer)
    assert len(result(reducer)) <= len(program())
    assert not json.loads(first.stdout)["one_minimal"]

    then = reducer("reduce", "in.mlir", "--resume", "-j1", "--json", "-", "--", fake)
    assert then.returncode == 0, then.stderr
    paid = (reducer.home / "runs").read_text().count("\n")

    (reducer.home / "runs").unlink()
    whole = reducer("reduce", "in.mlir", "-o", "whole.mlir", "-j1", "--", fake)
    assert whole.returncode == 0, whole.stderr
    assert result(reducer) == result(reducer, "whole.mlir")
    extra = 2  # the first, partial result as a `…-opt` tool prints it, and its confirmation
    assert paid - extra <= (reducer.home / "runs").read_text().count("\n")


def test_seconds_are_a_budget_too(reducer: Reducer, script: Script) -> None:
    done = reducer(
        "reduce", "in.mlir", "--max-seconds", 1, "-j1", "--", script("sleep 0.2\n" + FAIL)
    )
    assert done.returncode == 3, done.stderr
    output = reducer.home / "in.reduced.mlir"  # a slow machine may not get this far
    assert not output.exists() or "x.bad" in output.read_text()


# ---- interruptions -----------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_soon_with_the_best_so_far(
    reducer: Reducer, script: Script, number: signal.Signals
) -> None:
    fake = script(f"echo >> {reducer.home}/runs; sleep 0.1\n" + FAIL)
    with reducer.start("reduce", "in.mlir", "-j2", "--json", "-", "--", fake) as process:
        assert wait_until(lambda: runs(reducer) > 8)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "stopping" in err
    assert json.loads(out)["status"] == "interrupted"
    assert "x.bad" in result(reducer)
    reducer.assert_clean()


@pytest.mark.parametrize("there", [None, "an earlier result\n"])
def test_a_signal_before_anything_is_accepted_writes_nothing(
    reducer: Reducer, script: Script, there: str | None
) -> None:
    output = reducer.home / "in.reduced.mlir"
    if there is not None:
        ResultFolder.of(output, reducer.home / "in.mlir").written.write(output, there)
    hang = f"[ $(wc -l < {reducer.home}/runs) -lt 4 ] || sleep 1000\n"
    fake = script(f"echo >> {reducer.home}/runs\n{hang}" + FAIL)
    with reducer.start("reduce", "in.mlir", "-j1", "--", fake) as process:
        assert wait_until(lambda: runs(reducer) > 3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert (output.read_text() if output.exists() else None) == there
    said = "was not written" if there is None else "was not changed"
    assert f"none yet; in.reduced.mlir {said}" in out
    reducer.assert_clean()


def test_a_run_that_goes_on_and_is_killed_leaves_the_result(
    reducer: Reducer, script: Script
) -> None:
    hang = f"[ ! -e {reducer.home}/hang ] || sleep 1000\n"
    fake = script(f"echo >> {reducer.home}/runs\n{hang}" + FAIL)
    assert reducer("reduce", "in.mlir", "-j1", "--max-calls", 9, "--", fake).returncode == 3
    best, before = result(reducer), runs(reducer)
    (reducer.home / "hang").touch()
    with reducer.start("reduce", "in.mlir", "-j1", "--", fake) as process:
        assert wait_until(lambda: runs(reducer) > before), "the journal is used up"
        process.kill()
        process.communicate(timeout=30)
    assert result(reducer) == best
    (reducer.home / "hang").unlink()
    assert reducer("reduce", "in.mlir", "-j1", "--", fake).returncode == 0
    assert len(result(reducer)) < len(best)
    reducer.assert_clean()


def test_a_signal_after_the_result_leaves_it_and_says_so(reducer: Reducer, script: Script) -> None:
    last = reducer.home / "last"  # the number of the last run that does not hang
    last.write_text("1000")
    hang = f"[ $(wc -l < {reducer.home}/runs) -le $(cat {last}) ] || sleep 1000\n"
    fake = script(f"echo >> {reducer.home}/runs\n{hang}" + FAIL)
    without_report = ("reduce", "in.mlir", "-j1", "--no-report", "--", fake)
    assert reducer(*without_report).returncode == 0
    whole, before = result(reducer), runs(reducer)
    assert reducer(*without_report).returncode == 0
    again = runs(reducer) - before  # more than these are for the report
    last.write_text(str(runs(reducer) + again))
    with reducer.start("reduce", "in.mlir", "-j1", "--", fake) as process:
        assert wait_until(lambda: runs(reducer) > int(last.read_text()))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted: the result is complete, but not what follows it" in err
    assert "verdict     VERIFIED" in out and result(reducer) == whole


def test_a_compiler_that_is_replaced_after_the_result(reducer: Reducer, script: Script) -> None:
    """It runs once more for the report."""
    first = reducer.home / "first"  # the number of the first run that is another compiler's
    first.write_text("1000")
    late = f'[ $(wc -l < {reducer.home}/runs) -lt $(cat {first}) ] || echo "#" >> "$0"\n'
    fake = script(f"echo >> {reducer.home}/runs\n{late}{FAIL}")
    words = ("reduce", "in.mlir", "-j1", "--", fake)
    assert reducer(*words).returncode == 0
    first.write_text(str(runs(reducer)))
    (reducer.home / "runs").unlink()
    done = reducer(words[0], "--fresh", *words[1:])
    assert done.returncode == 4, done.stderr
    assert "NOT VERIFIED: the compiler" in done.stdout


def test_a_signal_in_the_first_run_ends_it_too(reducer: Reducer, script: Script) -> None:
    fake = script(f"echo >> {reducer.home}/runs; sleep 1000\n")
    with reducer.start("reduce", "in.mlir", "--", fake) as process:
        assert wait_until(lambda: runs(reducer) > 0)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    reducer.assert_clean()


def test_a_signal_while_the_result_is_verified_ends_it_too(
    reducer: Reducer, script: Script
) -> None:
    verifying = "case $input in *in.reduced.mlir) touch verifying; sleep 1000;; esac\n"
    fake = script(verifying.replace("touch ", f"touch {reducer.home}/") + FAIL)
    with reducer.start("reduce", "in.mlir", "--json", "-", "--", fake) as process:
        assert wait_until(lambda: (reducer.home / "verifying").exists())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    report = json.loads(out)
    assert (report["status"], report["verified"]) == ("interrupted", False)
    assert "x.bad" in result(reducer) and "x.op" not in result(reducer)
    reducer.assert_clean()


def test_a_second_signal_leaves_at_once(reducer: Reducer, script: Script) -> None:
    # A script that cannot be cancelled quickly would be the case for it; two signals in a row
    # must work whatever the first one is still doing.
    fake = script(f"echo >> {reducer.home}/runs; sleep 1\n" + FAIL)
    with reducer.start("reduce", "in.mlir", "-j1", "--", fake) as process:
        assert wait_until(lambda: runs(reducer) > 1)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 130
    reducer.assert_clean()


def test_a_killed_run_leaves_no_process_and_no_file(reducer: Reducer, script: Script) -> None:
    fake = script(f"echo >> {reducer.home}/runs; setsid sleep 1000 & sleep 1000\n")
    with reducer.start("reduce", "in.mlir", "--", fake) as process:
        assert wait_until(lambda: runs(reducer) > 0 and len(reducer.strays()) > 1)
        process.kill()
        process.communicate(timeout=30)
    reducer.assert_clean()


def test_two_runs_do_not_share_a_journal(reducer: Reducer, script: Script) -> None:
    fake = script(f"echo >> {reducer.home}/runs; sleep 1000\n")
    with reducer.start("reduce", "in.mlir", "--", fake) as process:
        assert wait_until(lambda: runs(reducer) > 0)
        done = reducer("reduce", "in.mlir", "--", fake)
        assert done.returncode == 75, done.stderr
        assert "another process" in done.stderr
        process.kill()
        process.communicate()


def runs(reducer: Reducer) -> int:
    path = reducer.home / "runs"
    return path.read_text().count("\n") if path.exists() else 0


# ---- other failures ----------------------------------------------------------------------------

DIFFERS = """has x.op7 || has x.bad || exit 0
has x.guard || { echo "$input:1:1: error: guard missing" >&2; exit 1; }
"""


def also_found(reducer: Reducer) -> dict[str, str]:
    folder = reducer.home / "in.reduced" / "also-found"
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def test_another_failure_is_kept_for_any_number_of_workers(
    reducer: Reducer, script: Script
) -> None:
    fake = script(DIFFERS + FAIL)
    kept = []
    for jobs in (1, 4):
        done = reducer("reduce", "in.mlir", "-j", jobs, "--json", "-", "--", fake)
        assert done.returncode == 0, done.stderr
        (one,) = json.loads(done.stdout)["also_found"]
        assert "guard missing" in one["text"]
        assert one["bucket"] in done.stderr, "the table lists it"
        text = (reducer.home / one["path"]).read_text()
        assert "x.guard" not in text
        kept.append(also_found(reducer))
    assert kept[0] == kept[1]
    reducer("reduce", "in.mlir", "--no-also-found", "-o", "out.mlir", "--", fake)
    assert not (reducer.home / "out" / "also-found").exists()


def test_a_script_says_by_its_exit_code_that_it_fails_differently(reducer: Reducer) -> None:
    write_script(reducer.home / "test.sh", "has x.bad || exit 1; has x.guard || exit 101; exit 0\n")
    done = reducer("reduce", "in.mlir", "--json", "-", "--test", "./test.sh")
    assert done.returncode == 0, done.stderr
    (one,) = json.loads(done.stdout)["also_found"]
    assert one["signature"]["template"] == "also interesting"
    assert "x.bad" in (reducer.home / one["path"]).read_text()


def test_other_failures_outlive_a_kill(reducer: Reducer, script: Script) -> None:
    fake = script(f"echo >> {reducer.home}/runs; sleep 0.02\n" + DIFFERS + FAIL)
    assert reducer("reduce", "in.mlir", "-j2", "--", fake).returncode == 0
    whole, total = also_found(reducer), runs(reducer)
    assert len(whole) == 3
    (reducer.home / "runs").unlink()
    with reducer.start("reduce", "in.mlir", "--fresh", "-j2", "--", fake) as process:
        assert wait_until(lambda: runs(reducer) > total // 2)
        process.kill()
        process.communicate(timeout=30)
    done = reducer("reduce", "in.mlir", "-j2", "--resume", "--", fake)
    assert done.returncode == 0, done.stderr
    assert also_found(reducer) == whole
    reducer.assert_clean()
