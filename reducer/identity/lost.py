"""What a result may have lost that no other build tells: constants, and how often it fails.

What a conversion insists on is a constant in the input, or an attribute, and may be an argument or
gone in the result, which is then refused for that, in the same words. All else that mattered is cut
away. So the result is given the constants and attributes of the input again. If the failure is gone
with them, the search is repeated from the program before the first of them was lost, and keeps all.

A compiler that reads uninitialized memory crashes or not, depending on all that it did before. Each
candidate has one chance to be accepted by luck, so that the smallest program may be one that hardly
ever fails, where a larger one always does. The search goes back to one that fails often enough.
"""

from dataclasses import replace
from itertools import count

from oracles import Outcome
from oracles.run.limits import LAYOUTS
from reducer.identity.conditions import (
    KeepsConstants,
    Loss,
    a_pass_decides,
    last_that,
    until_lost,
)
from reducer.identity.program import Judging, Program
from reducer.identity.sanity import ENOUGH_FAILURES, Flakiness, measure_with
from reducer.search.candidate import Verdict
from reducer.search.conditions import ConditionName
from reducer.search.judge import Judge
from reducer.search.query import RunLimits
from reducer.search.sequential import Rate, SequentialTest
from reducer.transformations.degenerate import MadeFrom
from reducer.transformations.required_constants import (
    RequiredConstants,
    with_required_constants,
)

_WHY = (
    "a smaller program fails with the same message, but not once it has the constants and "
    "attributes of the input again; the result keeps them"
)


def may_lack_constants(program: Program, judging: Judging) -> bool:
    """Whether the best lacks a constant or an attribute of the input. Runs nothing.

    False if no pass decides, which could insist on it, or once it is decided.
    """
    undecided = not judging.has(ConditionName.CONSTANTS)
    return undecided and a_pass_decides(program, judging) and _with_constants(program) is not None


def lost_constants(program: Program, judging: Judging) -> Loss | None:
    """The constants or attributes of the input that the result only fails for want of.

    Most often this takes 1 run.

    Raises:
        Stopped: see `Judge.judged`.
    """
    text = _with_constants(program)
    steps = until_lost(
        program.milestones, lambda one, after: not RequiredConstants.of(one).admits(after)
    )
    if text is None or not steps:
        return None
    outcome = judging.full.run(text, program.module.op_count)
    if not outcome.succeeded:  # another failure may hide whether this one is gone
        return None
    condition = KeepsConstants(RequiredConstants.of(steps[-1].document))
    return Loss(_WHY, steps, lambda asked: asked.under(condition))


def _with_constants(program: Program) -> str | None:
    assert program.original is not None
    return with_required_constants(program.module, MadeFrom(program.original, program.origins()))


# ---- how often it fails ----------------------------------------------------------------------

_QUICK_SECONDS = 2.0  # of a run; what takes longer is not run again on a suspicion


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
    if all(_fails(single, text, number) for number in range(LAYOUTS)):
        return None
    rate, is_enough = _measured(single, text, usual.of_result)
    judging.flaky = judging.flaky or Flakiness(_of_input(single, program.source, judging.first))
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


def _of_input(single: Judge, text: str, first: Outcome) -> Rate:
    """How often the input fails; it was run at least once, and did."""
    if first.cpu_seconds > _QUICK_SECONDS:
        return Rate(1, 1)
    return _measured(single, text, SequentialTest(0.5, max_runs=ENOUGH_FAILURES))[0]


def _measured(single: Judge, text: str, test: SequentialTest) -> tuple[Rate, bool]:
    """How often a program fails, and whether that is often enough."""
    repetitions = count()
    return measure_with(test, lambda: _fails(single, text, next(repetitions)))


def _fails(single: Judge, text: str, number: int) -> bool:
    """Whether a program fails in the run of this number, each in another layout."""
    limits = single.limits
    if limits.layout is not None:
        layout = (limits.layout + number) % LAYOUTS
        single = single.with_(limits=RunLimits(replace(limits, layout=layout)))
    outcome = single.run_once(text, text.count("\n"), repetition=number)
    return single.verdict_of(outcome) is Verdict.SAME
