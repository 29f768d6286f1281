"""Undo reductions that dropped a constant or an attribute which a conversion requires.

What a conversion insists on is a constant in the input, or an attribute, and may be an argument or
gone in the result, which is then refused for that, in the same words. All else that mattered is cut
away. So the result is given the constants and attributes of the input again. If the failure is gone
with them, the search is repeated from the program before the first of them was lost, and keeps all.
"""

from oracles.base import capabilities_of
from oracles.signature.stage import INPUT
from reducer.identity.conditions import KeepsConstants, go_back, until_lost
from reducer.identity.program import Judging, Program
from reducer.ir import Module
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

    False if nothing before the failing pass could insist on it: if the parser or verifier rejects
    the program itself. Also false if it takes a limit to end it, or once it is decided.
    """
    target, query = judging.first.signature, judging.full.query
    return (
        not judging.has(ConditionName.CONSTANTS)  # it is decided only once
        and isinstance(program.document, Module)
        and program.original is not None
        and capabilities_of(query.oracle).failures is not None
        and query.test is None
        and target.stage != INPUT
        and not target.kind.traits.costly
        and _with_constants(program) is not None
    )


def keep_constants(program: Program, judging: Judging) -> str:
    """Go back if the result only fails for want of constants or attributes of the input.

    Most often this takes 1 run.

    Returns:
        Why the reduction went back; '' if it did not.

    Raises:
        Stopped: see `Judge.judged`.
    """
    text = _with_constants(program)
    steps = until_lost(
        program.milestones, lambda one, after: not RequiredConstants.of(one).admits(after)
    )
    if text is None or not steps:
        return ""
    outcome = judging.full.run(text, program.module.op_count)
    if not outcome.succeeded:  # another failure may hide whether this one is gone
        return ""
    condition = KeepsConstants(RequiredConstants.of(steps[-1].document))
    went = go_back(program, judging, steps, lambda asked: asked.under(condition))
    return _WHY if went else ""


def _with_constants(program: Program) -> str | None:
    assert program.original is not None
    return with_required_constants(program.module, MadeFrom(program.original, program.origins()))
