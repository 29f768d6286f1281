"""Stages that get at the failure without another run of anything large, cheapest first."""

from reducer.ir import Module, PlainText
from reducer.locate import ops_at, ops_of_diagnostics
from reducer.search.candidate import Candidate
from reducer.search.sampling import sample
from reducer.search.windows import grow_around, grow_set
from reducer.session.best import PRINTED
from reducer.session.context import Context
from reducer.session.isolate import failing_dispatch


def follow_diagnostics(context: Context) -> bool:
    """Tries what is around the ops that errors point to."""
    errors = [d for d in context.first.diagnostics if d.severity == "error" and d.line]
    if not errors:
        return False
    module, text = context.module, context.settings.text
    locations = context.conversions.locations(text, module)
    seeds = ops_of_diagnostics(context.first.diagnostics, locations, module)
    if seeds:
        state = context.search(context.patient)
        context.is_located = grow_around(state, context.module_boundary, seeds)
    return context.is_located


def sample_kinds(context: Context) -> bool:
    """Tries one op of each kind with its producers, then a few small windows."""
    context.is_located = sample(context.search(context.patient), context.module_boundary)
    return context.is_located


def follow_dispatch(context: Context) -> bool:
    """Follows the dispatch that code generation fails on back to the ops it was made of."""
    module, text = context.module, context.settings.text
    asked, conversions = context.patient, context.conversions
    dispatch = failing_dispatch(asked, conversions, text, module.op_count)
    if dispatch is None:
        return False
    seeds = ops_at(dispatch.places, conversions.locations(text, module), module)
    if seeds:
        context.is_located = grow_set(context.search(asked), context.module_boundary, seeds)
    return context.is_located


def run_print(context: Context) -> bool:
    """Takes our print of the whole input, if that still fails in the same way."""
    module = context.module
    if context.patient.fails(module):
        context.is_located = True
        context.accept(Candidate(module, PRINTED))
    return context.is_located


def fall_back_to_text(context: Context) -> bool:
    """Goes on with the lines and brackets of the input as it was given."""
    if isinstance(context.document, Module):
        context.note("the failure disappears in generic form; reducing by lines and brackets")
    else:
        context.note(
            "the compiler's opt tool cannot parse the input; reducing it by lines and brackets"
        )
    context.document = PlainText(context.settings.text)
    return True
