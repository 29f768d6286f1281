"""Stages before the search: an empty module, a bare signal, and other failures of the input.

One of several errors of the input is reduced, and no smaller program shows the others. So each is
asked for alone first, in a few short runs: the op of the error with its nearest producers. An op
that computes with the result of another failed one may fail for that alone, and is left out.
"""

import re
import shlex
from collections.abc import Callable, Sequence
from functools import partial

from oracles import Diagnostic
from oracles.base import capabilities_of, suffix_of
from oracles.signature.diagnostics import is_follow_up, is_linker_error, primary_error
from oracles.signature.templates import template_of
from reducer.driver.also_found import AlsoFoundStore
from reducer.driver.prefetch import prefetch_search
from reducer.driver.stage import Stage, always
from reducer.driver.state import Context
from reducer.identity.advice import remark_on
from reducer.identity.cutting_artifacts import CuttingDamage
from reducer.identity.multiple_bugs import programs_around
from reducer.identity.sanity import SanityChecks, empty_module
from reducer.identity.validity import VerifierScreen
from reducer.ir import Module
from reducer.ir.flow import backward_slice
from reducer.locate import ops_at
from reducer.search.query import OtherFailure
from reducer.transformations import BodyOps
from reducer.units import cut_inside

_MOST = 8  # errors that are asked for alone
_WIDTH = 100  # characters of a message
_PATTERN = 60  # characters of a pattern


def keep_further(context: Context, keep: Callable[[OtherFailure], None]) -> None:
    """Keep what else fails alone in the input, and say how to reduce that instead.

    Raises:
        Stopped: the user interrupted the run, or the budget is spent.
    """
    primary = primary_error(context.judging.first.diagnostics)
    errors = _errors(context, primary) if primary is not None else []
    if primary is None or len(errors) < 2:
        return
    if isinstance(context.program.document, Module):
        others = []
        for op, error in _independent(context, errors).items():
            if failure := _alone(context, op, error):
                keep(failure)
                others.append(error.message)
    else:
        others = [error.message for error in errors[1:]]
    if others:
        told = "; ".join(cut_inside(message, _WIDTH) for message in others)
        pattern = re.sub(r"[^\w\s,:-]", ".", others[0])[:_PATTERN]
        context.note(
            f"the input has other failures too ({told}); reducing: "
            f"{cut_inside(primary.message, _WIDTH)}; to reduce another one, match its message: "
            f"--match {shlex.quote(pattern)}"
        )


def _errors(context: Context, primary: Diagnostic) -> list[Diagnostic]:
    """The first error of each template; that of the failure comes first."""
    judging = context.judging
    if capabilities_of(judging.oracle).failures is None or judging.flaky is not None:
        return []
    errors = {template_of(primary.message): primary}
    for error in context.judging.first.diagnostics:
        own = error.severity == "error" and error.line
        if own and not is_follow_up(error) and not is_linker_error(error):
            errors.setdefault(template_of(error.message), error)
    return list(errors.values())[: _MOST + 1]


def _independent(context: Context, errors: Sequence[Diagnostic]) -> dict[int, Diagnostic]:
    """The ops of errors but the first, without those that use what another op computes."""
    module = context.program.module
    locations = context.conversions.locations(context.settings.text, module)
    named: dict[int, Diagnostic] = {}
    for error in errors:
        place = error.file.rsplit("/", 1)[-1], error.line, error.column
        for op in ops_at([place], locations, module)[:1]:
            named.setdefault(op, error)
    return {
        op: error
        for op, error in named.items()
        if error is not errors[0]
        and not named.keys() & (set(backward_slice(module, [op], len(module))) - {op})
    }


def _alone(context: Context, op: int, error: Diagnostic) -> OtherFailure | None:
    """The failure of a program around an op, if that is the one of its error."""
    full, body = context.judging.full, BodyOps.of(context.program.module)
    for program in programs_around(body, [body.body_op_of(op)], context.program.module_boundary):
        outcome = full.run(program.text, program.op_count)
        found = primary_error(outcome.diagnostics)
        if found is not None and template_of(found.message) == template_of(error.message):
            target = context.judging.first.signature
            is_other = outcome.failed and outcome.signature.bucket != target.bucket
            return OtherFailure(program, outcome, full.oracle) if is_other else None
    return None


def work_ahead(context: Context) -> bool:
    """Have idle workers begin with the first questions."""
    prefetch_search(context)
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
    full = context.judging.full
    asked = full.query.conditions.screen
    screen = asked if isinstance(asked, VerifierScreen) else None
    damage = CuttingDamage(context.program, full.oracle, screen)
    context.also_found = store = AlsoFoundStore(
        context.settings.folder.also_found,
        context.journal,
        context.note,
        ignored=frozenset({empty_module(context.judging.full).signature.bucket}),
        explained=damage.explains,
        suffix=suffix_of(context.judging.oracle),
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
