"""Undo reductions that dropped a constant or an attribute which a conversion requires.

What a conversion insists on is a constant in the input, or an attribute, and may be an argument or
gone in the result, which is then refused for that, in the same words. All else that mattered is cut
away. So the result is given the constants and attributes of the input again. If the failure is gone
with them, the search is repeated from the program before the first of them was lost, and keeps all.
"""

from reducer.identity.conditions import KeepsConstants, Loss, a_pass_decides, until_lost
from reducer.identity.program import Judging, Program
from reducer.search.conditions import ConditionName
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
