"""Repeat the search from an earlier program, under a rule that the best does not keep."""

from collections.abc import Callable

from reducer.search.evaluator import Stopped
from reducer.session.context import Context, Milestone
from reducer.session.shrinking import polish_module
from reducer.transformations.degenerate import Counts
from reducer.transformations.told import Told


def polish_again(
    context: Context, earlier: Milestone, *, floor: Counts | None = None, told: Told | None = None
) -> Callable[[], None]:
    """Polish an earlier program under a rule for its candidates: see `Context.floor` and `told`.

    Returns:
        A function that makes the present best the best again, without the rule.

    Raises:
        Stopped: see `Evaluator.run`; the present best stays.
    """
    best, milestones = context.milestone(), list(context.milestones)
    rules = context.floor, context.told

    def restore() -> None:
        context.return_to(best, best.asked)
        context.milestones[:] = milestones
        context.floor, context.told = rules

    try:
        fails = context.full.fails(earlier.document)
        context.return_to(earlier, context.full if fails else earlier.asked)
        context.floor, context.told = floor or context.floor, told or context.told
        polish_module(context)
    except Stopped:
        restore()
        raise
    return restore
