"""Stages before the search: an empty module, a bare signal, and other failures of the input."""

from functools import partial

from oracles.base import suffix_of
from reducer.driver.also_found import AlsoFoundStore
from reducer.driver.cutting_artifacts import CuttingDamage
from reducer.driver.further import keep_further
from reducer.driver.prefetch import foresee_search
from reducer.driver.stage import Stage, always
from reducer.driver.state import Context
from reducer.identity.advice import remark_on
from reducer.identity.sanity import SanityChecks, empty_module


def work_ahead(context: Context) -> bool:
    """Have idle workers begin with the first questions."""
    foresee_search(context)
    return False


def check_empty_module(context: Context) -> bool:
    """Run an empty module, which must not have the failure of the input.

    Raises:
        NotInteresting: it has.
        Stopped: the budget is spent, or the user interrupted the run.
    """
    settings, original = context.settings, context.program.original
    ops = context.program.document.op_count if original is None else original.op_count
    if when_empty := SanityChecks(context.judging.full, settings.text, ops).refuse_empty_module():
        context.note(when_empty)
    return False


def stand_by_input(context: Context) -> bool:
    """Give up what the journal said of another input; takes no run."""
    context.journal.settle()
    return False


def remark_on_signal(context: Context) -> bool:
    """Say so if nothing is known of a crash but its signal; takes no run."""
    if remark := remark_on(context.judging.first.signature):
        context.note(remark)
    return False


def collect_others(context: Context) -> bool:
    """Start to collect other failures, except those that an empty module has as well.

    Raises:
        Stopped: the budget is spent, or the user interrupted the run.
    """
    context.also_found = store = AlsoFoundStore(
        context.settings.folder.also_found,
        context.journal,
        context.note,
        ignored=frozenset({empty_module(context.judging.full).signature.bucket}),
        explained=CuttingDamage(context, context.screen).explains,
        suffix=suffix_of(context.judging.full.oracle),
    )
    keep_further(context, partial(store.add, is_whole=True))
    return False


def _collects_others(context: Context) -> bool:
    return context.settings.also_found


WORK_AHEAD = Stage("work ahead", always, work_ahead, shown=False)
CHECK_EMPTY_MODULE = Stage("run an empty module", always, check_empty_module, shown=False)
STAND_BY_INPUT = Stage("keep the journal", always, stand_by_input, shown=False)
REMARK_ON_SIGNAL = Stage("remark on a bare signal", always, remark_on_signal, shown=False)
COLLECT_OTHERS = Stage("collect other failures", _collects_others, collect_others, shown=False)
