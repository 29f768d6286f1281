"""Stages that ask whether a result is still the bug of the input, and go back if it is not.

What is asked, and about which of the accepted programs, says `reducer/identity`.
"""

from collections.abc import Callable
from functools import partial

from reducer.driver.prefetch import prefetch_result
from reducer.driver.stage import Stage, is_module
from reducer.driver.state import Context
from reducer.identity.audit import Audit, compiles_nowhere, is_small
from reducer.identity.conditions import Loss, as_now, go_back
from reducer.identity.degenerate import DegenerateComparison, is_degenerate
from reducer.identity.lost import lost_constants, lost_frequency, may_lack_constants
from reducer.identity.pretty_form import ReadablePrinter, lost_pretty_form
from reducer.ir import Module
from reducer.search.conditions import ConditionName
from reducer.search.state import SearchState


def _goes_back(context: Context, loss: Loss | None) -> bool:
    """Go back if something was lost, and say why."""
    why = go_back(context.program, context.judging, loss)
    if why:
        context.note(why)
        if not context.judging.has(ConditionName.ORDINARY):
            context.found.degenerate = None  # that was said of the smaller program
    return bool(why)


def audit(
    name: str, when: Callable[[Context], bool], lost: Callable[[Context], Loss | None]
) -> Stage:
    """The stage that asks what a result has lost, and goes back to before that."""
    return Stage(name, when, lambda context: _goes_back(context, lost(context)))


# ---- other builds ------------------------------------------------------------------------------


def _lost_elsewhere(context: Context) -> Loss | None:
    return Audit.of(context.program, context.judging).lost()


def ask_elsewhere_early(context: Context, state: SearchState[Module], start: int) -> bool:
    """Ask about a program that is nearly minimal, and turn the search back if it shows another bug.

    Going back costs least here, since the search keeps what it has learned. It does not go back
    beyond its own start, the number of the first milestone.
    """
    program, judging = context.program, context.judging
    if judging.health is None or not is_small(program.module):
        return False
    context.show(ASK_ELSEWHERE.name)
    loss = Audit.of(program, judging).lost_early(start, context.confirm)
    if not _goes_back(context, loss):
        return False
    if judging.provisional is not None:
        judging.provisional = as_now(judging, judging.provisional)
    state.turn_back(program.module, judging.provisional or judging.results)
    return True


def _ask_about_what_is_left(context: Context) -> bool:
    Audit.of(context.program, context.judging).complete()
    return False


def _has_other_builds(context: Context) -> bool:
    return context.judging.health is not None and is_module(context)


def is_unfinished(context: Context) -> bool:
    """Whether the search has ended before the audit."""
    return not context.found.is_complete


ASK_ELSEWHERE = audit("ask elsewhere", _has_other_builds, _lost_elsewhere)
COMPLETE = Stage("ask elsewhere", _has_other_builds, _ask_about_what_is_left)


# ---- what no other build tells -----------------------------------------------------------------


def _may_lack_constants(context: Context) -> bool:
    nowhere = compiles_nowhere(context.judging)
    return nowhere and may_lack_constants(context.program, context.judging)


def decide_degenerate(context: Context, polish: Stage) -> bool:
    """Keep the best, or replace it by a larger program that is less degenerate."""
    comparison = DegenerateComparison(
        context.program,
        context.judging,
        context.conversions,
        context.accept,
        partial(polish.run, context),
        context.found.degenerate,
    )
    try:
        return comparison.decide()
    finally:
        context.found.degenerate = comparison.choice


def is_comparable(context: Context) -> bool:
    """Whether the best has degenerate parts that the input does not have, and that matters."""
    program, judging = context.program, context.judging
    compares = context.settings.compares_degenerate
    return compares and is_degenerate(program, judging, context.conversions)


def compared_after(polish: Stage) -> Stage:
    """The stage that compares a degenerate result with a larger one, which this stage polishes."""
    return Stage(
        "compare with a larger program",
        lambda context: compiles_nowhere(context.judging) and is_comparable(context),
        lambda context: decide_degenerate(context, polish),
    )


KEEP_CONSTANTS = audit(
    "keep constants and attributes",
    _may_lack_constants,
    lambda context: lost_constants(context.program, context.judging),
)


# ---- the form, and how often -------------------------------------------------------------------


def _lost_pretty_form(context: Context) -> Loss | None:
    printer = ReadablePrinter(context.judging.full, context.conversions, context.note)
    foresee = partial(prefetch_result, context)
    return lost_pretty_form(context.program, context.judging, printer, foresee)


def fails_every_time(context: Context) -> bool:
    """Whether one run of a program tells if it fails, as far as known."""
    return context.judging.full.query.test is None


def _is_to_be_printed(context: Context) -> bool:
    """Whether the result will be in pretty form, and its failure can be asked for in few runs."""
    wanted = context.conversions.opt is not None and not context.settings.keep_generic
    asked = is_module(context) and not context.judging.exhausts and fails_every_time(context)
    return wanted and asked


def _may_be_luck(context: Context) -> bool:
    by_stack = context.judging.first.signature.kind.traits.known_by_stack
    return is_module(context) and (by_stack or context.judging.flaky is not None)


KEEP_PRETTY_FORM = audit("print and run it", _is_to_be_printed, _lost_pretty_form)
KEEP_FREQUENT = audit(
    "count how often it fails",
    _may_be_luck,
    lambda context: lost_frequency(context.program, context.judging),
)
