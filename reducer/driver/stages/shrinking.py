"""Stages that make the document and its command smaller."""

from collections.abc import Callable
from functools import partial
from typing import Any

from oracles.base import capabilities_of
from oracles.signature.stage import INPUT
from reducer.conversions import CompilerPasses
from reducer.driver.comments import command_line, failure_lines
from reducer.driver.prefetch import (
    after_halving,
    plan_result,
    prefetch_polishing,
    prefetch_result,
)
from reducer.driver.stage import Stage, always, is_module, is_text
from reducer.driver.stages import locating
from reducer.driver.stages.early_stop import find_phase_number
from reducer.driver.stages.flags import shorten, with_smaller_values
from reducer.driver.stages.levels import cut_before_pass, go_down_to_dispatch
from reducer.driver.stages.locating import failing_dispatch
from reducer.driver.stages.still_the_bug import fails_every_time
from reducer.driver.state import Context
from reducer.identity import sanity
from reducer.identity.program import InputLevel
from reducer.ir import Module, PlainText
from reducer.search.judge import Judge
from reducer.search.plan import Next
from reducer.search.polish import Polishing, reduce_to_fixpoint
from reducer.search.state import SearchState
from reducer.search.windows import halve
from reducer.transformations import (
    Transformation,
    Tuning,
    control_flow_transformations,
    last_transformations,
    standard_transformations,
    standard_tunings,
    text_transformations,
)

_WORTH_STOPPING_EARLY = 40  # ops; with fewer left, finding the phase costs more than it saves
_WORTH_GOING_DOWN = 60  # ops; below this, finding the pass costs as many runs as reducing
_TOO_LARGE_TO_REPEAT = 2_500  # ops; finding the phase takes several runs of the whole module
_DEEP = 64  # levels of groups in text; MLIR that people write has ten or so
CHEAP_OPS = 300
"""The ops of a program that is cheap enough to be run a few times for one answer."""


def run_again(context: Context) -> bool:
    """Run what is left twice more, or once for now if that is still large.

    That the command that stops early has seen the same failure counts as one of them.
    """
    program, findings = context.program, context.found
    text, document = PlainText(context.settings.text), program.document
    source = text if isinstance(document, PlainText) else program.original or text
    asked = context.judging.probing
    findings.is_repeated = document.op_count <= CHEAP_OPS
    seen = findings.seen_twice == document.text
    times = (2 if findings.is_repeated else 1) - seen
    sanity.repeat(asked, document, source, lambda: _foresee_polishing(context), times)
    return False


def _foresee_polishing(context: Context) -> None:
    if isinstance(context.program.document, Module):
        prefetch_polishing(context, _plan_of_polishing(context))


def find_phase(context: Context) -> bool:
    """Find the command that stops earliest and still shows the failure."""
    judging, document = context.judging, context.program.document
    asked = judging.probing
    oracles = asked.oracle.shortened()
    memoize = context.conversions.cached
    judging.phase = find_phase_number(asked, document, memoize, judging.phase)
    if judging.phase == len(oracles):
        return False
    judging.provisional = asked.with_(oracle=oracles[judging.phase])
    return True


def trust_phase(context: Context) -> bool:
    """Stop after the phase in which the input fails, as its own run has noted; takes no run."""
    judging = context.judging
    assert judging.noted_phase is not None
    oracles = judging.oracle.shortened()
    judging.provisional = judging.full.with_(oracle=oracles[judging.noted_phase])
    return True


def halve_module(context: Context) -> bool:
    """Keep a half, or the middle, as long as one of them still fails."""
    after = after_halving(context, _plan_of_polishing(context))
    progress = halve(context.search(), context.program.module_boundary, after)
    context.found.halved = context.program.document.text
    return progress


Audit = Callable[[Context, SearchState[Module], int], bool]
"""Asks about the program of a search that began at the milestone of a number.

It may turn the search back, and returns whether it did.
"""


def polish_module(context: Context, audit: Audit) -> bool:
    """Apply transformations and try simpler values until none of them succeeds."""
    before = context.program.document
    _polishing(context, audit).run()
    return context.program.document is not before


def polish_with(audit: Audit) -> Stage:
    """The stage that makes a module minimal, and asks about it as soon as it nearly is."""
    return Stage("polish", is_module, partial(polish_module, audit=audit))


def _plan_of_polishing(context: Context) -> Next[Module]:
    """What polishing will ask about; an audit has effects, so nobody runs one ahead."""
    return _polishing(context, lambda *_: False).plan


def _polishing(context: Context, audit: Audit) -> Polishing[Module]:
    state = context.search()
    return Polishing(
        state,
        _transformations(context),
        _tunings(context),
        context.show,
        last_transformations(),
        partial(audit, context, state, max(0, len(context.program.milestones) - 1)),
        lambda: prefetch_result(context, state.document),
        partial(plan_result, context),
    )


def _transformations(context: Context) -> list[Transformation[Module]]:
    def message(module: Module) -> str:
        outcome = context.judging.candidates.known(module.text)
        return "\n".join(failure_lines(outcome)) if outcome else ""

    return [
        *standard_transformations(context.program.module_boundary, message),
        CompilerPasses(context.conversions.after_passes, context.conversions.prepare),
        *control_flow_transformations(),
    ]


def _tunings(context: Context) -> list[Tuning[Module, Any]]:
    """All tunings; none for invalid IR, where the ranks and types may be what is wrong."""
    target = context.judging.first.signature
    illegal = target.op if target.kind.traits.illegal_op else ""
    return standard_tunings(shapes_only=target.stage == INPUT, illegal=illegal)


def cut_text(context: Context) -> bool:
    """Cut text by lines and brackets until nothing more can be removed."""
    before = context.program.document
    state = context.search_text()
    reduce_to_fixpoint(
        state, text_transformations(is_deep=state.document.levels > _DEEP), context.show
    )
    return context.program.document is not before


def go_down(context: Context) -> bool:
    """Continue with what fails one level below, in other dialects than the document.

    That is the dispatch that fails, or what is left of the IR that enters the failing pass.
    """
    if not locating.fails_in_dispatch(context):
        return _cut_before_the_pass(context)
    module = context.program.module
    asked, conversions = context.judging.candidates, context.conversions
    dispatch = failing_dispatch(asked, conversions, module.text, module.op_count)
    return dispatch is not None and go_down_to_dispatch(context, dispatch)


def _cut_before_the_pass(context: Context) -> bool:
    above = InputLevel(
        context.milestone(), "the IR at its failing pass, cut down and turned back into a program"
    )
    if not cut_before_pass(context.search(), context.conversions):
        return False
    context.go_down(above)
    return True


def drop_flags(context: Context) -> bool:
    """Drop flags from the command. If one goes, the document may shrink further."""
    judging, full = context.judging, context.judging.full.query

    def on_change(shorter: Judge) -> None:
        judging.full = shorter.with_(limits=full.limits, label=full.label, patience=full.patience)
        context.mark()
        name_command(context)

    asked, confirm = context.judging.results, None
    if context.judging.is_short:
        asked, confirm = context.judging.probing, context.judging.full
    return shorten(asked, context.program.document, on_change, confirm) is not asked


def name_command(context: Context) -> None:
    """Record the current command in every file saved from here on."""
    command, settings = context.judging.oracle.command, context.settings
    if command is not None and settings.comments:
        context.best.head = command_line(command.words(settings.program.name))


# ---- in the table ------------------------------------------------------------------------------


def is_too_large_for_flags(context: Context) -> bool:
    """Whether a program takes long enough to run that it is cut before flags are tried.

    A command that is accepted is confirmed, which takes a hang its full limit, whatever the size.
    """
    is_large = context.program.document.op_count > CHEAP_OPS
    return is_module(context) and (is_large or context.judging.is_short)


def is_cheap(context: Context) -> bool:
    """Whether it is a module on which flags can be tried at once: what fails rarely needs none.

    A lone flag only says what dispatches are compiled for if the compiler has any.
    """
    oracle = context.judging.oracle
    command, dispatches = oracle.command, capabilities_of(oracle).dispatches
    if not is_module(context) or is_too_large_for_flags(context):
        return False
    if command is None or len(command.flags) != 1:
        return True
    if dispatches is not None and not locating.fails_in_dispatch(context):
        return True
    return any(with_smaller_values(command, keeps_options=False))


def is_worth_going_down(context: Context) -> bool:
    """Whether a program in other dialects may save runs, and is wanted."""
    is_large = context.program.document.op_count >= _WORTH_GOING_DOWN
    return is_module(context) and is_large and context.settings.changes_level


def is_cheap_only_below(context: Context) -> bool:
    """Whether only what is left after going down is small enough to try without flags."""
    above = context.program.input_level
    is_new = above is not None and above.program.document.op_count > CHEAP_OPS
    return is_new and is_cheap(context)


def is_to_be_repeated(context: Context) -> bool:
    """Whether no small program was run again yet."""
    return not context.found.is_repeated


def _is_halved_at_once(context: Context) -> bool:
    """Whether finding the phase first does not pay: it takes several runs of all that there is."""
    ops = context.program.document.op_count
    return is_module(context) and not CHEAP_OPS < ops <= _TOO_LARGE_TO_REPEAT


def _is_worth_stopping_early(context: Context) -> bool:
    return context.program.document.op_count >= _WORTH_STOPPING_EARLY


def _is_not_halved(context: Context) -> bool:
    return context.program.document.text != context.found.halved


def _may_lose_flags(context: Context) -> bool:
    return not context.settings.keep_flags


FIND_PHASE = Stage("find the failing phase", _is_worth_stopping_early, find_phase)
TRUST_PHASE = Stage("stop after the failing phase", always, trust_phase)
HALVE = Stage("halve", _is_not_halved, halve_module)
HALVE_AT_ONCE = HALVE.only(_is_halved_at_once)
RUN_AGAIN = Stage("run it again", fails_every_time, run_again)
GO_DOWN = Stage("go down a level", is_worth_going_down, go_down)
CUT_TEXT = Stage("cut as text", is_text, cut_text)
DROP_FLAGS = Stage("drop flags", _may_lose_flags, drop_flags)
