"""Reduce anew what only fails because its ops are no longer told what the input tells them.

What a conversion insists on is a constant in the input, or an attribute, and may be an argument or
gone in the result, which is then refused for that, in the same words. All else that mattered is cut
away. So the result is given the constants and attributes of the input again. If the failure is gone
with them, the search is repeated from the program before the first of them was lost, and keeps all.
"""

from oracles import CompilerOracle
from oracles.signature.stage import INPUT
from reducer.driver.auditing import compiles_nowhere
from reducer.driver.going_back import go_back, until_lost
from reducer.driver.stage import Stage
from reducer.driver.state import Context
from reducer.identity.conditions import KeepsConstants
from reducer.ir import Module
from reducer.search.conditions import ConditionName
from reducer.transformations.degenerate import MadeFrom
from reducer.transformations.required_constants import RequiredConstants, with_required_constants

_WHY = (
    "a smaller program fails in the same words, but no longer does once it has the constants and "
    "attributes of the input again; the result keeps them"
)


def may_need_what_it_was_told(context: Context) -> bool:
    """Whether the best lacks something that the input tells its ops. Runs nothing.

    False if nothing before the failing pass could insist on it: if the parser or verifier rejects
    the program itself. Also false if it takes a limit to end it, or once it is decided.
    """
    target, query = context.judging.first.signature, context.judging.full.query
    return (
        not context.judging.has(ConditionName.CONSTANTS)  # it is decided only once
        and isinstance(context.program.document, Module)
        and context.program.original is not None
        and isinstance(query.oracle, CompilerOracle)
        and query.test is None
        and target.stage != INPUT
        and not target.kind.traits.costly
        and _told_again(context) is not None
    )


def keep_what_it_was_told(context: Context) -> bool:
    """Go back if the result only fails for want of what the input tells its ops.

    Most often this takes 1 run.

    Returns:
        Whether the reduction goes on from a larger program.

    Raises:
        Stopped: see `Evaluator.judged`.
    """
    text = _told_again(context)
    milestones = context.program.milestones
    steps = until_lost(milestones, lambda one, after: not RequiredConstants.of(one).admits(after))
    if text is None or not steps:
        return False
    outcome = context.judging.full.run(text, context.program.module.op_count)
    if not outcome.succeeded:  # another failure may hide whether this one is gone
        return False
    condition = KeepsConstants(RequiredConstants.of(steps[-1].document))
    return go_back(context, steps, lambda asked: asked.under(condition), _WHY)


def _told_again(context: Context) -> str | None:
    assert context.program.original is not None
    return with_required_constants(
        context.program.module, MadeFrom(context.program.original, context.program.origins())
    )


def _may_be_another_bug(context: Context) -> bool:
    return compiles_nowhere(context) and may_need_what_it_was_told(context)


TELL_AGAIN = Stage("keep constants and attributes", _may_be_another_bug, keep_what_it_was_told)
