"""Check that a result did not lose a second bug of the input that has the same message.

The audit compares a result with the small programs that it was made from. If the first of these was
cut around one failing op of a large input, all of them show the bug of that op, and none shows what
else fails there. Where the errors of the input name several ops, `choosing` chose between them.
Otherwise, a release that compiles the result tells the two apart, if the input fails there in the
same way. Whoever files the report cares about the bug that is still there.

The input is asked only if it is not large. What its run costs beside the reduction would be the
better measure, but the result must not depend on times.
"""

from reducer.driver.choosing import input_there
from reducer.driver.going_back import go_back
from reducer.driver.state import Context, Milestone
from reducer.identity.builds import Health, HealthCheck, HealthProfile, Requirement
from reducer.identity.builds.check import neighbors
from reducer.identity.conditions import SameOnOtherBuilds
from reducer.transformations import BoundaryTypes


def widen(context: Context, check: HealthCheck) -> bool:
    """Go back to the input where a bug was lost that is in more releases than that of the result.

    What was known of programs around another failing op says nothing about those to come.

    Returns:
        Whether every further candidate must fail on one more release.

    Raises:
        Stopped: the user interrupted the run, or the budget is spent.
    """
    original = context.program.original
    if original is None or context.program.above is not None or check.compared_ops:
        return False
    # A bug that is farther away from the command's own release is there, too.
    place = next(iter(neighbors(check.result.places(Health.COMPILES))), None)
    if place is None or input_there(context, check, place) is not Health.SAME:
        return False
    lost = Requirement(place, Health.SAME)
    check.before = HealthProfile({lost.place: lost.health})
    check.lost = (lost,)
    required = (*check.required, lost)
    condition = SameOnOtherBuilds(check.elsewhere, required)
    whole = Milestone(original, context.judging.full, BoundaryTypes.of(original))
    if not go_back(context, [whole], lambda asked: asked.under(condition), check.another_bug):
        return False
    check.repairs += 1
    check.required = required
    context.program.is_located = False
    return True
