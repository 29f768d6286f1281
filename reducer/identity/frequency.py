"""Go back if a result fails much less often than the input.

A compiler that reads uninitialized memory crashes or not, depending on all that it did before. Each
candidate has one chance to be accepted by luck, so that the smallest program may be one that hardly
ever fails, where a larger one always does.
"""

from itertools import count

from reducer.identity.conditions import Loss, last_that
from reducer.identity.program import Judging, Program
from reducer.identity.sanity import ENOUGH_FAILURES, Flakiness, measure_with
from reducer.search.candidate import Verdict
from reducer.search.judge import Judge
from reducer.search.sequential import Rate, SequentialTest

_QUICK_SECONDS = 2.0  # of a run; what takes longer is not run again on a suspicion
_ENOUGH_TO_TRUST = 3  # runs; what fails in 40 % of them passes at least one with 94 %


def lost_frequency(program: Program, judging: Judging) -> Loss | None:
    """The frequency of the failure, if the result fails less than half as often as the input.

    Each further candidate takes as many runs as tell whether it does.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    text = program.document.text
    single = judging.full.with_(test=None)
    always = Rate(ENOUGH_FAILURES, ENOUGH_FAILURES)
    usual = SequentialTest.after(always if judging.flaky is None else judging.flaky.input)
    if judging.full.query.test == usual.strict or not _is_quick(single, text):
        return None
    if all(_fails(single, text, number) for number in range(_ENOUGH_TO_TRUST)):
        return None
    rate, is_enough = _measured(single, text, usual.of_result)
    judging.flaky = judging.flaky or Flakiness(_of_input(single, program.source))
    if is_enough:
        judging.full = judging.full.with_(test=usual.of_result)  # also for the last run
        return None
    kept = last_that(
        program.milestones,
        lambda step: _measured(single, step.document.text, usual.of_result)[1],
    )
    why = f"a smaller program fails in only {rate}; going back to one that fails more often"
    steps = program.milestones[: kept + 1]
    return Loss(why, steps, lambda asked: asked.with_(test=usual.strict))


def _is_quick(single: Judge, text: str) -> bool:
    known = single.known(text)
    return known is not None and known.cpu_seconds <= _QUICK_SECONDS


def _of_input(single: Judge, text: str) -> Rate:
    """How often the input fails; it was run at least once, and did."""
    if not _is_quick(single, text):
        return Rate(1, 1)
    return _measured(single, text, SequentialTest(0.5, max_runs=ENOUGH_FAILURES))[0]


def _measured(single: Judge, text: str, test: SequentialTest) -> tuple[Rate, bool]:
    """How often a program fails, and whether that is often enough."""
    repetitions = count()
    return measure_with(test, lambda: _fails(single, text, next(repetitions)))


def _fails(single: Judge, text: str, number: int) -> bool:
    """Whether a program fails in the run of this number."""
    outcome = single.run_once(text, text.count("\n"), repetition=number)
    return single.verdict_of(outcome) is Verdict.SAME
