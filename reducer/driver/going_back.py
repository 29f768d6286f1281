"""Go back to an earlier program, if only that is known to show the bug that was to be preserved.

A smaller program may show another bug in the same words: on other builds, in pretty form, or with
the constants of the input, it does otherwise than what it was made from, or it fails by luck only.
Other files ask about that, each about one of these. What follows is the same for all: the last of
the accepted programs that did as it should becomes the best again, and every candidate from then on
must do so, as one more of the conditions (see `search/conditions.py`).
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from reducer.driver.state import Context, Milestone
from reducer.ir import Module
from reducer.search.conditions import Condition
from reducer.search.evaluator import Evaluator, Stopped


def last_that(
    steps: Sequence[Milestone], holds: Callable[[Milestone], bool], *, known: int = -1
) -> int:
    """The number of the last step for which something holds, by bisection; `known` if for none.

    Args:
        known: a step for which it holds, by number.
    """
    lost = len(steps)
    while lost - known > 1:
        middle = (known + lost) // 2
        if holds(steps[middle]):
            known = middle
        else:
            lost = middle
    return known


def until_lost(
    steps: Sequence[Milestone], loses: Callable[[Module, Module], bool]
) -> Sequence[Milestone]:
    """The steps before the first that loses something the step before it has; none if none does."""
    for number, (step, after) in enumerate(pairwise(steps)):
        if loses(step.document, after.document):
            return steps[: number + 1]
    return ()


def go_back(
    context: Context,
    steps: Sequence[Milestone],
    switch_on: Callable[[Evaluator], Evaluator],
    why: str,
) -> bool:
    """Return to the last step that fails with one more condition; False if there is none.

    Args:
        steps: oldest first; the last one is known to meet the condition.
        switch_on: gives a view of an evaluator with the condition.
        why: the sentence for the user.

    Raises:
        Stopped: see `Evaluator.judged`.
    """
    for step in reversed(steps):
        asked = _asked(context, step, switch_on)
        if asked is not None:
            context.note(why)
            _return_to(context, step, asked)
            return True
    return False


def try_again(
    context: Context,
    step: Milestone,
    condition: Condition,
    search: Callable[[Context], object],
) -> Callable[[], None]:
    """Search again from an earlier program, under one more condition for its candidates.

    Returns:
        A function that makes the present best the best again, without the condition.

    Raises:
        Stopped: see `Evaluator.judged`; the present best stays.
    """
    best, milestones = context.milestone(), list(context.program.milestones)

    def restore() -> None:
        _return_to(context, best, best.asked)
        context.program.milestones[:] = milestones

    try:
        asked = _asked(context, step, lambda evaluator: evaluator) or as_now(context, step.asked)
        _return_to(context, step, asked.under(condition))
        search(context)
    except Stopped:
        restore()
        raise
    return restore


def _asked(
    context: Context, step: Milestone, switch_on: Callable[[Evaluator], Evaluator]
) -> Evaluator | None:
    """An evaluator under which a step fails: with the present command, or with that of its time."""
    views = (switch_on(one) for one in (context.judging.full, as_now(context, step.asked)))
    return next((view for view in views if view.fails(step.document)), None)


def as_now(context: Context, earlier: Evaluator) -> Evaluator:
    """An earlier evaluator under the conditions that hold by now."""
    return earlier.with_(conditions=context.judging.full.query.conditions)


def _return_to(context: Context, step: Milestone, asked: Evaluator) -> None:
    """Make an earlier program the best again; `asked` judges all further candidates."""
    context.judging.full = asked
    context.program.document = step.document
    context.program.boundary = step.boundary
    context.best.fall_back(step.document)
    if step in context.program.milestones:
        del context.program.milestones[context.program.milestones.index(step) + 1 :]
    else:
        context.program.milestones = [step]
