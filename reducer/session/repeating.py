"""Repeat the search from an earlier program, under a condition that the best does not meet."""

from collections.abc import Callable

from reducer.search.conditions import Condition
from reducer.search.evaluator import Stopped
from reducer.session.context import Context, Milestone
from reducer.session.shrinking import polish_module


def polish_again(context: Context, earlier: Milestone, condition: Condition) -> Callable[[], None]:
    """Polish an earlier program under a condition for its candidates.

    Returns:
        A function that makes the present best the best again, without the condition.

    Raises:
        Stopped: see `Evaluator.run`; the present best stays.
    """
    best, milestones = context.milestone(), list(context.milestones)

    def restore() -> None:
        context.return_to(best, best.asked)
        context.milestones[:] = milestones

    try:
        fails = context.full.fails(earlier.document)
        asked = context.full if fails else context.as_now(earlier.asked)
        context.return_to(earlier, asked.under(condition))
        polish_module(context)
    except Stopped:
        restore()
        raise
    return restore
