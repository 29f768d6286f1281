"""Go back if a result fails much less often than the input.

A compiler that reads uninitialized memory crashes or not, depending on all that it did before. Each
candidate has one chance to be accepted by luck, so that the smallest program may be one that hardly
ever fails, where a larger one always does.
"""

from itertools import count

from reducer.driver.going_back import go_back, last_that
from reducer.driver.stage import Stage, is_module
from reducer.driver.state import Context
from reducer.identity.sanity import ENOUGH_FAILURES, Flakiness, measure_with
from reducer.search.candidate import Verdict
from reducer.search.evaluator import Evaluator
from reducer.search.sequential import Rate, SequentialTest

_QUICK_SECONDS = 2.0  # of a run; what takes longer is not run again on a suspicion
_ENOUGH_TO_TRUST = 3  # runs; what fails in 40 % of them passes at least one with 94 %


def keep_frequent(context: Context) -> bool:
    """Go back to the smallest program known to fail at least half as often as the input.

    From there on, each candidate takes as many runs as tell whether it does.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    judging, text = context.judging, context.program.document.text
    single = judging.full.with_(test=None)
    always = Rate(ENOUGH_FAILURES, ENOUGH_FAILURES)
    usual = SequentialTest.after(always if judging.flaky is None else judging.flaky.input)
    if judging.full.query.test == usual.strict or not _is_quick(single, text):
        return False
    if all(_fails(single, text, number) for number in range(_ENOUGH_TO_TRUST)):
        return False
    rate, is_enough = _measured(single, text, usual.of_result)
    judging.flaky = judging.flaky or Flakiness(_of_input(single, context.settings.text))
    if is_enough:
        judging.full = judging.full.with_(test=usual.of_result)  # also for the last run
        return False
    kept = last_that(
        context.program.milestones,
        lambda step: _measured(single, step.document.text, usual.of_result)[1],
    )
    why = f"a smaller program fails in only {rate}; going back to one that fails more often"
    steps = context.program.milestones[: kept + 1]
    return go_back(context, steps, lambda asked: asked.with_(test=usual.strict), why)


def _is_quick(single: Evaluator, text: str) -> bool:
    known = single.known(text)
    return known is not None and known.cpu_seconds <= _QUICK_SECONDS


def _of_input(single: Evaluator, text: str) -> Rate:
    """How often the input fails; it was run at least once, and did."""
    if not _is_quick(single, text):
        return Rate(1, 1)
    return _measured(single, text, SequentialTest(0.5, max_runs=ENOUGH_FAILURES))[0]


def _measured(single: Evaluator, text: str, test: SequentialTest) -> tuple[Rate, bool]:
    """How often a program fails, and whether that is often enough."""
    repetitions = count()
    return measure_with(test, lambda: _fails(single, text, next(repetitions)))


def _fails(single: Evaluator, text: str, number: int) -> bool:
    """Whether a program fails in the run of this number."""
    outcome = single.run_once(text, text.count("\n"), repetition=number)
    return single.judge(outcome) is Verdict.SAME


def _may_be_luck(context: Context) -> bool:
    by_stack = context.judging.first.signature.kind.traits.known_by_stack
    return is_module(context) and (by_stack or context.judging.flaky is not None)


KEEP_FREQUENT = Stage("count how often it fails", _may_be_luck, keep_frequent)
