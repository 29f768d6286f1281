"""Stages that make the document and its command smaller."""

from functools import partial
from typing import Any

from oracles.signature.stage import INPUT
from reducer.conversions import CompilerPasses
from reducer.ir import Module, PlainText
from reducer.search.evaluator import Evaluator
from reducer.search.polish import polish, reduce_to_fixpoint
from reducer.search.windows import halve
from reducer.session import auditing, locating, sanity
from reducer.session.before_pass import cut_before_pass
from reducer.session.context import Above, Context
from reducer.session.early_stop import find_phase_number
from reducer.session.flags import FlagReducer
from reducer.session.foreseen import (
    after_halving,
    foresee_polishing,
    foresee_result,
    plan_result,
)
from reducer.session.isolate import failing_dispatch
from reducer.session.levels import go_down_to_dispatch
from reducer.session.printing import command_line, failure_lines
from reducer.transformations import (
    Transformation,
    Tuning,
    control_flow_transformations,
    last_transformations,
    standard_transformations,
    standard_tunings,
    text_transformations,
)

_DEEP = 64  # levels of groups in text; MLIR that people write has ten or so
CHEAP_OPS = 300
"""The ops of a program that is cheap enough to be run a few times for one answer."""


def run_again(context: Context) -> bool:
    """Run what is left twice more, or once for now if that is still large.

    That the command that stops early has seen the same failure counts as one of them.
    """
    text = PlainText(context.settings.text)
    source = text if isinstance(context.document, PlainText) else context.original or text
    asked = context.impatient or context.full
    context.is_repeated = context.document.op_count <= CHEAP_OPS
    seen = context.seen_twice == context.document.text
    times = (2 if context.is_repeated else 1) - seen
    sanity.repeat(asked, context.document, source, lambda: _foresee_polishing(context), times)
    return False


def _foresee_polishing(context: Context) -> None:
    if isinstance(context.document, Module):
        foresee_polishing(context, _transformations(context))


def find_phase(context: Context) -> bool:
    """Find the command that stops earliest and still shows the failure."""
    asked = context.impatient or context.full
    oracles = asked.oracle.shortened()
    memoize = context.conversions.cached
    context.phase = find_phase_number(asked, context.document, memoize, context.phase)
    if context.phase == len(oracles):
        return False
    context.early = asked.with_(oracle=oracles[context.phase])
    return True


def trust_phase(context: Context) -> bool:
    """Stop after the phase in which the input fails, as its own run has noted; takes no run."""
    assert context.noted_phase is not None
    context.early = context.full.with_(oracle=context.full.oracle.shortened()[context.noted_phase])
    return True


def halve_module(context: Context) -> bool:
    """Keep a half, or the middle, as long as one of them still fails."""
    after = after_halving(context, _transformations(context))
    progress = halve(context.search(), context.module_boundary, after)
    context.halved = context.document.text
    return progress


def polish_module(context: Context) -> bool:
    """Apply transformations and try simpler values until none of them succeeds."""
    before = context.document
    state = context.search()
    polish(
        state,
        _transformations(context),
        _tunings(context),
        context.show,
        last_transformations(),
        partial(auditing.audit_early, context, state, max(0, len(context.milestones) - 1)),
        lambda: foresee_result(context, state.document),
        partial(plan_result, context),
    )
    return context.document is not before


def _transformations(context: Context) -> list[Transformation[Module]]:
    def message(module: Module) -> str:
        outcome = context.asked.known(module.text)
        return "\n".join(failure_lines(outcome)) if outcome else ""

    return [
        *standard_transformations(context.module_boundary, message),
        CompilerPasses(context.conversions.after_passes, context.conversions.prepare),
        *control_flow_transformations(),
    ]


def _tunings(context: Context) -> list[Tuning[Module, Any]]:
    """All tunings; none for invalid IR, where the ranks and types may be what is wrong."""
    target = context.first.signature
    illegal = target.op if target.kind.traits.illegal_op else ""
    return standard_tunings(shapes_only=target.stage == INPUT, illegal=illegal)


def cut_text(context: Context) -> bool:
    """Cut text by lines and brackets until nothing more can be removed."""
    before = context.document
    state = context.search_text()
    reduce_to_fixpoint(
        state, text_transformations(is_deep=state.document.levels > _DEEP), context.show
    )
    return context.document is not before


def go_down(context: Context) -> bool:
    """Continue with what fails one level below, in other dialects than the document.

    That is the dispatch that fails, or what is left of the IR that enters the failing pass.
    """
    if not locating.fails_in_dispatch(context):
        return _cut_before_the_pass(context)
    module = context.module
    asked, conversions = context.asked, context.conversions
    dispatch = failing_dispatch(asked, conversions, module.text, module.op_count)
    return dispatch is not None and go_down_to_dispatch(context, dispatch)


def _cut_before_the_pass(context: Context) -> bool:
    above = Above(
        context.milestone(), "the IR at its failing pass, cut down and turned back into a program"
    )
    if not cut_before_pass(context.search(), context.conversions):
        return False
    context.go_down(above)
    return True


def drop_flags(context: Context) -> bool:
    """Drop flags from the command. If one goes, the document may shrink further."""
    full = context.full.query

    def on_change(shorter: Evaluator) -> None:
        context.full = shorter.with_(limits=full.limits, label=full.label, patience=full.patience)
        context.mark()
        name_command(context)

    asked, confirm = context.patient, None
    if context.is_short:
        asked, confirm = context.impatient or asked, context.full
    flags = FlagReducer(asked, context.journal, on_change, confirm)
    return flags.shorten(context.document)


def name_command(context: Context) -> None:
    """Record the current command in every file saved from here on."""
    command, settings = context.full.oracle.command, context.settings
    if command is not None and settings.comments and isinstance(context.best.confirmed, Module):
        context.best.head = command_line(command.words(settings.program.name))
