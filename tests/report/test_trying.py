"""Running `repro.sh` before it is asked for."""

import threading
from pathlib import Path

import pytest

from oracles import Limits, ScriptOracle
from reducer.report.gathering import gather
from reducer.report.trying import ScriptRuns
from reducer.search.plan import Errand

PROGRAM = '"t.op"() : () -> ()\n'
AT_ONCE = Limits(20.0)


@pytest.fixture
def oracle(tmp_path: Path) -> ScriptOracle:
    """Finds `t.op` interesting, and notes each run. `refuse` may hold what it does not."""
    script, runs, refuse = tmp_path / "test.sh", tmp_path / "runs", tmp_path / "refuse"
    refuse.write_text("nothing")
    script.write_text(
        "#!/bin/sh\n"
        f"echo run >>{runs}\n"
        f'if grep -q -f {refuse} "$1"; then exit 1; fi\n'
        'grep -q t.op "$1"\n'
    )
    script.chmod(0o755)
    return ScriptOracle(script)


def errand_of(scripts: ScriptRuns, oracle: ScriptOracle, text: str = PROGRAM) -> Errand:
    return scripts.script(oracle, text, oracle.run(text))


def runs(oracle: ScriptOracle) -> int:
    return oracle.script.with_name("runs").read_text().count("run")


def test_a_script_that_was_run_ahead_is_not_run_again(oracle: ScriptOracle) -> None:
    scripts, facts = ScriptRuns(), gather(PROGRAM, oracle, ahead=oracle.run(PROGRAM))
    outcome = errand_of(scripts, oracle).run(threading.Event(), AT_ONCE)
    assert oracle.wants(outcome)
    so_far = runs(oracle)
    assert scripts.verified(facts, None) == (facts, 0)
    assert runs(oracle) == so_far


def test_that_of_another_program_is(oracle: ScriptOracle) -> None:
    scripts, other = ScriptRuns(), PROGRAM + PROGRAM
    errand_of(scripts, oracle).run(threading.Event(), AT_ONCE)
    facts = gather(other, oracle, ahead=oracle.run(other))
    so_far = runs(oracle)
    assert scripts.verified(facts, None) == (facts, 0)
    assert runs(oracle) == so_far + 1


def test_a_failure_that_the_comments_hide_is_tried_without_them(oracle: ScriptOracle) -> None:
    scripts, facts = ScriptRuns(), gather(PROGRAM, oracle, ahead=oracle.run(PROGRAM))
    oracle.script.with_name("refuse").write_text("^//")
    outcome = errand_of(scripts, oracle).run(threading.Event(), AT_ONCE)
    assert not oracle.wants(outcome)
    found, status = scripts.verified(facts, None)
    assert status == 0
    assert (facts.head != "", found.head) == (True, "")


def test_a_cancelled_run_says_nothing(oracle: ScriptOracle) -> None:
    scripts, cancel = ScriptRuns(), threading.Event()
    cancel.set()
    assert errand_of(scripts, oracle).run(cancel, AT_ONCE).cancelled
    facts = gather(PROGRAM, oracle, ahead=oracle.run(PROGRAM))
    assert scripts.verified(facts, None) == (facts, 0)
